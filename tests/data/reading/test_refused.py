"""Tables of votes per grade and means of items, and tables of ratings that only resemble them."""

import random

import pytest

from data.reading.refused import (
    ItemNumbers,
    find_item_means,
    find_votes_per_grade,
    refusal,
)

Table = tuple[list[str], list[list[str]]]


def votes(stem: str, first: int = 1, mean: str = "MOS", total: str = "") -> Table:
    dice = random.Random(4)
    rows = []
    for at in range(12):
        counts = [dice.randint(0, 9) for _ in range(5)]
        grades = range(first, first + 5)
        row = [f"{at}.jpg", *map(str, counts)]
        if mean:
            score = sum(grade * count for grade, count in zip(grades, counts, strict=True)) / sum(counts)
            row.append(f"{score:.2f}")
        if total:
            row.append(str(sum(counts)))
        rows.append(row)
    names = ["image", *(f"{stem}{grade}" for grade in range(first, first + 5))]
    return [*names, *filter(None, (mean, total))], rows


def ratings(*names: str, high: int = 5, rows: int = 20) -> Table:
    dice = random.Random(5)
    return ["item", *names], [[f"i{at}", *(str(dice.randint(1, high)) for _ in names)] for at in range(rows)]


@pytest.mark.parametrize(
    "table",
    [
        votes("c"),
        votes("votes_"),
        votes("count", first=0),
        votes("c", mean="", total="c_total"),
        votes("grade ", total="n"),
    ],
)
def test_votes_per_grade_are_found_by_their_mean_or_total(table: Table) -> None:
    assert find_votes_per_grade(*table) == tuple(table[0][1:6])
    assert "votes per grade are not supported yet" in refusal(*table)


@pytest.mark.parametrize(
    "table",
    [
        ratings("r1", "r2", "r3", "r4", "r5"),
        votes("c", mean=""),
        (
            ["item", "r1", "r2", "r3", "sum"],
            [[*row, str(sum(map(int, row[1:])))] for row in ratings("r1", "r2", "r3")[1]],
        ),
        (
            ["item", "r1", "r2", "r3", "mean"],
            [[*row, f"{sum(map(int, row[1:])) / 3:.2f}"] for row in ratings("r1", "r2", "r3")[1]],
        ),
    ],
)
def test_ratings_side_by_side_are_no_votes(table: Table) -> None:
    assert find_votes_per_grade(*table) == ()
    assert refusal(*table) == ""


@pytest.mark.parametrize(
    ("names", "rows", "found"),
    [
        (
            ["clip", "mos", "std", "votes"],
            [["a", "3.25", "0.9", "8"], ["b", "4.5", "0.7", "8"]],
            ItemNumbers("clip", ("mos", "std", "votes")),
        ),
        (
            ["codec", "clip", "MOS", "CI95"],
            [["x", "a", "3.25", "0.9"], ["x", "b", "4.5", "0.7"]],
            ItemNumbers("clip", ("MOS", "CI95")),
        ),
        (["clip", "rater", "mos", "std"], [["a", "r1", "3.5", "1"], ["b", "r2", "4.5", "1"]], None),
        (["clip", "mos"], [["a", "3.5"], ["b", "4.5"]], None),
        (["clip", "mean", "n"], [["a", "3", "8"], ["b", "4", "8"]], None),
        (["clip", "mos", "votes"], [["a", "3.5", "8"], ["a", "4.5", "8"]], None),
    ],
)
def test_means_with_their_spread_or_number_are_numbers_of_items(
    names: list[str], rows: list[list[str]], found: ItemNumbers | None
) -> None:
    assert find_item_means(names, rows) == found


def test_means_next_to_votes_are_numbers_without_the_votes() -> None:
    assert find_item_means(*votes("c", total="c_total")) == ItemNumbers("image", ("MOS", "c_total"))
