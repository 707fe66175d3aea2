"""The store that a process shares: opened once, anew after a failure, and meanwhile the samples alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data.errors import CannotOpen
from data.store import shared
from data.store.shared import SharedStore
from data.store.store import Store


@pytest.fixture(autouse=True)
def own_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(tmp_path / "raterscope.duckdb"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setattr(Store, "ensure_samples", lambda self: {})


def test_threads_that_ask_at_once_get_one_store() -> None:
    store = SharedStore()
    assert not store.is_ready
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: store.get(), range(8)))
    assert len({id(one) for one in opened}) == 1
    assert store.is_ready
    assert store.failure is None
    opened[0].close()
    store.reset()
    assert not store.is_ready
    with store.get() as anew:
        assert anew is not opened[0]


def test_a_database_that_cannot_be_opened_is_tried_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raterscope.duckdb").write_bytes(b"no database at all" * 1000)
    store = SharedStore()
    with store.get() as samples:
        assert store.get() is samples
        assert isinstance(store.failure, CannotOpen)
        (tmp_path / "raterscope.duckdb").unlink()
        assert store.get() is samples, "it is not tried at each call"
        store.reset()
        monkeypatch.setattr(shared, "RETRY_AFTER", 0.0)
    (tmp_path / "raterscope.duckdb").write_bytes(b"no database at all" * 1000)
    with store.get() as samples:
        (tmp_path / "raterscope.duckdb").unlink()
        with store.get() as opened:
            assert opened is not samples
        assert store.failure is None
