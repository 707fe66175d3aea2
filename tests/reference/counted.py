"""Rows of a ratings file counted with nothing but the csv module: what the import's report must equal."""

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.reference.platforms import BY_HAND

LONG_BY_HAND = {
    "choice4_website_gold.csv": {"item_id": "item", "rater_id": "rater", "score": "label"},
    "pandalm_pairwise_3way.csv": {"item_id": "item", "rater_id": "rater", "score": "choice"},
    "formats/crowdkit_ground_truth.csv": {"item_id": "task", "rater_id": "task", "score": "true_label"},
    "formats/mqm_marot_300.tsv": {"item_id": "seg_id", "rater_id": "rater", "score": "severity"},
}
REAL = (
    "choice2_sentiment_timed.csv",
    "choice4_website_gold.csv",
    "pandalm_pairwise_3way.csv",
    "speech_mos_lab_vs_crowd.csv",
    "squality_summary_ratings.csv",
    "summaries_25_systems_metrics.csv",
    "video_mos_nflx_public.csv",
    "wmt23_mqm_3raters.csv",
    "formats/crowdkit_ground_truth.csv",
    "formats/crowdkit_task_worker_label.csv",
    "formats/item_by_subject_matrix_no_header.csv",
    "formats/mqm_marot_300.tsv",
    "formats/mturk_p808_batch_60.csv",
    "formats/qualtrics_wide_three_header_rows.csv",
    "formats/semicolon_separated_speech.csv",
    "formats/toloka_assignments.tsv",
    "formats/wide_items_by_raters.csv",
)
"""All tables in the folder of real data."""


def counted(path: Path, mapping: Mapping[str, Any]) -> tuple[int, int, int]:
    """Kept, check rows and rejected of a file, counted with nothing but the csv module."""
    if mapping.get("@format") in BY_HAND:
        votes = BY_HAND[mapping["@format"]](path)
        check_rows = sum(bool(vote.check) for vote in votes)
        return len(votes) - check_rows, check_rows, 0
    delimiter = {"formats/semicolon_separated_speech.csv": ";"}.get(f"formats/{path.name}", ",")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else delimiter))
    if mapping.get("@header") == "no":
        rows.insert(0, [f"column {number}" for number in range(1, len(rows[0]) + 1)])
    if '"ImportId"' in rows[2][0]:
        rows[0] = [
            tail.rsplit(" - ", 1)[-1] if " - " in tail else name for name, tail in zip(*rows[:2], strict=True)
        ]
        rows[1:3] = []
    kept = check_rows = rejected = 0
    for cells in rows[1:]:
        row = dict(zip(rows[0], cells, strict=True))
        scores = [mapping["score"]] if isinstance(mapping["score"], str) else mapping["score"]
        named = [
            mapping[name] for name in ("item_id", "rater_id", "measure", "rater_group") if name in mapping
        ]
        whole = all(row[name].strip() for name in named if isinstance(name, str) and name != "@row")
        for score in scores:
            missing = ("", *mapping.get("@missing", ()))
            if len(scores) > 1 and row[score].strip() in missing:
                continue
            if not whole or number(row[score]) is None:
                rejected += 1
            elif "check" in mapping and row[mapping["check"]].strip():
                check_rows += 1
            else:
                kept += 1
    return kept, check_rows, rejected


def number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
