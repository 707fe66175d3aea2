"""Ratios against what a user would write or pick instead, measured in the same run; never a bare time."""
