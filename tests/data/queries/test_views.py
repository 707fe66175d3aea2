"""Filters that a view offers: names as far as they are few, and the time of the ratings."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data.dataset import Dataset, Filter
from data.errors import UnknownName
from data.queries.named import MOST_NAMES
from data.store.store import Store

WHEN = ["2024-03-02 10:00:00", "2024-03-01 09:00:00", "", "2024-03-03 00:00:00", "20000-01-01 00:00:00"]
COLUMNS = {"item_id": "item", "rater_id": "rater", "score": "score", "rated_at": "when", "topic": "topic"}


@pytest.fixture
def timed(store: Store, write_csv: Callable[..., Path]) -> Dataset:
    rows = [
        (
            f"item {at}",
            "r1",
            at % 5,
            WHEN[at] if at < len(WHEN) else "",
            "'); DROP TABLE x --" if at % 2 else "",
        )
        for at in range(MOST_NAMES + 5)
    ]
    return store.add(write_csv(list(COLUMNS.values()), rows), "ratings", COLUMNS, "timed")


def items(store: Store, view: Dataset) -> list[int]:
    return store.query(view, "ratings", measure="score", group="all ratings")["item"].tolist()


def test_a_time_holds_its_ends_and_no_row_without_a_time(store: Store, timed: Dataset) -> None:
    span = store.query(timed, "time_span")
    ends = [datetime.fromtimestamp(span[end][0], UTC).isoformat(" ")[:19] for end in ("first", "last")]
    assert ends == [WHEN[1], WHEN[3]]
    names = store.query(timed, "item_names")["name"].tolist()
    first, second, third = (names.index(f"item {at}") for at in (1, 0, 3))
    since, until = datetime(2024, 3, 2, 10), datetime(2024, 3, 3)
    assert items(store, timed.keeping((Filter("rated_at", since=since, until=until),))) == [second, third]
    assert items(store, timed.keeping((Filter("rated_at", until=since),))) == [second, first]


def test_names_are_offered_as_far_as_they_are_few(store: Store, timed: Dataset) -> None:
    assert store.query(timed, "names_to_filter", column="topic")["name"].tolist() == ["'); DROP TABLE x --"]
    assert len(store.query(timed, "names_to_filter", column="item_id")["name"]) == MOST_NAMES + 1
    only = timed.keeping((Filter("topic", ("'); DROP TABLE x --",)), Filter("item_id", text="' OR ''='")))
    assert items(store, only) == []
    assert len(items(store, timed.keeping((Filter("item_id", text="M 10"),)))) == 6
    with pytest.raises(UnknownName, match="must be one of 'topic', 'item_id'; got 'score'"):
        store.query(timed, "names_to_filter", column="score")
    with pytest.raises(UnknownName, match="no column 'system' to filter by"):
        items(store, timed.keeping((Filter("system", ("A",)),)))
