"""Roles of columns from how they vary: some are never ratings, others are kept as extra columns."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.mapping.proposal import Proposal, propose

RATERS = [f"w{n}" for n in range(8)]
ITEMS = [f"clip{n}" for n in range(12)]


@pytest.fixture
def proposed(tmp_path: Path):
    """Propose a mapping for a complete table with further columns, given by (item, rater)."""

    def propose_(header: str, **columns: Mapping[tuple[str, str], object]) -> Proposal:
        item, rater = header.split(",")
        names = [name.replace("__", ".") for name in columns]
        rows = [
            ",".join([i, r, *(str(cells[i, r]) for cells in columns.values())]) for i in ITEMS for r in RATERS
        ]
        path = tmp_path / "table"
        path.write_text("\n".join([",".join([item, rater, *names]), *rows]) + "\n")
        return propose(sniff(path))

    return propose_


def _cells(of: object) -> dict[tuple[str, str], object]:
    """One value for each item and rater."""
    return {(i, r): of(i, r) for i in ITEMS for r in RATERS}  # type: ignore[operator]


_dice = random.Random(3)
SCORES = _cells(lambda i, r: _dice.randint(1, 5))
TRUST = _cells(lambda i, r: round(0.5 + RATERS.index(r) / 20, 2))
LENGTH = _cells(lambda i, r: 10 + ITEMS.index(i))
CONSTANT = _cells(lambda i, r: 24)
STARTED = _cells(lambda i, r: 1_600_000_000 + _dice.randint(0, 10**6))
ROUND = _cells(lambda i, r: 1 + ITEMS.index(i) % 2)
DOMAIN = _cells(lambda i, r: int(ITEMS.index(i) < 4))
COUNTRY = _cells(lambda i, r: "DE" if RATERS.index(r) < 4 else "FR")


def test_a_rating_whose_name_says_nothing_is_found_among_what_is_none(proposed) -> None:
    found = proposed(
        "task,worker", _trust=TRUST, MaxAssignments=CONSTANT, words=LENGTH, started=STARTED, x7=SCORES
    )
    assert found.kind == "ratings"
    assert found.mapping["score"] == "x7"
    assert any('"x7" is taken for the rating' in note for note in found.notes)


@pytest.mark.parametrize(
    "what", [TRUST, LENGTH, CONSTANT, STARTED], ids=["of raters", "of items", "constant", "times"]
)
@pytest.mark.parametrize("called", ["value", "label", "answer", "quality", "rate"])
def test_what_is_no_rating_is_none_whatever_it_is_called(proposed, called: str, what) -> None:
    found = proposed("task,worker", **{called: what})
    assert called not in (found.mapping.get("score"), found.mapping.get("choice"))


def test_a_column_that_is_called_the_score_stays_it(proposed) -> None:
    assert proposed("item,rater", score=CONSTANT).mapping["score"] == "score"


def test_attributes_of_raters_are_kept_as_such(proposed) -> None:
    mapping = proposed("item,rater", score=SCORES, trust=TRUST, country=COUNTRY, words=LENGTH).mapping
    assert mapping["rater_trust"] == "trust"
    assert mapping["rater_country"] == "country"
    assert mapping["words"] == "words"


@pytest.mark.parametrize("called", ["round", "condition", "turn", "phase"])
def test_conditions_are_not_lost(proposed, called: str) -> None:
    mapping = proposed("item,rater", score=SCORES, **{called: ROUND}).mapping
    assert mapping["condition"] == called
    assert "order" not in mapping


def test_a_mark_of_yes_and_no_is_no_metric(proposed) -> None:
    mapping = proposed("item,rater", score=SCORES, own_domain=DOMAIN, MaxAssignments=CONSTANT).mapping
    assert {"own_domain", "MaxAssignments"}.isdisjoint(mapping)


def test_several_ratings_beside_what_is_none_are_measures(proposed) -> None:
    other = {key: 6 - int(str(score)) for key, score in SCORES.items()}
    mapping = proposed("item,rater", trust=TRUST, fluency=SCORES, adequacy=other, reward=CONSTANT).mapping
    assert mapping["score"] == ("fluency", "adequacy")
    assert mapping["@form"] == "measure columns"
