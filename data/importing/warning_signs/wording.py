# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Shared parts of warnings, columns that a mapping does not use, and doubts about an import."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from analysis.values.estimate import shorten, thousands
from data.kinds.definitions import kind_named
from data.kinds.kind import Kind
from data.kinds.likely_names import is_about, look_like_measures, look_like_raters, shape_of, tokens_of
from data.mapping.columns import columns_by_name, counts, in_steps, may_be_rating
from data.mapping.plan import FileMapping, Plan
from data.mapping.proposal import propose
from data.mapping.values import scaled
from data.tables.sniffed import Sniffed, SniffedColumn

REPEATED, ALONE = 1 / 3, 1 / 2
"""Shares from which on repeated rows, and above which items with one row, add a warning to every finding."""
ROUNDS = frozenset(("round", "session", "repetition", "repeat", "pass", "wave", "occasion", "retest"))
"""Words for columns of studies in which raters judge items again on purpose."""


@dataclass(frozen=True)
class Doubt:
    """Warning that is added to every finding: its sentence in the report, and the clause in a finding."""

    sentence: str
    clause: str


@dataclass(frozen=True)
class Remark:
    """Harmless remark: a note in the report."""

    sentence: str


@dataclass(frozen=True)
class NoRepeats:
    """Mark that no rater rated an item twice, so that sums need not check it again; it has no sentence."""


@dataclass(frozen=True)
class RaterCounts:
    """Number of items the rows are of, how many raters they come from (none where they are unknown), and how many of
    each group that is named: no sentence, but the report need not count again."""

    items: int
    raters: int
    groups: tuple[tuple[str, int], ...]


WarningSign = str | Doubt | Remark | NoRepeats | RaterCounts
REJECTED = "SIMILAR TO '(?i)(reject|return|timed).*'"
FEW = 5
SHOWN_GROUPS = 50
"""Maximum number of groups whose raters a report counts."""


def real_rows(plan: Plan) -> str:
    return 'WHERE "check" IS NULL' if plan.has("check") else ""


def warn_of_repeated_rows(
    cursor: duckdb.DuckDBPyConnection, plan: Plan, singular: str, plural: str, columns: str
) -> Iterable[WarningSign]:
    repeats = plan.kind.repeats
    if repeats is None or plan.switches["@duplicates"] != "keep":
        return
    key = ", ".join(name for name in repeats.key if plan.has(name))
    rows, repeated = first_row(
        cursor, f"SELECT count(*), count(*) - count(DISTINCT hash({key})) FROM import_rows"
    )
    if repeated:
        sentence = f"{count_of(repeated, singular, plural)} an earlier row (same {columns}); all are kept."
        yield warn_of_repeats(plan, repeated, rows, sentence)


def warn_of_rejected(
    cursor: duckdb.DuckDBPyConnection, plan: Plan, singular: str, plural: str
) -> Iterable[WarningSign]:
    if not plan.has("status") or plan.switches["@rejected"] != "keep":
        return
    (rejected,) = first_row(
        cursor, f"SELECT count(*) FILTER (status {REJECTED}) FROM import_rows {real_rows(plan)}"
    )
    if rejected:
        yield (
            f"{count_of(rejected, singular, plural)} from assignments whose status says rejected, returned or timed "
            "out; they are kept."
        )


def warn_of_repeats(plan: Plan, repeated: int, rows: int, sentence: str) -> WarningSign:
    """Return a warning about repeats by the same rater, as a doubt if there are many and no column names rounds."""
    has_rounds = any(target.column and tokens_of(target.label) & ROUNDS for target in plan.targets)
    if repeated < REPEATED * rows or has_rounds:
        return sentence
    return Doubt(sentence, f"{100 * repeated / rows:.0f}% of the {plan.kind.rows} repeat an item and a rater")


def repeats_note(plan: Plan) -> str:
    """Return the note on repeats in figures that compare raters; "" if rater ids are slots."""
    return "" if plan.switches["@raters"] == "slots" else " Where raters are compared, they count once."


