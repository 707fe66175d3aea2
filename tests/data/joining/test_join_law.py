"""Joining as a law: every name of both sides is accounted for, and the result is the obvious join, in any order."""

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.dataset import Dataset
from data.engines.schema import table_of
from data.errors import BadMapping
from data.joining.table import Joined
from data.settings import Settings
from data.store.store import Store

NAMES = st.sampled_from(["a", "A", "b c", "1", "01", "1.0", "é", "x,y", 'q"', "null", "%"])
RATINGS = st.lists(st.tuples(NAMES, NAMES, st.integers(1, 5)), min_size=1, max_size=20)
TOLD = st.dictionaries(NAMES, st.integers(0, 99), min_size=1, max_size=8)
SIDES = {"items of ratings": ("item_id", "pesq"), "raters of ratings": ("rater_id", "rater_age")}


def write(folder: str, name: str, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> Path:
    path = Path(folder, name)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def rows_of(store: Store, dataset: Dataset) -> list[tuple[object, ...]]:
    columns = ", ".join(f'"{column.name}"' for column in dataset.columns)
    with store._database.cursor() as cursor:
        return cursor.execute(f'SELECT {columns} FROM {table_of(dataset.id)} ORDER BY "row"').fetchall()


def added(store: Store, folder: str, name: str, rows: list[tuple[str, str, int]]) -> Dataset:
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "@header": "yes"}
    return store.add(write(folder, name, ("item", "rater", "score"), rows), "ratings", mapping)


def joined_to(
    store: Store, dataset: Dataset, folder: str, kind: str, told: list[tuple[object, ...]]
) -> Joined:
    key, what = SIDES[kind]
    path = write(folder, "told.csv", ("name", "value"), told)
    return store.join(dataset, path, kind, {key: "name", what: "value", "@header": "yes"})


@pytest.fixture(scope="module")
def open_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("law")
    with Store(
        settings=Settings(database=str(folder / "law.duckdb"), spool=folder / "spool", threads=1)
    ) as store:
        yield store


@settings(max_examples=8, deadline=None)  # each reads and saves several files
@given(rows=RATINGS, told=TOLD, kind=st.sampled_from(sorted(SIDES)), seed=st.integers(0, 9))
def test_a_join_is_the_obvious_one(
    open_store: Store, rows: list[tuple[str, str, int]], told: dict[str, int], kind: str, seed: int
) -> None:
    store, at = open_store, 0 if kind == "items of ratings" else 1
    names = {row[at] for row in rows}
    with TemporaryDirectory() as folder:
        dataset = added(store, folder, "ratings.csv", rows)
        if not names & set(told):
            with pytest.raises(BadMapping, match="is in the data set"):
                joined_to(store, dataset, folder, kind, list(told.items()))
            return
        joined = joined_to(store, dataset, folder, kind, list(told.items()))
        (found,) = joined.matching
        assert (found.own, found.new) == (len(names), len(told))
        assert found.both + len(names - set(told)) == found.own
        assert found.both + len(set(told) - names) == found.new
        new = store.add(joined.path, joined.kind, joined.mapping)
        value = float if kind == "items of ratings" else str
        by_name = {name: value(number) for name, number in told.items()}
        expected = [(*row, by_name.get(row[at])) for row in rows]
        assert rows_of(store, new) == expected
        assert rows_of(store, dataset) == rows

        shuffled, other = list(rows), list(told.items())
        random.Random(seed).shuffle(shuffled)
        random.Random(seed).shuffle(other)
        again = joined_to(store, added(store, folder, "shuffled.csv", shuffled), folder, kind, other)
        assert again.matching == joined.matching
        held = rows_of(store, store.add(again.path, again.kind, again.mapping))
        assert Counter(held) == Counter(expected)
        for made in (joined, again):
            store.spool.discard(made.path)
