"""Visits and files belong to browsers, as long as Streamlit may still know them."""

import pytest

from server import workspace_cookie
from server.workspace_cookie import Owners

HERS, ANOTHERS = "a" * 32, "b" * 32


def test_a_visit_is_its_browsers_while_it_is_open_and_for_a_while_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(workspace_cookie, "monotonic", lambda: now)
    known = Owners()
    known.add_connection("visit", HERS)
    assert known.owns(HERS, "visit")
    assert not known.owns(ANOTHERS, "visit")
    assert not known.owns(None, "visit")
    now = 10_000.0
    known.add_connection("other", ANOTHERS)
    known.remove_connection("other")
    assert known.owns(HERS, "visit"), "it is open"
    known.remove_connection("visit")
    now += 300.0
    assert known.owns(HERS, "visit"), "it may come back"
    known.add_connection("visit", HERS)
    now += 10_000.0
    for number in range(3):
        known.add_connection(f"later{number}", ANOTHERS)
        known.remove_connection(f"later{number}")
    assert known.owns(HERS, "visit"), "it came back"
    known.remove_connection("visit")
    now += 10_000.0
    known.add_connection("last", ANOTHERS)
    known.remove_connection("last")
    assert not known.owns(HERS, "visit")
    assert len(known._visits) == 1


def test_a_page_that_comes_back_before_its_old_connection_ends_stays_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(workspace_cookie, "monotonic", lambda: now)
    known = Owners()
    known.add_connection("visit", HERS)
    known.add_connection("visit", HERS)
    known.remove_connection("visit")
    now = 10_000.0
    known.add_connection("other", HERS)
    known.remove_connection("other")
    assert known.owns(HERS, "visit")


def test_files_are_forgotten_in_the_order_in_which_they_were_last_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workspace_cookie, "_MAX_FILES", 2)
    known = Owners()
    for file in ("first", "second", "first", "third"):
        known.add_file(file, HERS)
    assert [known.owns_file(HERS, file) for file in ("first", "second", "third")] == [True, False, True]
    assert not known.owns_file(None, "first")
