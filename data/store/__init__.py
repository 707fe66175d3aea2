"""Where data sets are kept: `Store`."""

from data.store.datasets import Store

__all__ = ["Store"]
