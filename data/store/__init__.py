"""The store of data sets: `Store`."""

from data.store.store import Store

__all__ = ["Store"]
