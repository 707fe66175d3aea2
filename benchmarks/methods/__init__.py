"""Statistics compared with what a notebook would call instead."""
