"""Versions, names, owners and reports of data sets: what may change about them while their rows never do."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pytest

from data.dataset import Dataset
from data.errors import DataError, NotFound, OverLimit
from data.settings import Settings
from data.store import catalogue
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

WriteCsv = Callable[..., Path]
HEADER = ("item", "rater", "score")
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(HEADER, [("a", "x", 1), ("b", "y", 2)])


@pytest.fixture
def chain(store: Store, file: Path, write_csv: WriteCsv) -> list[Dataset]:
    """Three versions of one data set, the oldest first, with 2, 3 and 4 rows."""
    versions = [store.add(file, "ratings", MAPPING, "My study", "w1")]
    for rows in (3, 4):
        newer = write_csv(HEADER, [(f"{row}", "x", 1) for row in range(rows)], f"{rows}.csv")
        versions.append(store.add(newer, "ratings", MAPPING, "My study", "w1", versions[-1].id))
    return versions


# --- versions --------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_an_old_version_stays_under_its_own_address(store: Store, chain: list[Dataset]) -> None:
    assert [version.replaces for version in chain] == [None, chain[0].id, chain[1].id]
    assert len({store.link(version.id) for version in chain}) == 3
    for version, rows in zip(chain, (2, 3, 4), strict=True):
        assert store.by_key(store.link(version.id)) == version
        assert store.query(version, "overview")["rows"].tolist() == [rows]
    assert store.datasets("w1") == chain[::-1]


@pytest.mark.parametrize(
    ("gone", "left"), [(0, [None, 1]), (1, [None, 0]), (2, [None, 0])], ids=["oldest", "middle", "newest"]
)
def test_a_deleted_version_leaves_the_others_under_their_addresses_and_in_one_chain(
    store: Store, chain: list[Dataset], gone: int, left: list[int | None]
) -> None:
    keys = [store.link(version.id) for version in chain]
    store.delete(chain[gone].id)
    kept = [version for at, version in enumerate(chain) if at != gone]
    now = [store.get(version.id) for version in kept]
    assert [version.replaces for version in now] == [None if at is None else chain[at].id for at in left]
    for version, key in zip(chain, keys, strict=True):
        found = store.by_key(key)
        assert (found.id if found else None) == (None if version == chain[gone] else version.id)
    assert [store.query(version, "overview")["rows"][0] for version in now] == [v.rows_kept for v in kept]


def test_a_version_counts_as_a_data_set(settings: Settings, file: Path) -> None:
    with Store(settings=replace(settings, datasets=1)) as store:
        old = store.add(file, "ratings", MAPPING, "My study", "w1")
        with pytest.raises(OverLimit, match="already holds 1 data sets"):
            store.add(file, "ratings", MAPPING, "My study", "w1", replaces=old.id)
        assert store.datasets("w1") == [old]


@pytest.mark.parametrize("workspace", ["w2", None])
def test_only_an_own_data_set_can_be_replaced(store: Store, file: Path, workspace: str | None) -> None:
    foreign = store.add(file, "ratings", MAPPING, "Another's", "w1")
    unowned = store.add(file, "ratings", MAPPING, "Nobody's")
    for id in (foreign.id, unowned.id, "0" * 32, "' OR 1=1 --", "\ud800", ""):
        with pytest.raises(NotFound, match="replaced is not there"):
            store.add(file, "ratings", MAPPING, "My study", workspace, replaces=id)
    assert store.datasets("w1") == [foreign]
    assert store.datasets("w2") == []
    assert len(_tables(store)) == 2


# --- names and owners ------------------------------------------------------------------------------------------


def test_a_new_name_changes_nothing_else(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    key = store.link(saved.id)
    renamed = store.rename(saved.id, " <b>=Eine Studie; DROP TABLE links</b> ")
    assert renamed == replace(saved, name="<b>=Eine Studie; DROP TABLE links</b>")
    assert store.get(saved.id) == store.by_key(key) == renamed


def test_a_name_is_needed_and_has_to_fit(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    with pytest.raises(DataError, match="a data set needs a name"):
        store.rename(saved.id, " \n ")
    with pytest.raises(DataError, match="1,000 characters, a data set may have one of 120"):
        store.rename(saved.id, "x" * 1000)
    for id in ("0" * 32, "", "\ud800", "' OR 1=1 --"):
        with pytest.raises(NotFound):
            store.rename(id, "Another")
    assert store.get(saved.id).name == "My study"
    assert len(store.add(file, "ratings", MAPPING, "x" * 1000).name) == 120


@EVERY_ENGINE
def test_a_person_takes_over_what_a_browser_held(settings: Settings, file: Path) -> None:
    with Store(settings=replace(settings, datasets=2)) as store:
        held = [store.add(file, "ratings", MAPPING, name, "browser:1") for name in ("a", "b")]
        others = store.add(file, "ratings", MAPPING, "c", "browser:2")
        own = store.add(file, "ratings", MAPPING, "d", "person:1")
        keys = [store.link(saved.id) for saved in held]
        assert store.take_over("browser:1", "person:1") == 2
        assert {saved.id for saved in store.datasets("person:1")} == {own.id, *(saved.id for saved in held)}
        assert store.datasets("browser:1") == []
        assert store.datasets("browser:2") == [others]
        assert [store.by_key(key).id for key in keys] == [saved.id for saved in held]  # type: ignore[union-attr]
        assert store.take_over("browser:1", "person:1") == 0
        with pytest.raises(OverLimit):
            store.add(file, "ratings", MAPPING, "e", "person:1")


# --- reports ---------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_the_report_of_an_import_is_kept_as_it_was_shown(store: Store, write_csv: WriteCsv) -> None:
    rows = [("a", "x", 1), ("b", "y", "three"), ("c", "", 2), ("d", "z", "four")]
    file = write_csv(HEADER, rows)
    shown = store.check(file, "ratings", MAPPING)
    saved = store.add(file, "ratings", MAPPING, "My study", "w1", file="räting\ud800s.csv")
    kept = store.report(saved.id)
    assert kept is not None
    assert kept["file"] == "räting?s.csv"
    assert (kept["rows_read"], kept["kept"], kept["set_aside"], kept["rejected"]) == (4, 1, 3, 3)
    assert [tuple(reason.values()) for reason in kept["reasons"]] == list(shown.reasons)
    assert kept["warnings"] == list(shown.warnings)
    assert kept["notes"] == list(shown.notes)
    assert [(reject["line"], reject["value"]) for reject in kept["rejects"]] == [
        (3, "three"),
        (4, ""),
        (5, "four"),
    ]
    store.delete(saved.id)
    assert store.report(saved.id) is None
    assert _count(store, "reports") == 0


def test_a_file_of_nothing_but_errors_does_not_fill_the_catalogue(store: Store, write_csv: WriteCsv) -> None:
    wrong = [("a" * 50, "x" * 50, "no number " * 1000)] * 300 + [("b", "y", "no")] * 20_000
    saved = store.add(write_csv(HEADER, [("a", "x", 1), *wrong]), "ratings", MAPPING, "My study", "w1")
    kept = store.report(saved.id)
    assert kept is not None
    assert kept["rejected"] == 20_300
    assert [reject["line"] for reject in kept["rejects"]] == list(range(3, 3 + len(kept["rejects"])))
    assert len(kept["rejects"][0]["value"]) == 200
    assert 300 < len(kept["rejects"]) <= 10_000
    with store._database.cursor() as cursor:
        (length,) = cursor.execute("SELECT max(length(report)) FROM reports").fetchone() or (0,)
    assert length < 1_200_000


def test_there_is_no_report_where_there_is_no_data_set(store: Store) -> None:
    assert store.report("0" * 32) is None


# --- transactions ----------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_nothing_is_saved_where_the_last_step_fails(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise RuntimeError("the last step")

    monkeypatch.setattr(catalogue, "insert_report", failing)
    with pytest.raises(RuntimeError, match="the last step"):
        store.add(file, "ratings", MAPPING, "My study", "w1")
    assert store.datasets("w1") == []
    assert [_count(store, table) for table in ("datasets", "links", "reports")] == [0, 0, 0]
    assert _tables(store) == []


@EVERY_ENGINE
def test_every_change_may_be_refused_and_done_again(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a lake does when two servers write at once: the first attempt is rolled back, the second counts."""
    change = store._database.change
    refused = 0

    class Refused(Exception):
        pass

    def twice(work: Callable[[duckdb.DuckDBPyConnection], Any], cursor: Any = None) -> Any:
        nonlocal refused

        def refusing(cursor: duckdb.DuckDBPyConnection) -> None:
            work(cursor)
            raise Refused

        with nullcontext(cursor) if cursor else store._database.cursor() as used:
            with pytest.raises(Refused):
                change(refusing, used)
            refused += 1
            return change(work, used)

    monkeypatch.setattr(store._database, "change", twice)
    old = store.add(file, "ratings", MAPPING, "My study", "w1")
    new = store.add(file, "ratings", MAPPING, "My study", "w1", old.id)
    link = store.add_link(old.id, "for the lab")
    renewed = store.renew_link(old.id, link.key)
    assert store.rename(new.id, "Renamed").name == "Renamed"
    assert [each.name for each in store.links(old.id)] == ["", "for the lab"]
    store.revoke_link(old.id, renewed.key)
    assert [each.name for each in store.links(old.id)] == [""]
    store.revoke(old.id)
    assert store.by_key(store.link(old.id)) == old
    assert store.take_over("w1", "w2") == 2
    store.delete(old.id)
    assert [(each.id, each.replaces) for each in store.datasets("w2")] == [(new.id, None)]
    assert [_count(store, table) for table in ("datasets", "links", "reports")] == [1, 1, 1]
    assert len(_tables(store)) == 1
    assert refused == 10


def test_versions_saved_at_once_do_not_exceed_the_limit(settings: Settings, file: Path) -> None:
    with Store(settings=replace(settings, datasets=4)) as store:
        old = store.add(file, "ratings", MAPPING, "My study", "w1")
        refused: list[OverLimit] = []

        def add() -> None:
            try:
                store.add(file, "ratings", MAPPING, "My study", "w1", old.id)
            except OverLimit as error:
                refused.append(error)

        threads = [Thread(target=add) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        assert len(store.datasets("w1")) == 4
        assert len(refused) == 3
        assert len(_tables(store)) == 4


def _count(store: Store, table: str) -> int:
    with store._database.cursor() as cursor:
        return len(cursor.execute(f"FROM {table}").fetchall())


def _tables(store: Store) -> list[str]:
    with store._database.cursor() as cursor:
        rows = cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'store' "
            "AND table_name LIKE 'rows%'"
        ).fetchall()
    return [str(name) for (name,) in rows]