def warn_of_single_rows(plan: Plan, single: int, items: int, sentence: str) -> WarningSign:
    """Return a warning about items with one row, as a doubt if they are the majority."""
    if single <= ALONE * items:
        return sentence
    share = "all" if single == items else f"{100 * single / items:.0f}% of the"
    return Doubt(sentence, f"{share} {plan.kind.items} have only one {plan.kind.row}")


def first_row(
    cursor: duckdb.DuckDBPyConnection, statement: str, values: Sequence[str] = ()
) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = cursor.execute(statement, list(values)).fetchone()
    assert row is not None
    return row


def has(n: int) -> str:
    return "has" if n == 1 else "have"


def count_of(n: int, singular: str, plural: str = "") -> str:
    return f"1 {singular}" if n == 1 else f"{thousands(n)} {plural or singular + 's'}"


def short_name(name: str) -> str:
    return shorten(name, 60)


_MOST_POINTS = 101
_NUMBERS = 0.95
_LIKE = 0.6
"""Similarity above which a name is taken for a rater's."""
_SHARED = 0.5
"""Share of the values of a column that must be labels of the used answers."""
_ANSWERS = ("score", "choice", "measure", "design", "item_id", "rater_id")
"""Canonical columns whose names are no evidence against ratings."""


@dataclass(frozen=True)
class Unused:
    """Columns that a mapping does not use.

    columns : names of all unused columns that are not known to be empty
    ratings : names of those that could hold ratings
    cells : what these columns hold, "numbers" or "labels"
    used, possible : filled cells of the columns of answers that are used, and of these and `ratings` together
    looked_at, rows : rows in which the cells are counted, and rows of the file
    """

    columns: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    cells: str = "numbers"
    used: int = 0
    possible: int = 0
    looked_at: int = 0
    rows: int = 0


def find_unused(sniffed: Sniffed, kind: Kind, mapping: Mapping[str, str | Sequence[str]]) -> Unused:
    """Return the columns that a mapping does not use.

    A column could hold ratings where its numbers, or words of a scale, lie about the scale of those in use, where it
    differs within items and raters, and where it is called as they are or by what is judged. A column could hold
    choices where most of its values are labels in use, and its name says so, too.
    """
    used = {
        name
        for entry, source in mapping.items()
        if not entry.startswith("@")
        for name in ([source] if isinstance(source, str) else source)
    }
    cell_columns = mapping.get(kind.cells_of(mapping.get("@form")) or "", ())
    answers = {cell_columns} if isinstance(cell_columns, str) else {*cell_columns}
    is_partial = sniffed.rows > sniffed.looked_at
    unused = [
        column for column in sniffed.columns if column.name not in used and (column.filled or is_partial)
    ]
    answer_columns = [column for column in sniffed.columns if column.name in answers]
    possible = _possible_columns(unused, answer_columns, sniffed, kind, mapping) if answer_columns else []
    filled = sum(column.filled for column in answer_columns)
    return Unused(
        columns=tuple(column.name for column in unused),
        ratings=tuple(column.name for column in possible),
        cells="numbers" if kind.name == "ratings" else "labels",
        used=filled,
        possible=filled + sum(column.filled for column in possible),
        looked_at=sniffed.looked_at,
        rows=sniffed.rows,
    )


def _possible_columns(
    unused: Sequence[SniffedColumn],
    answers: Sequence[SniffedColumn],
    sniffed: Sniffed,
    kind: Kind,
    mapping: Mapping[str, str | Sequence[str]],
) -> list[SniffedColumn]:
    """Return the columns that could hold answers like those of the given columns."""
    by_name = columns_by_name(sniffed, kind)
    reserved = {source for name, source in by_name.items() if name not in _ANSWERS}
    keys = {mapping.get(name) for name in ("item_id", "rater_id")}
    candidates = [
        column
        for column in unused
        if column.name not in reserved
        and not is_about(column.name)
        and not (str(mapping.get("@form", "long")) in ("long", "measure columns") and keys & {*column.within})
        and column.name not in (part.name for part in sniffed.parts)
        and _is_similar_name(column.name, [answer.name for answer in answers])
    ]
    if kind.name == "ratings":
        return _columns_on_scale(candidates, answers, sniffed)
    if kind.compared and all(name in mapping for name in kind.compared):
        return []
    labels = {label for column in answers for label, _ in column.values}
    return [
        column
        for column in candidates
        if column.values
        and sum(label in labels for label, _ in column.values) >= _SHARED * len(column.values)
    ]


