"""Layouts in which people keep their studies."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

from tests.roundtrip.layouts import (
    files,
    grids,
    label_sets,
    labels,
    long,
    platforms,
    rankings,
    records,
    surveys,
    votes,
)
from tests.roundtrip.noise import Written
from tests.roundtrip.studies import Study, make_label_sets, make_labels, make_rankings, make_study


@dataclass(frozen=True)
class Layout:
    """A layout: its writer, and the design of the studies that it can hold."""

    write: Callable[[Study], Written]
    kind: str = "ratings"
    design: dict[str, object] = field(default_factory=dict)

    def study(self, seed: int) -> Study:
        """Return the study of a seed."""
        make = {"choices": make_labels, "label sets": make_label_sets, "rankings": make_rankings}.get(
            self.kind, make_study
        )
        return make(seed, **self.design)  # type: ignore[arg-type]


def _ratings(write: Callable[[Study], Written], **design: object) -> Layout:
    return Layout(write, "ratings", {"systems": False} | design)


def _choices(write: Callable[[Study], Written], **design: object) -> Layout:
    return Layout(write, "choices", design)


def _sets(write: Callable[[Study], Written], **design: object) -> Layout:
    return Layout(write, "label sets", design)


def _rankings(write: Callable[[Study], Written], **design: object) -> Layout:
    return Layout(write, "rankings", design)


LAYOUTS: dict[str, Layout] = {
    "long": _ratings(long.one_row_per_rating, groups=None, repeats=True),
    "long by parts": _ratings(long.one_row_per_rating, systems=True, groups=None),
    "measure columns": _ratings(long.measure_columns, groups=None, repeats=True),
    "names in first rows": _ratings(long.names_in_first_rows),
    "blocks with titles": _ratings(long.blocks_with_titles),
    "system, topic and rater": _ratings(long.system_topic_rater, systems=True),
    "joined ids": _ratings(long.joined_ids, systems=True),
    "long without rater": _ratings(long.without_rater),
    "rater columns": _ratings(grids.rater_columns, measures=1),
    "rater columns by parts": _ratings(grids.rater_columns_by_parts, systems=True, measures=1, ids=False),
    "rater columns, unnamed index": _ratings(grids.unnamed_index, measures=1, ids=False),
    "transposed": _ratings(grids.transposed, measures=1),
    "transposed, unnamed index": _ratings(grids.transposed_unnamed, measures=1, ids=False),
    "system columns": _ratings(grids.system_columns, systems=True, measures=1),
    "rater columns, measure rows": _ratings(grids.measure_rows, measures=2),
    "between spaces": _ratings(grids.between_spaces, measures=1, ids=False, words=False),
    "neutral grid": _ratings(grids.neutral, measures=1),
    "rater and measure columns": _ratings(grids.rater_and_measure, measures=2),
    "two header rows": _ratings(grids.two_header_rows, measures=2),
    "pandas pivot": _ratings(grids.pandas_pivot, measures=2),
    "respondents": _ratings(surveys.respondents, measures=1, ids=False),
    "anonymous survey": _ratings(surveys.anonymous, measures=1, ids=False),
    "item and measure survey": _ratings(surveys.item_and_measure, measures=2, ids=False),
    "Google Forms": _ratings(surveys.google_forms, ids=False),
    "Microsoft Forms": _ratings(surveys.microsoft_forms, measures=1, ids=False),
    "SurveyMonkey": _ratings(surveys.surveymonkey, measures=1, ids=False),
    "Qualtrics": _ratings(surveys.qualtrics, measures=1, ids=False),
    "MTurk slots": _ratings(platforms.mturk_slots, measures=1),
    "MTurk slots of measures": _ratings(platforms.mturk_slots, measures=2),
    "slots of measures": _ratings(platforms.slots_of_measures, measures=2),
    "MTurk measures": _ratings(platforms.mturk_measures, measures=2),
    "Toloka": _ratings(platforms.toloka),
    "file per rater": _ratings(files.per_rater, ids=False),
    "file per measure": _ratings(files.per_measure, measures=2),
    "file per group": _ratings(files.per_group, measures=1, groups=True),
    "file per measure and group": _ratings(files.per_measure_and_group, measures=2, groups=True),
    "long sheet": _ratings(files.long_sheet),
    "sheet per rater": _ratings(files.sheet_per_rater, ids=False),
    "sheet per measure": _ratings(files.sheet_per_measure, measures=2),
    "sheet per group": _ratings(files.sheet_per_group, measures=1, groups=True),
    "votes per grade": _ratings(
        votes.per_grade,
        systems=None,
        groups=None,
        scales=("1 to 5", "1 to 7", "0 to 10", "quality", "agreement", "German quality"),
    ),
    "shares of votes": _ratings(
        votes.shares, systems=None, groups=None, scales=("1 to 5", "1 to 7", "quality")
    ),
    "JSON nested records": _ratings(records.nested, words=False),
    "JSON slots": _ratings(records.slots, words=False),
    "JSON list of records": _ratings(records.flat),
    "JSON lines": _ratings(records.lines),
    "JSON by rater": _ratings(records.by_rater, measures=1, words=False),
    "JSON by id": _ratings(records.by_id, words=False),
    "lists of Python in cells": _ratings(records.python_lists, words=False),
    "JSON lists within lists": _ratings(records.within_records, words=False),
    "JSON lists of lists": _ratings(records.lists_of_lists, words=False),
    "JSON below keys": _ratings(records.below_keys, words=False),
    "JSON by item": _ratings(records.by_item, measures=1, words=False, ids=False),
    "BeaqleJS": _ratings(records.beaqlejs, systems=True, measures=1, scales=("0 to 100",)),
    "label rows": _choices(labels.rows),
    "label columns": _choices(labels.rater_columns, ids=False),
    "label survey": _choices(labels.survey, ids=False),
    "label questions": _choices(labels.question_columns, questions=2),
    "label survey questions": _choices(labels.survey_questions, questions=2, ids=False),
    "pairs": _choices(labels.pairs, pairs=True),
    "label set rows": _sets(label_sets.rows),
    "row per label": _sets(label_sets.label_rows, empty=False),
    "label set columns": _sets(label_sets.rater_columns, empty=False, ids=False),
    "columns of labels": _sets(label_sets.marks),
    "ranks in rows": _rankings(rankings.rows),
    "rank columns": _rankings(rankings.option_columns),
    "ranks, file per rater": _rankings(rankings.per_rater, ids=False),
    "ranks of respondents": _rankings(rankings.respondents, tasks=1, partial=False),
    "place columns": _rankings(rankings.place_columns, ties=False),
    "best and worst": _rankings(rankings.best_worst, tuples=True),
    "best and worst in rows": _rankings(rankings.best_worst_rows, tuples=True),
    "rankings in a cell": _rankings(rankings.in_a_cell),
}

ARRANGEMENTS: tuple[tuple[str, ...], ...] = (
    ("long", "long sheet"),
    ("long by parts", "system, topic and rater"),
    ("names in first rows", "blocks with titles"),
    ("joined ids", "JSON by id"),
    ("rater columns", "rater columns, unnamed index", "between spaces"),
    ("rater columns by parts", "rater columns, measure rows"),
    ("transposed", "transposed, unnamed index"),
    ("rater and measure columns", "two header rows", "pandas pivot"),
    ("respondents", "anonymous survey"),
    ("MTurk slots", "MTurk slots of measures"),
    ("file per rater", "sheet per rater"),
    ("file per measure", "sheet per measure"),
    ("file per group", "sheet per group"),
    ("votes per grade", "shares of votes"),
    ("JSON list of records", "JSON lines", "JSON nested records", "JSON below keys"),
    ("JSON slots", "JSON lists within lists", "JSON lists of lists", "lists of Python in cells"),
    ("JSON by rater", "JSON by item"),
    ("label questions", "label survey questions"),
    ("label set rows", "row per label"),
    ("label set columns", "columns of labels"),
    ("rank columns", "ranks of respondents"),
    ("place columns", "rankings in a cell"),
    ("best and worst", "best and worst in rows"),
)
"""Layouts of the same rows and columns in another file, with other headers, or turned; each platform is its own."""
ARRANGEMENTS += tuple((name,) for name in LAYOUTS if name not in {*chain.from_iterable(ARRANGEMENTS)})
