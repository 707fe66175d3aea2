"""The store that a process above holds: what is asked of it comes back as if it were one's own."""

import inspect
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from data.errors import NotFound, UnknownName
from data.settings import Settings
from data.store.held_above import ASKED, PLACE, HeldAbove, answer, open_store
from data.store.store import Store

WriteCsv = Callable[..., Path]
HEADER = ("item", "rater", "score", "group")
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
ROWS = [
    (item, f"{group} {rater}", rater % 5 + 1, group)
    for item in "abc"
    for group in ("crowd", "lab")
    for rater in range(6)
]


class Held:
    """A store, the same as another process would see it, and what failed in between."""

    def __init__(self, below: Store, above: HeldAbove, failed: list[Exception]) -> None:
        self.below, self.above, self.failed = below, above, failed


@pytest.fixture
def held(file_settings: Settings) -> Iterator[Held]:
    failed: list[Exception] = []
    with (
        tempfile.TemporaryDirectory() as folder,  # pytest's own are too long for a socket's address
        Store(settings=file_settings) as store,
        answer(store, Path(folder, "store"), failed.append),
        HeldAbove(Path(folder, "store"), file_settings) as above,
    ):
        yield Held(store, above, failed)


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(HEADER, ROWS)


def test_all_that_a_store_does_is_asked_above() -> None:
    public = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
    assert public - {"close"} == set(ASKED)
    assert all(vars(HeldAbove)[name] is not vars(Store)[name] for name in ASKED)


def test_what_is_saved_through_it_is_in_the_store_and_comes_back(held: Held, file: Path) -> None:
    saved = held.above.add(file, "ratings", MAPPING, "My study", workspace="w1")
    assert held.below.get(saved.id) == held.above.get(saved.id) == saved
    assert held.above.datasets("w1") == held.below.datasets("w1") == [saved]
    assert held.above.by_key(held.above.link(saved.id)) == saved
    assert held.above.rename(saved.id, "Other").name == held.below.get(saved.id).name == "Other"
    own, asked = (store.query(saved, "overview") for store in (held.below, held.above))
    assert own.keys() == asked.keys() != set()
    for name, column in own.items():
        np.testing.assert_array_equal(asked[name], column)
    held.above.delete(saved.id)
    assert held.below.datasets("w1") == []


def test_a_query_keeps_its_parameters_names(held: Held, file: Path) -> None:
    saved = held.below.add(file, "ratings", MAPPING, "My study")
    asked = held.above.query(saved, "item_names")
    assert asked["name"].tolist() == held.below.query(saved, "item_names")["name"].tolist() == ["a", "b", "c"]


def test_errors_come_as_what_they_are(held: Held, file: Path) -> None:
    saved = held.below.add(file, "ratings", MAPPING, "My study")
    with pytest.raises(NotFound, match="no such data set"):
        held.above.get("0" * 32)
    with pytest.raises(UnknownName) as own:
        held.below.query(saved, "nothing of the kind")
    with pytest.raises(UnknownName) as asked:
        held.above.query(saved, "nothing of the kind")
    assert str(asked.value) == str(own.value)
    assert held.failed == []


def test_an_error_that_nobody_foresaw_is_told_above_too(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(held.below, "inventory", fails)
    with pytest.raises(RuntimeError, match="on fire"):
        held.above.inventory()
    assert [str(error) for error in held.failed] == ["the disk is on fire"]
    assert held.above.datasets("w1") == []


def test_progress_is_heard_and_whoever_stops_it_saves_nothing(held: Held, file: Path) -> None:
    told: list[tuple[float, str]] = []
    held.above.add(
        file, "ratings", MAPPING, "My study", "w1", tell=lambda part, what: told.append((part, what))
    )
    assert told[-1] == (0.95, "saving")

    class Stopped(Exception):
        pass

    def stop(part: float, what: str) -> None:
        if what == "saving":
            raise Stopped

    with pytest.raises(Stopped):
        held.above.add(file, "ratings", MAPPING, "Another", "w1", tell=stop)
    assert [each.name for each in held.above.datasets("w1")] == ["My study"]


def test_rejects_come_in_pieces(held: Held, write_csv: WriteCsv) -> None:
    file = write_csv(HEADER, [*ROWS, ("d", "crowd 1", "many", "crowd")])
    pieces = held.above.rejects_csv(file, "ratings", MAPPING)
    assert b"".join(pieces) == b"".join(held.below.rejects_csv(file, "ratings", MAPPING))
    assert b"many" in b"".join(held.above.rejects_csv(file, "ratings", MAPPING))


def test_many_ask_at_once(held: Held, file: Path) -> None:
    saved = held.below.add(file, "ratings", MAPPING, "My study")
    with ThreadPoolExecutor(12) as threads:
        found = list(threads.map(lambda _: held.above.query(saved, "item_names")["name"].tolist(), range(60)))
    assert found == [["a", "b", "c"]] * 60


def test_a_process_opens_its_own_store_unless_one_is_held_above(
    held: Held, file_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(file_settings) as own:
        assert type(own) is Store
    monkeypatch.setenv(PLACE, held.above._place)
    with open_store(file_settings) as above:
        assert type(above) is HeldAbove
        assert above.datasets("w1") == []
