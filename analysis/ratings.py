"""Ratings of one measure by one group."""

from analysis.values.ratings import ItemMeans, Ratings

__all__ = ["ItemMeans", "Ratings"]
