"""Where data sets are kept: `Store`."""

from data.store.store import Store

__all__ = ["Store"]
