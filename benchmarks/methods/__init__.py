"""The statistics beside what a notebook would call instead."""
