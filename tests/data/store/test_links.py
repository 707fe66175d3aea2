"""Links: named, revocable, renewable, ending; and a key that leads nowhere tells nothing, whatever it is."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.dataset import Dataset
from data.errors import DataError, NotFound, OverLimit
from data.samples import SAMPLES
from data.store import catalogue
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.fixture
def file(write_csv: Callable[..., Path]) -> Path:
    return write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])


@pytest.fixture
def saved(store: Store, file: Path) -> Dataset:
    return store.add(file, "ratings", MAPPING, "My study", "w1")


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the store's clock on from the real time."""

    def move(by: timedelta) -> None:
        moved = catalogue.to_utc(datetime.now(UTC)) + by
        monkeypatch.setattr(catalogue, "now", lambda: moved)

    return move


# --- named links -----------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_named_links_are_listed_as_they_were_made_after_the_owners_own(store: Store, saved: Dataset) -> None:
    own = store.link(saved.id)
    first = store.add_link(saved.id, " For the reviewers ", "/repetitions?shuffles=10")
    ends = datetime(2099, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2)))
    second = store.add_link(saved.id, "For the lab", expires=ends)
    assert (first.name, first.view, first.expires) == ("For the reviewers", "/repetitions?shuffles=10", None)
    assert (second.name, second.view, second.expires) == ("For the lab", "", ends)
    assert second.expires is not None
    assert second.expires.utcoffset() == timedelta(0)
    listed = store.links(saved.id)
    assert [link.key for link in listed] == [own, second.key, first.key]
    assert listed[1:] == [second, first]
    assert (listed[0].name, listed[0].dataset) == ("", saved.id)
    assert [store.by_key(link.key) for link in listed] == [saved] * 3
    assert len({link.key for link in listed}) == 3


