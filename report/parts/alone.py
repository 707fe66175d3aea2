"""The former place of `features.results.Session`."""

from data.store.store import Store
from features.results import Session


def Alone(store: Store, tell: object) -> Session:
    """Return a session on this store."""
    return Session(store)