def _is_similar_name(name: str, answers: Sequence[str]) -> bool:
    """Return True if a column is named by a measure, or like the other columns of answers."""
    shape = shape_of(name)
    has_same_shape = len(answers) > 1 and shape != "word" and shape in map(shape_of, answers)
    return has_same_shape or look_like_measures([name]) > 0 or look_like_raters([name]) > _LIKE


def _columns_on_scale(
    candidates: Sequence[SniffedColumn], answers: Sequence[SniffedColumn], sniffed: Sniffed
) -> list[SniffedColumn]:
    """Return the columns with values within the scale of the given columns, extended by its length."""
    as_numbers = {column.name: column for column in scaled(sniffed).columns}
    scores = [as_numbers[column.name] for column in answers]
    scores = [column for column in scores if _is_numeric(column)]
    if not scores:
        return []
    low, high = min(column.low for column in scores), max(column.high for column in scores)
    margin, all_in_steps = max(high - low, 1.0), all(map(in_steps, scores))
    return [
        column
        for column in candidates
        if _is_numeric(numbers := as_numbers[column.name])
        and column.distinct <= _MOST_POINTS
        and low - margin <= numbers.low
        and numbers.high <= high + margin
        and (in_steps(numbers) or not all_in_steps)
        and may_be_rating(column, sniffed)
        and not counts(column, sniffed)
    ]


def _is_numeric(column: SniffedColumn) -> bool:
    return column.numbers + column.leading_numbers >= _NUMBERS


_NAMED = 4
_BY_VALUES = 0.85
"""Maximum evidence of a reading that was guessed from values and not from names."""
_LONG = ("long", "measure columns")


def doubts_of_reading(sniffed: Sniffed, kind: str, mapping: FileMapping) -> Iterator[Doubt]:
    """Yield the doubts about reading a file by this mapping, before its rows are read."""
    unused = find_unused(sniffed, kind_named(kind), mapping)
    if unused.ratings:
        yield Doubt("", _describe_unused(unused))
    guessed = _describe_guessed(sniffed, kind, mapping)
    if guessed:
        clause = f"{guessed} were guessed by the values"
        yield Doubt(f"The {clause}, as no header names them. Check that they are right.", f"the {clause}")


def _describe_unused(unused: Unused) -> str:
    names = ", ".join(f'"{name[:60]}"' for name in unused.ratings[:_NAMED])
    more = len(unused.ratings) - _NAMED
    is_single = len(unused.ratings) == 1
    return (
        f"the column{'' if is_single else 's'} {names}{f' and {more} more' if more > 0 else ''}, which could hold "
        f"ratings, {'is' if is_single else 'are'} not used"
    )


def _describe_guessed(sniffed: Sniffed, kind: str, mapping: FileMapping) -> str:
    """Return doubts about columns that were guessed from their values and accepted as proposed."""
    if sniffed.known or sniffed.format or str(mapping.get("@form", "long")) not in _LONG:
        return ""
    proposal = propose(sniffed, kind)
    if proposal.reading is None or proposal.other is not None or proposal.reading.evidence > _BY_VALUES:
        return ""
    if any(proposal.mapping.get(name) != mapping.get(name) for name in ("item_id", "rater_id")):
        return ""
    columns = columns_by_name(scaled(sniffed), kind_named(kind))
    names = {*sniffed.names} - {part.name for part in sniffed.parts}
    guessed = [
        noun
        for name, noun in (("item_id", "items"), ("rater_id", "raters"))
        if mapping.get(name) in names and columns.get(name) != mapping[name]
    ]
    return " and ".join(guessed) if "raters" in guessed else ""
