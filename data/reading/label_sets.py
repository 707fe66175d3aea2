"""Readings of a table whose raters gave several labels at once: in a cell, or in a column of 1 and 0 for each label."""

import re
from collections.abc import Iterator
from dataclasses import replace

from data.errors import list_first
from data.kinds.label_sets import EMPTY_SETS, LIST, beginning_of, label_names
from data.kinds.likely_names import is_about, look_like_measures, look_like_raters
from data.kinds.studies import LABEL_COLUMNS, LABEL_SETS, RATINGS
from data.reading.item_key import find_item_key
from data.reading.label_cells import are_marks
from data.reading.long_layouts import raters_of, read_long
from data.reading.profile import LIKE, TableProfile, is_constant_within, reserved_indices, source_of
from data.reading.wide_layouts import read_wide
from data.tables.sniffed import Reading

IN_COLUMNS = "one column of 1 and 0 per label"
_SURE, _IN_DOUBT = 0.98, 0.9
_FEWEST = 3
"""Columns of 1 and 0 that may be labels."""
_LABELS = re.compile(r"labels?|tags?|class(es)?|categor(y|ies)|topics?|emotions?|genres?", re.IGNORECASE)
_SEPARATOR_NAMES = {LIST: "lists", ";": "semicolons", "|": "bars", ",": "commas"}


def read_label_sets(table: TableProfile, in_doubt: bool) -> Iterator[Reading]:
    """Yield the readings of sets of labels; those of cells that can be nothing else are sure, unless `in_doubt`."""
    readings = list(read_long(table, LABEL_SETS)) if table.sets else []
    side_by_side = table.set_columns
    readings += list(read_wide(table, LABEL_SETS)) if side_by_side is not None else []
    for reading in readings:
        columns = [column for column in table.columns if column.name in reading.answers]
        is_wide = reading.mapping.get("@form") in ("rater columns", "item columns")
        form = side_by_side[1] if side_by_side is not None and is_wide else table.sets[columns[0].at]
        evidence = (
            reading.evidence + 0.01 if form.is_certain and not in_doubt else min(reading.evidence, _IN_DOUBT)
        )
        note = f"Cells hold several labels, as {_SEPARATOR_NAMES[form.separator]}."
        if form.separator != LIST:
            note = f"Cells hold several labels, separated by {_SEPARATOR_NAMES[form.separator]}."
        mapping = {**reading.mapping, "@separator": form.separator}
        separated = replace(reading, mapping=mapping, evidence=evidence, notes=(note, *reading.notes))
        has_empty = any(not cell for column in columns for cell in column.cells)
        yield from _with_empty(
            separated,
            has_empty and form.separator != LIST and "@form" not in reading.mapping,
        )
    yield from _read_mark_columns(table)


def _with_empty(reading: Reading, may_be_sets: bool) -> Iterator[Reading]:
    """Yield the reading; where empty cells `may_be_sets` without a label, also the one in which they are."""
    if not may_be_sets:
        yield reading
        return
    yield replace(reading, layout="empty cells are no answers")
    layout, mapping = "empty cells are answers without a label", {**reading.mapping, "@empty": EMPTY_SETS[1]}
    yield replace(reading, mapping=mapping, evidence=reading.evidence - 0.01, layout=layout)


def takes_sets_for_labels(reading: Reading, table: TableProfile) -> bool:
    """Return True where a reading takes sets of labels for single labels."""
    beside = table.set_columns
    certain = {at for at, form in table.sets.items() if form.is_certain}
    certain |= {column.at for column in beside[0]} if beside is not None and beside[1].is_certain else set()
    answers = [column for column in table.columns if column.name in reading.answers]
    return reading.kind == "choices" and bool(answers) and all(column.at in certain for column in answers)


def _read_mark_columns(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of columns of 1 and 0, a label each, within item and rater."""
    roles = {
        role: column for role, column in table.roles(LABEL_SETS).items() if role not in ("labels", "gold")
    }
    reserved = reserved_indices(roles, ("item_id", "rater_id"))
    marked = [
        column
        for column in table.columns
        if are_marks(column) and column.at not in reserved and not is_about(column.name)
    ]
    for rater in raters_of(table, roles):
        if rater.names_rows and "item_id" not in roles:
            continue  # a row for each rater, who answered questions
        marked = [column for column in marked if column is not rater]
        key = find_item_key(table, roles, rater, None, {column.at for column in marked} | {rater.at})
        labels = [column for column in marked if column not in key.columns]
        if not key.columns or len(labels) < _FEWEST:
            continue
        marks = [
            replace(column, cells=tuple(cell or "no mark" for cell in column.cells)) for column in labels
        ]
        marks = [column for column in marks if not is_constant_within(column, (rater,))]
        if all(is_constant_within(column, key.columns) for column in marks):
            continue
        attributes = [
            column for column in labels if not column.is_constant and is_constant_within(column, key.columns)
        ]
        if 2 * len(attributes) > len(labels):
            continue  # what is known of the items
        names = [column.name for column in labels]
        prefixed = bool(_LABELS.fullmatch(beginning_of(names).strip("_.:[(/-| ")))
        if not prefixed and max(look_like_measures(names), look_like_raters(names)) >= LIKE:
            continue
        if not prefixed and "score" in table.roles(RATINGS) and table.roles(RATINGS)["score"] not in labels:
            continue
        examples = list_first(label_names(names))
        note = f"{len(names)} columns of marks say which labels were chosen ({examples})."
        mapping: dict[str, str | tuple[str, ...]] = {
            "item_id": source_of(key.columns), "rater_id": rater.name, "labels": tuple(names), "@form": LABEL_COLUMNS,
        }  # fmt: skip
        items = len(set(zip(*(column.cells for column in key.columns), strict=True)))
        evidence = (_SURE if prefixed else _IN_DOUBT) - key.doubt
        further = (note, *key.notes), len(rater.values), items
        has_empty = any(not any(cells) for cells in zip(*(column.cells for column in labels), strict=True))
        yield from _with_empty(Reading(LABEL_SETS.name, IN_COLUMNS, mapping, evidence, *further), has_empty)