def test_the_owners_own_key_is_there_without_a_write(
    store: Store, saved: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = store.link(saved.id)
    store.add_link(saved.id, "another")

    def refused(*_: object) -> None:
        raise AssertionError("a write")

    monkeypatch.setattr(store._database, "change", refused)
    assert store.link(saved.id) == key


@EVERY_ENGINE
def test_one_link_is_revoked_and_the_others_stay(store: Store, saved: Dataset) -> None:
    own = store.link(saved.id)
    gone, kept = store.add_link(saved.id, "gone"), store.add_link(saved.id, "kept")
    store.revoke_link(saved.id, gone.key)
    assert store.by_key(gone.key) is None
    assert store.by_key(kept.key) == store.by_key(own) == saved
    assert [link.name for link in store.links(saved.id)] == ["", "kept"]
    store.revoke_link(saved.id, own)
    assert store.by_key(own) is None
    assert store.by_key(store.link(saved.id)) == saved
    store.revoke(saved.id)
    assert store.links(saved.id) == []


def test_who_revokes_what_is_no_link_of_the_data_set_changes_nothing(
    store: Store, saved: Dataset, file: Path
) -> None:
    other = store.add(file, "ratings", MAPPING, "Another's", "w2")
    before = store.links(saved.id), store.links(other.id)
    for key in ("", "0" * 32, "\ud800", "' OR 1=1 --", store.link(other.id)):
        store.revoke_link(saved.id, key)
    store.revoke_link("0" * 32, store.link(saved.id))
    assert (store.links(saved.id), store.links(other.id)) == before


@EVERY_ENGINE
def test_a_renewed_link_keeps_all_but_its_key(store: Store, saved: Dataset) -> None:
    old = store.add_link(saved.id, "For the lab", "/overview", datetime.now(UTC) + timedelta(days=1))
    new = store.renew_link(saved.id, old.key)
    assert new.key != old.key
    assert (new.name, new.view, new.expires) == (old.name, old.view, old.expires)
    assert store.by_key(old.key) is None
    assert store.by_key(new.key) == saved
    assert store.links(saved.id)[1:] == [new]
    own = store.link(saved.id)
    renewed = store.renew_link(saved.id, own)
    assert renewed.name == ""
    assert store.link(saved.id) == renewed.key != own


def test_only_a_live_link_of_the_data_set_can_be_renewed(
    store: Store, saved: Dataset, file: Path, later: Callable[[timedelta], None]
) -> None:
    other = store.add(file, "ratings", MAPPING, "Another's", "w2")
    revoked = store.add_link(saved.id, "revoked")
    store.revoke_link(saved.id, revoked.key)
    over = store.add_link(saved.id, "over", expires=datetime.now(UTC) + timedelta(hours=1))
    later(timedelta(hours=2))
    foreign = store.link(other.id)
    for key in (revoked.key, over.key, foreign, "", "\ud800"):
        with pytest.raises(NotFound, match="no such link"):
            store.renew_link(saved.id, key)
    assert store.by_key(foreign) == other


@EVERY_ENGINE
def test_a_link_ends_when_its_time_is_over(
    store: Store, saved: Dataset, later: Callable[[timedelta], None]
) -> None:
    store.revoke(saved.id)
    link = store.add_link(saved.id, "for a day", expires=datetime.now(UTC) + timedelta(days=1))
    later(timedelta(hours=23))
    assert store.by_key(link.key) == saved
    later(timedelta(hours=25))
    assert store.by_key(link.key) is None
    assert store.links(saved.id) == []


def test_a_link_needs_a_name_that_fits_and_a_future(store: Store, saved: Dataset) -> None:
    for name in ("", " ", "\n\t", "\u3000"):
        with pytest.raises(DataError, match="a link needs a name"):
            store.add_link(saved.id, name)
    with pytest.raises(DataError, match="121 characters, a link may have one of 120 at most"):
        store.add_link(saved.id, "x" * 121)
    with pytest.raises(DataError, match="cannot end in the past"):
        store.add_link(saved.id, "late", expires=datetime.now(UTC) - timedelta(seconds=1))
    assert len(store.links(saved.id)) == 1
    assert store.add_link(saved.id, "x" * 120).name == "x" * 120


def test_a_view_is_an_address_within_and_holds_no_key(store: Store, saved: Dataset) -> None:
    for view in (
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "overview",
        "?measure=a",
        f"/overview?d={'0' * 32}",
        "/overview?measure=a&d=",
        "/" + "x" * 20_000,
    ):
        with pytest.raises(DataError, match="view"):
            store.add_link(saved.id, "for the lab", view)
    assert len(store.links(saved.id)) == 1


def test_a_data_set_has_a_hundred_live_links_at_most(store: Store, saved: Dataset) -> None:
    own = store.link(saved.id)
    refused: list[OverLimit] = []

    def add(thread: int) -> None:
        for turn in range(30):
            try:
                store.add_link(saved.id, f"{thread} {turn}")
            except OverLimit as error:
                refused.append(error)

    threads = [Thread(target=add, args=[thread]) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(store.links(saved.id)) == 100
    assert len(refused) == 4 * 30 - 99
    assert "already has 100 links" in str(refused[0])
    store.revoke_link(saved.id, store.links(saved.id)[1].key)
    store.add_link(saved.id, "there is room again")
    assert store.link(saved.id) == own


@EVERY_ENGINE
def test_a_deleted_data_set_has_no_links_and_gets_none(store: Store, saved: Dataset) -> None:
    link = store.add_link(saved.id, "for the lab")
    store.delete(saved.id)
    assert store.links(saved.id) == []
    assert store.by_key(link.key) is None
    for call in (
        lambda: store.add_link(saved.id, "x"),
        lambda: store.link(saved.id),
        lambda: store.renew_link(saved.id, link.key),
    ):
        with pytest.raises(NotFound):
            call()
    with store._database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM links").fetchone() == (0,)


# --- keys ------------------------------------------------------------------------------------------------------


class Recording:
    """A cursor that tells what was asked of it: the statements, and how long their values are."""

    def __init__(
        self, cursor: duckdb.DuckDBPyConnection, told: list[tuple[str, list[tuple[str, int]]]]
    ) -> None:
        self._cursor = cursor
        self._told = told

    def execute(self, statement: str, values: dict[str, object] | None = None) -> duckdb.DuckDBPyConnection:
        self._told.append((statement, [(name, len(str(value))) for name, value in (values or {}).items()]))
        return self._cursor.execute(statement, values)


@pytest.fixture
def asked(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Look up a key and record the database queries."""
    moment = datetime(2026, 3, 1, 12, 0, 0, 123456)
    monkeypatch.setattr(catalogue, "now", lambda: moment)
    real = type(store._database).cursor

    def look_up(key: str) -> Any:
        told: list[tuple[str, list[tuple[str, int]]]] = []
        with real(store._database) as cursor, monkeypatch.context() as patch:
            patch.setattr(store._database, "read", lambda work: work(Recording(cursor, told)))
            return store.by_key(key), told

    return look_up


@EVERY_ENGINE
def test_a_key_that_leads_nowhere_is_looked_up_like_one_that_does(
    store: Store, saved: Dataset, file: Path, monkeypatch: pytest.MonkeyPatch, asked: Callable[[str], Any]
) -> None:
    good = store.link(saved.id)
    revoked = store.add_link(saved.id, "revoked").key
    store.revoke_link(saved.id, revoked)
    ends = catalogue.now().replace(tzinfo=UTC) + timedelta(days=1)
    over = store.add_link(saved.id, "over", expires=ends).key
    with store._database.cursor() as cursor:
        cursor.execute("UPDATE links SET expires = TIMESTAMP '2026-02-28 12:00' WHERE link = ?", [over])
    gone = store.add(file, "ratings", MAPPING, "gone", "w1")
    deleted = store.link(gone.id)
    store.delete(gone.id)
    found, expected = asked(good)
    assert found == saved
    assert [bool(values) for _, values in expected] in (
        [True],
        [False, True],
    )  # a lake is asked for its state first
    nowhere = [revoked, over, deleted, "f" * 32, good[:-1], good.upper(), "", "\x00", "\ud800", "x" * 100_000]
    for key in nowhere:
        found, told = asked(key)
        assert found is None
        assert told == expected


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(key=st.text(st.characters(exclude_categories=())))
def test_no_text_is_an_error_or_leads_anywhere_by_chance(
    store: Store, asked: Callable[[str], Any], key: str
) -> None:
    found, told = asked(key)
    assert found is None
    assert len(told) == 1


def test_the_built_in_studies_keep_their_fixed_keys(store: Store) -> None:
    sample = store.ensure_samples(SAMPLES[:1])[SAMPLES[0].key]
    assert store.by_key(SAMPLES[0].key) == sample
    assert store.link(sample.id) == SAMPLES[0].key
    with suppress(DataError):
        store.revoke_link(sample.id, "sample-")
    assert store.by_key(SAMPLES[0].key) == sample
