"""The named queries, in a module for each kind of data set; to import a module is to list its queries."""

from data.queries import choices, judgments, named, ratings

__all__ = ["choices", "judgments", "named", "ratings"]
