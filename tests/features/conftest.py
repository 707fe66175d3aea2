"""Each test computes its own results: some set what is no part of a key."""

import pytest

from features import cache
from features.cache import CACHE_BYTES, ResultCache


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CACHE", ResultCache(CACHE_BYTES))
