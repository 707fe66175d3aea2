"""Readings of a table whose raters gave several labels at once: in a cell, or in a column of 1 and 0 for each label."""

import re
from collections.abc import Iterator
from dataclasses import replace

from data.errors import listed
from data.kinds.label_sets import EMPTY_SETS, LIST, beginning_of, label_names
from data.kinds.likely_names import is_about, look_like_measures, look_like_raters
from data.kinds.studies import LABEL_COLUMNS, LABEL_SETS, RATINGS
from data.reading.item_key import find_item_key
from data.reading.label_cells import are_marks
from data.reading.long_layouts import raters_of, read_long
from data.reading.profile import LIKE, TableProfile, is_constant_within, reserved_places, source_of
from data.reading.wide_layouts import read_wide
from data.tables.sniffed import Reading

IN_COLUMNS = "one column of 1 and 0 per label"
_SURE, _IN_DOUBT = 0.98, 0.9
_FEWEST = 3
"""Columns of 1 and 0 that may be labels."""
_LABELS = re.compile(r"labels?|tags?|class(es)?|categor(y|ies)|topics?|emotions?|genres?", re.IGNORECASE)
_SAID = {LIST: "lists", ";": "semicolons", "|": "bars", ",": "commas"}


def read_label_sets(table: TableProfile, in_doubt: bool) -> Iterator[Reading]:
    """Yield the readings of sets of labels; those of cells that can be nothing else are sure, unless `in_doubt`."""
    found = list(read_long(table, LABEL_SETS)) if table.sets else []
    beside = table.set_columns
    found += list(read_wide(table, LABEL_SETS)) if beside is not None else []
    for one in found:
        columns = [column for column in table.columns if column.name in one.answers]
        is_wide = one.mapping.get("@form") in ("rater columns", "item columns")
        held = beside[1] if beside is not None and is_wide else table.sets[columns[0].at]
        sure = one.evidence + 0.01 if held.sure and not in_doubt else min(one.evidence, _IN_DOUBT)
        note = f"Cells hold several labels, as {_SAID[held.separator]}."
        if held.separator != LIST:
            note = f"Cells hold several labels, separated by {_SAID[held.separator]}."
        mapping = {**one.mapping, "@separator": held.separator}
        made = replace(one, mapping=mapping, evidence=sure, notes=(note, *one.notes))
        empty = any(not cell for column in columns for cell in column.cells)
        yield from _with_empty(made, empty and held.separator != LIST and "@form" not in one.mapping)
    yield from _read_mark_columns(table)


def _with_empty(reading: Reading, may_be_sets: bool) -> Iterator[Reading]:
    """Yield the reading; where empty cells `may_be_sets` without a label, also the one in which they are."""
    if not may_be_sets:
        yield reading
        return
    yield replace(reading, layout="empty cells are no answers")
    layout, mapping = "empty cells are answers without a label", {**reading.mapping, "@empty": EMPTY_SETS[1]}
    yield replace(reading, mapping=mapping, evidence=reading.evidence - 0.01, layout=layout)


def is_taken(reading: Reading, table: TableProfile) -> bool:
    """Return True where a reading takes sets of labels for single labels."""
    beside = table.set_columns
    sure = {at for at, held in table.sets.items() if held.sure}
    sure |= {one.at for one in beside[0]} if beside is not None and beside[1].sure else set()
    answers = [one for one in table.columns if one.name in reading.answers]
    return reading.kind == "choices" and bool(answers) and all(one.at in sure for one in answers)


def _read_mark_columns(table: TableProfile) -> Iterator[Reading]:
    """Yield the reading of columns of 1 and 0, a label each, within item and rater."""
    roles = {role: one for role, one in table.roles(LABEL_SETS).items() if role not in ("labels", "gold")}
    reserved = reserved_places(roles, ("item_id", "rater_id"))
    marked = [
        one for one in table.columns if are_marks(one) and one.at not in reserved and not is_about(one.name)
    ]
    for rater in raters_of(table, roles):
        if rater.names_rows and "item_id" not in roles:
            continue  # a row for each rater, who answered questions
        marked = [one for one in marked if one is not rater]
        key = find_item_key(table, roles, rater, None, {one.at for one in marked} | {rater.at})
        labels = [one for one in marked if one not in key.columns]
        if not key.columns or len(labels) < _FEWEST:
            continue
        marks = [replace(one, cells=tuple(cell or "no mark" for cell in one.cells)) for one in labels]
        marks = [one for one in marks if not is_constant_within(one, (rater,))]
        if all(is_constant_within(one, key.columns) for one in marks):
            continue
        known = [one for one in labels if not one.is_constant and is_constant_within(one, key.columns)]
        if 2 * len(known) > len(labels):
            continue  # what is known of the items
        names = [one.name for one in labels]
        prefixed = bool(_LABELS.fullmatch(beginning_of(names).strip("_.:[(/-| ")))
        if not prefixed and max(look_like_measures(names), look_like_raters(names)) >= LIKE:
            continue
        if not prefixed and "score" in table.roles(RATINGS) and table.roles(RATINGS)["score"] not in labels:
            continue
        shown = listed(label_names(names)[:3]) + (" …" if len(names) > 3 else "")
        note = f"{len(names)} columns of marks say which labels were chosen ({shown})."
        mapping: dict[str, str | tuple[str, ...]] = {
            "item_id": source_of(key.columns), "rater_id": rater.name, "labels": tuple(names), "@form": LABEL_COLUMNS,
        }  # fmt: skip
        items = len(set(zip(*(one.cells for one in key.columns), strict=True)))
        sure = (_SURE if prefixed else _IN_DOUBT) - key.doubt
        given = (note, *key.notes), len(rater.values), items
        empty = any(not any(cells) for cells in zip(*(one.cells for one in labels), strict=True))
        yield from _with_empty(Reading(LABEL_SETS.name, IN_COLUMNS, mapping, sure, *given), empty)
