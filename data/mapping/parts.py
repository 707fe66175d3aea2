"""What several files, or the sheets of a workbook, are to each other: groups of raters, measures, raters, or nothing.

Told by what they share. Files of other raters are groups; files in which the same raters rate the same items are
measures; where each file holds one rater's rows and no column names them, the file is the rater.
"""

import re

from data.kinds.kind import Kind
from data.kinds.likely_names import look_like_measures
from data.mapping.plan import FileMapping
from data.tables.sniffed import Part, Sniffed

_MANY = 0.5
"""Share of names from which on they are the same in the files."""
_NUMBERED = re.compile(
    r"((batch|part|chunk|run|day|week|wave|export|results?)?[ _-]*\d+[ _-]*)+", re.IGNORECASE
)
_SHOWN = 3
NAMED_PARTS = {"measure": "measure from ", "rater_group": "group from ", "rater_id": "rater from "}
"""Beginnings of the columns that say from which file or sheet a row comes, where their names say two things."""
_LIKE = 0.6


def role_of(part: Part, sniffed: Sniffed, kind: Kind, mapping: FileMapping) -> tuple[str, str]:
    """The canonical column that a column of parts seems to be, or none, and a sentence about it."""
    told = f'"{part.name}" ({", ".join(part.values[:_SHOWN])}{" …" if len(part.values) > _SHOWN else ""})'
    shared = dict(part.shared)
    wide = mapping.get("@form")

    def in_common(name: str) -> float:
        source = mapping.get(name, "")
        if wide and kind.forms[str(wide)] == name:
            columns = mapping[kind.cells]
            return sum(shared.get(each, 0) > 0 for each in columns) / max(len(columns), 1)
        return shared.get(source, 0.0) if isinstance(source, str) else 1.0

    named = next((role for role, begin in NAMED_PARTS.items() if part.name.startswith(begin)), "")
    if named and named not in mapping and kind.column(named):
        return named, f"{told} are taken for {kind.title_of(named)}s, as the names say. Check this."
    if kind.name == "relevance" and "rater_id" not in mapping and not _only_counts(part):
        return (
            "rater_id",
            f"No column names the raters; {told} is taken for them: one rater each. Check this.",
        )
    if kind.column("rater_group") is None:
        return "", f"{told} says from where a row comes; it is kept out."
    by_rater = mapping.get("rater_id") or (wide and kind.forms[str(wide)] == "rater_id")
    by_measure = mapping.get("measure") or (wide and kind.forms[str(wide)] == "measure")
    if by_rater and not by_measure and kind.column("measure") and look_like_measures(part.values) >= _LIKE:
        return "measure", f"{told} are taken for measures, as they are called."
    if "rater_id" not in mapping and not (wide and kind.forms[str(wide)] == "rater_id"):
        if _is_one_rater(part, sniffed, mapping):
            return (
                "rater_id",
                f"No column names the raters; {told} is taken for them: one rater each. Check this.",
            )
        return "", ""
    if mapping.get("rater_id") in part.alone:
        return "", f"Each of {told} holds one rater."
    nameless = mapping.get("@raters") == "slots" or (wide == "rater columns" and not sniffed.header)
    raters = 0.0 if nameless else in_common("rater_id")
    if not raters and "rater_group" not in mapping:
        if _only_counts(part):
            return "", f"{told} only counts, so its parts are taken for batches. If they are groups, say so."
        why = "No column names the raters in" if nameless else "No rater is in two of"
        return "rater_group", f"{why} {told}: they are taken for groups of raters. Check this."
    if raters >= _MANY and in_common("item_id") >= _MANY:
        told_apart = next((name for name in ("measure", "design") if kind.column(name)), "")
        if told_apart and told_apart not in mapping and not (wide and kind.forms[str(wide)] == told_apart):
            return told_apart, (
                f"The same raters rated the same items in {told}: they are taken for "
                f"{kind.title_of(told_apart)}s. If they are other people of the same names, choose group."
            )
    return "", f"{told} is not used: its parts are taken for further rows of the same study."


def _only_counts(part: Part) -> bool:
    return all(_NUMBERED.fullmatch(value) for value in part.values)


def _is_one_rater(part: Part, sniffed: Sniffed, mapping: FileMapping) -> bool:
    """Whether each part has ratings of its own, and no item returns in it."""
    item = next((column for column in sniffed.columns if column.name == mapping.get("item_id")), None)
    rated = {"score", "choice"} & set(mapping)
    return (
        bool(rated)
        and item is not None
        and len(part.values) > 1
        and item.filled <= item.distinct * len(part.values)
    )
