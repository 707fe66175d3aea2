"""A small study of two groups as a file, made anew by a rule that anybody can repeat."""

import csv
from pathlib import Path

ITEMS, RATERS = 12, 4
MEASURES = ("clarity", "a <b>bold</b> one")


def score(group: str, rater: int, item: int, measure: int) -> int:
    """Return a rating from 1 to 5."""
    noise = (7 * item + 3 * rater * (item + 1) + 5 * measure) % (4 if group == "crowd" else 2)
    return min(1 + (item * 3) // ITEMS + noise, 5)


def write_study(path: Path) -> Path:
    """The study as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "rater_id", "rater_group", "measure", "score"])
        for at, measure in enumerate(MEASURES):
            for group in ("crowd", "lab"):
                for rater in range(RATERS):
                    for item in range(ITEMS):
                        name = f"{group} <i>{rater}</i>"
                        rows.writerow([f"item {item}", name, group, measure, score(group, rater, item, at)])
    return path
