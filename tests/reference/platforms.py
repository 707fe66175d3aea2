"""Exports of platforms turned into votes with nothing but the csv module: what recognising must equal."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Vote(NamedTuple):
    """One rating, as a person would copy it out of the file."""

    item: str
    rater: str
    score: str
    measure: str = ""
    check: str = ""
    seconds: float = float("nan")


def mturk_p808(path: Path) -> list[Vote]:
    votes = []
    for row in _rows(path):
        for slot in range(1, 18):
            item = row[f"Answer.Q{slot}_URL"]
            check = "trap" if item == row["Input.TP"] else "gold" if item == row["Input.gold_clips"] else ""
            seconds = float(row["WorkTimeInSeconds"]) / 17
            votes.append(Vote(item, row["WorkerId"], row[f"Answer.q{slot}"], check=check, seconds=seconds))
    return votes


def toloka(path: Path) -> list[Vote]:
    return [
        Vote(row["INPUT:item_id"], row["ASSIGNMENT:worker_id"], row[f"OUTPUT:{measure}"], measure)
        for row in _rows(path, "\t")
        for measure in ("coherence", "consistency", "fluency", "relevance")
    ]


def _rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


BY_HAND: dict[str, Callable[[Path], list[Vote]]] = {"MTurk batch": mturk_p808, "Toloka TSV": toloka}
