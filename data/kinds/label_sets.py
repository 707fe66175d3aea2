"""Cells that hold sets of labels: how they are written in files, and the one way in which they are stored.

A set is stored as a JSON list of its labels, sorted and each once, such as ["anger", "joy"]; [] is the set without any.
"""

import json
from collections.abc import Mapping, Sequence

from data.engines.schema import literal

LIST = "list"
"""The separator of cells that are lists themselves: ["a", "b"], also in single quotation marks."""
SEPARATORS = (LIST, ";", "|", ",")
NO_LABELS = "[]"
EMPTY_SETS = ("no answer", "no label applies")
"""Meanings of an empty cell of a table with one row per answer."""
CHOSEN, _NOT_MARKED = ("1", "1.0", "true", "yes", "x"), ("0", "0.0", "false", "no")
NO_MARK = "neither chosen nor not"
"""Stands for the set of a row in which a label's column holds something else."""


def labels_in(stored: str) -> tuple[str, ...]:
    """Return the labels of a stored set.

    >>> labels_in('["anger", "joy"]'), labels_in("[]")
    (('anger', 'joy'), ())
    """
    return tuple(json.loads(stored))


def split_labels(cell: str, separator: str) -> tuple[str, ...] | None:
    """Return the labels that a cell of a file holds, in their order; None where it is no list.

    >>> split_labels("joy; anger;", ";"), split_labels("['joy', 'anger']", "list"), split_labels("joy", "list")
    (('joy', 'anger'), ('joy', 'anger'), None)
    """
    if separator != LIST:
        return tuple(part for label in cell.split(separator) if (part := label.strip()))
    for text in (cell, cell.replace("'", '"')):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, list) and not any(isinstance(label, dict | list) for label in parsed):
            return tuple(str(label).strip() for label in parsed if label is not None and str(label).strip())
    return None


def labels_sql(cell: str, separator: str) -> str:
    """Return SQL that stores the set in a cell, NULL where it is no list."""
    labels = f"string_split({cell}, {literal(separator)})"
    if separator == LIST:
        quoted = f"replace({cell}, chr(39), '\"')"
        json_text = f"CASE WHEN json_valid({cell}) THEN {cell} WHEN json_valid({quoted}) THEN {quoted} END"
        nested = f"list_has_any(json_type({json_text}, '$[*]'), ['OBJECT', 'ARRAY'])"
        is_plain = f"json_type({json_text}) = 'ARRAY' AND NOT {nested}"
        labels = f"CASE WHEN {is_plain} THEN json_extract_string({json_text}, '$[*]') END"
    return f"CASE WHEN {cell} = {literal(NO_LABELS)} THEN {literal(NO_LABELS)} ELSE {_set_sql(labels)} END"


def chosen_sql(columns: Mapping[str, str]) -> str:
    """Return SQL for the set of the labels whose columns are marked, by the SQL of each column's cell.

    Nothing where all cells are empty, `NO_MARK` where a cell is no mark, or empty beside one that says no.
    """
    lower = {label: f"lower(trim({cell}))" for label, cell in columns.items()}
    yes, no = (", ".join(map(literal, words)) for words in (CHOSEN, _NOT_MARKED))
    empty = [f"coalesce({cell}, '') = ''" for cell in lower.values()]
    invalid = [f"coalesce({cell}, '') NOT IN ('', {yes}, {no})" for cell in lower.values()]
    says_no = [f"coalesce({cell} IN ({no}), FALSE)" for cell in lower.values()]
    marked_labels = ", ".join(
        f"CASE WHEN {cell} IN ({yes}) THEN {literal(label)} END" for label, cell in lower.items()
    )
    return (
        f"CASE WHEN {' AND '.join(empty)} THEN NULL WHEN {' OR '.join(invalid)} "
        f"OR (({' OR '.join(empty)}) AND ({' OR '.join(says_no)})) THEN {literal(NO_MARK)} "
        f"ELSE {_set_sql(f'[{marked_labels}]')} END"
    )


def _set_sql(labels: str) -> str:
    trimmed = f"list_transform({labels}, lambda part: trim(part))"
    filled = f"list_filter({trimmed}, lambda part: part IS NOT NULL AND part <> '')"
    quoted = f"list_transform(list_sort(list_distinct({filled})), lambda part: to_json(part)::VARCHAR)"
    return f"'[' || array_to_string({quoted}, ', ') || ']'"


def label_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that columns stand for: their names without a common prefix that ends with a separator.

    >>> label_names(["label_joy", "label_anger"]), label_names(["tags[a]", "tags[b]"]), label_names(["joy", "jolly"])
    (('joy', 'anger'), ('a', 'b'), ('joy', 'jolly'))
    """
    begin = beginning_of(columns)
    short = [name[len(begin) :] for name in columns]
    if begin.endswith(("[", "(")):
        short = [name.removesuffix("]").removesuffix(")") for name in short]
    short = [name.strip() for name in short]
    return tuple(short if all(short) and len({*short}) == len(short) else columns)


def beginning_of(columns: Sequence[str]) -> str:
    """Return the common prefix of the names of all columns, up to and including a separator such as _ or [; "" if there
    is none."""
    first, last = min(columns), max(columns)
    common_length = next(
        (index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b),
        min(len(first), len(last)),
    )
    separator_index = max(
        (index for index, mark in enumerate(first[:common_length]) if mark in "_.:[(/-| "), default=-1
    )
    return first[: separator_index + 1] if len(columns) > 1 and separator_index > 0 else ""
