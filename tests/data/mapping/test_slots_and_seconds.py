"""Rows of several ratings, each beside its item, and seconds that are of whole assignments."""

import csv
import io
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.isolation.process import from_json
from data.mapping.proposal import propose
from data.reading.reader import SLOTS
from data.tables.sniffed import Sniffed
from tests.data.formats.conftest import Save

ITEMS = [f"clip{n}.wav" for n in range(12)]


def _written(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def _assignments(names: Sequence[tuple[str, str]], items: Sequence[str] = ITEMS, seconds: bool = False):
    """Workers who each rate some items drawn anew in their slots: the file, and every vote by hand."""
    dice = random.Random(11)
    rows, votes = [], Counter[tuple[str, str, float]]()
    for at in range(16):
        shown = dice.sample(list(items), len(names))
        given = [dice.randint(1, 5) for _ in names]
        rows.append([f"w{at}", *given, *shown, *([60 + at] if seconds else [])])
        votes.update((item, f"w{at}", float(score)) for item, score in zip(shown, given, strict=True))
    header = [
        "worker",
        *(score for score, _ in names),
        *(item for _, item in names),
        *(["seconds"] if seconds else []),
    ]
    return _written(header, rows), votes


@pytest.mark.parametrize(
    ("score", "item"),
    [
        ("q{}", "q{}_url"),
        ("rating_{}", "item_{}"),
        ("vote{}", "clip{}"),
        ("Score {}", "File {}"),
        ("r{}", "shown{}"),
    ],
)
def test_any_numbered_pairs_are_slots(save: Save, score: str, item: str) -> None:
    content, votes = _assignments([(score.format(n), item.format(n)) for n in range(1, 5)])
    saved = save(content)
    assert saved.found.mapping["@form"] == "item columns"
    assert Counter((row["item_id"], row["rater_id"], row["score"]) for row in saved.rows) == votes
    assert any("Each row holds 4 ratings" in note for note in saved.found.notes)


def test_items_that_are_numbers_are_slots_where_they_are_called_so(save: Save) -> None:
    names = [(f"rating_{n}", f"item_{n}") for n in range(1, 5)]
    content, votes = _assignments(names, [str(n) for n in range(100, 112)])
    assert Counter((row["item_id"], row["rater_id"], row["score"]) for row in save(content).rows) == votes


def test_pairs_that_the_rows_contradict_are_none(tmp_path: Path) -> None:
    names = [(f"rating_{n}", f"item_{n}") for n in range(1, 5)]
    content, _ = _assignments(names)
    rows = list(csv.reader(io.StringIO(content)))
    for row in rows[1:]:
        row[5] = row[6]  # one item twice in a row
    never_again = [[*row[:5], *(f"{cell} {at}" for cell in row[5:])] for at, row in enumerate(rows[1:])]
    for told in (rows[1:], never_again):
        path = tmp_path / "table"
        path.write_text(_written(rows[0], told))
        assert not isinstance(propose(sniff(path)).mapping.get("item_id"), tuple)


def test_a_matrix_has_no_slots(shared_data: Path) -> None:
    for name in ("wide_items_by_raters.csv", "item_by_subject_matrix_no_header.csv"):
        layouts = [one.layout for one in sniff(shared_data / "formats" / name).readings]
        assert layouts
        assert SLOTS not in layouts


def test_what_was_seen_survives_the_way_from_process_to_process(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text(_assignments([("q1", "i1"), ("q2", "i2")], seconds=True)[0])
    seen = sniff(path)
    assert [one.layout for one in seen.readings] == [SLOTS]
    assert from_json(Sniffed, asdict(seen)) == seen


# --- seconds -------------------------------------------------------------------------------------------------------


def _timed(ratings: int) -> str:
    """Each worker's assignments of so many ratings share a time."""
    dice = random.Random(4)
    rows = []
    for worker in range(8):
        for assignment in range(4):
            time = 40 + dice.randint(0, 10_000)
            rows += [
                [ITEMS[(assignment * ratings + at) % 12], f"w{worker}", dice.randint(1, 5), time]
                for at in range(ratings)
            ]
    return _written(["item", "rater", "score", "seconds"], rows)


@pytest.mark.parametrize("ratings", [3, 6])
def test_seconds_of_assignments_are_shared_out(save: Save, ratings: int) -> None:
    content = _timed(ratings)
    saved = save(content)
    assert saved.found.mapping["@seconds"] == "assignment"
    assert any(f"about {ratings}.0 ratings in a row" in note for note in saved.found.notes)
    told = [float(row["seconds"]) / ratings for row in csv.DictReader(io.StringIO(content))]
    assert [row["seconds"] for row in saved.rows] == pytest.approx(told)
    whole = save(content, seconds="rating")
    assert [row["seconds"] for row in whole.rows] == pytest.approx([ratings * time for time in told])


def test_seconds_of_ratings_stay_as_they_are(save: Save) -> None:
    content = _timed(1)
    saved = save(content)
    assert "@seconds" not in saved.found.mapping
    assert [row["seconds"] for row in saved.rows] == [
        float(row["seconds"]) for row in csv.DictReader(io.StringIO(content))
    ]


def test_seconds_of_a_row_of_slots_are_shared_out_over_it(save: Save) -> None:
    content, _ = _assignments([(f"q{n}", f"i{n}") for n in range(1, 5)], seconds=True)
    rows = list(csv.DictReader(io.StringIO(content)))
    content = content.replace(
        content.splitlines()[1], ",".join([rows[0]["worker"], "", *list(rows[0].values())[2:]])
    )
    saved = save(content)
    by_worker = {row["worker"]: float(row["seconds"]) for row in rows}
    expected = [by_worker[row["rater_id"]] / (3 if row["rater_id"] == "w0" else 4) for row in saved.rows]
    assert [row["seconds"] for row in saved.rows] == pytest.approx(expected)


def test_the_real_seconds(shared_data: Path) -> None:
    """The speech crowd's are of assignments of many clips, the sentiment workers' of single labels."""
    speech = propose(sniff(shared_data / "formats" / "semicolon_separated_speech.csv")).mapping
    assert speech["@seconds"] == "assignment"
    assert "@seconds" not in propose(sniff(shared_data / "choice2_sentiment_timed.csv")).mapping
