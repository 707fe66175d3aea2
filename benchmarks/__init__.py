"""Benchmarks: ratios of times to those of an alternative, measured in the same run."""
