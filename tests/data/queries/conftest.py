"""Queries need no store of their own: the tests of a module share one."""

import pytest

from data.store.store import Store


@pytest.fixture(scope="module")
def store(shared_store: Store) -> Store:
    return shared_store
