"""The statistics: arrays in, frozen results out; nothing of ours, no pandas and no plotly is imported."""

VERSION = "1"
"""Raised whenever a figure changes; part of every cache key: caches do not see what functions call."""
