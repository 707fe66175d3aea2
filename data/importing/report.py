# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Import report: the outcome of every row of a file, and warnings about its data.

Warnings consider the rows that figures include, and change none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from analysis.values.estimate import thousands
from data.engines.schema import quoted
from data.importing.cells import fetch_number
from data.importing.warning_signs.choices import about_choices
from data.importing.warning_signs.judgments import about_comprehension, about_relevance
from data.importing.warning_signs.ratings import about_ratings
from data.importing.warning_signs.wording import (
    FEW,
    SHOWN_GROUPS,
    Doubt,
    NoRepeats,
    RaterCounts,
    Remark,
    WarningSign,
    count_of,
    first_row,
    has,
    real_rows,
    short_name,
    warn_of_rejected,
)
from data.kinds.studies import GRADE_COLUMNS
from data.mapping.plan import Plan
from data.tables.sniffed import Sniffed
from data.tables.sniffing import DELIMITERS, OLD_ENCODINGS

_MODEL_NAME = (
    r"(?i)(.*/)?((chat)?gpt|llama|mi[sx]tral|qwen|deepseek|llm|candidate|baseline|o[134][ _-](mini|preview|pro))"
    r"([ _.:-]*\d.*|[ _.:/-].*)?"
    r"|(?i)(.*/)?(claude|gemini|gemma|phi|command|grok|falcon|vicuna|alpaca)[ _.:/-]*"
    r"(\d|r\b|v\d|instant|opus|sonnet|haiku|pro|flash|nano|ultra).*"
)


def warn_of_models(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterator[str]:
    if plan.kind.rater != "rater_id" or not plan.has("rater_id"):
        return
    others = cursor.execute(
        "SELECT 1 FROM import_rows WHERE NOT regexp_full_match(rater_id, $called) LIMIT 1",
        {"called": _MODEL_NAME},
    ).fetchone()
    if others:
        return
    rows = cursor.execute(
        f"SELECT DISTINCT rater_id FROM import_rows WHERE rater_id IS NOT NULL ORDER BY rater_id LIMIT {FEW}"
    ).fetchall()
    if rows:
        names = ", ".join(f'"{short_name(name)}"' for (name,) in rows)
        yield (
            f"Who rated is called like language models ({names}). If these are candidates that are to replace "
            f"people, save the people's {plan.kind.rows} first and add this file to them, as a separate group."
        )


def warn_of_spellings(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterator[WarningSign]:
    """Yield a doubt where names of raters differ only in capital letters."""
    if not plan.has("rater_id"):
        return
    number, name, other_name = first_row(
        cursor,
        """SELECT count(*), min(first), arg_min(last, first) FROM (
            SELECT min(rater_id) AS first, max(rater_id) AS last
            FROM (SELECT DISTINCT rater_id FROM import_rows) GROUP BY lower(rater_id)) WHERE first <> last""",
    )
    if number:
        clause = f'raters such as "{short_name(name)}" and "{short_name(other_name)}" differ only in capital letters'
        yield Doubt(f"R{clause[1:]}. If they are one person, spell it the same way in the file.", clause)


def warn_about_contributors(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    unit = ", ".join(["topic", *(["condition"] if plan.has("condition") else []), "scu_id"])
    columns = ", ".join(target.name for target in plan.targets)
    units, example, topic = first_row(
        cursor,
        f"""SELECT count(*), min(scu_id), arg_min(topic, scu_id) FROM (
            SELECT {unit} FROM import_rows GROUP BY {unit} HAVING min(weight) <> max(weight))""",
    )
    if units:
        yield (
            f"{count_of(units, 'content unit has', 'content units have')} more than one weight, for "
            f'instance "{short_name(example)}" of topic "{short_name(topic)}"; a unit should have one.'
        )
    fractional, value = first_row(
        cursor, "SELECT count(*), min(weight) FROM import_rows WHERE weight <> trunc(weight)"
    )
    if fractional:
        yield (
            f"{count_of(fractional, 'weight is no whole number', 'weights are no whole numbers')}, for instance "
            f"{value:g}; a weight usually counts model summaries."
        )
    items, single, many_topics, shared = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), count(*) FILTER (topics > 1),
            any_value(item_id) FILTER (topics > 1)
        FROM (SELECT item_id, count(*) AS n, count(DISTINCT topic) AS topics FROM import_rows
            GROUP BY item_id ORDER BY item_id)""",
    )
    if single:
        yield f"{count_of(single, 'item')} of {thousands(items)} {has(single)} only one contributor."
    if many_topics:
        yield (
            f"{count_of(many_topics, 'item occurs', 'items occur')} in more than one topic, for instance "
            f'"{short_name(shared)}"; an item should be one summary of one topic.'
        )
    (repeated,) = first_row(
        cursor,
        f"SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT {columns} FROM import_rows)) FROM import_rows",
    )
    if repeated:
        yield (
            f"{count_of(repeated, 'contributor repeats', 'contributors repeat')} an earlier row word for "
            "word; all are kept."
        )


def warn_about_metrics(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    for name in plan.further_numbers:
        column = quoted(name)
        items, known, different = first_row(
            cursor, f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM import_rows"
        )
        if known and different == 1:
            yield f'"{short_name(name)}" is the same for all items, so no correlation with it is defined.'
        if 0 < known < items:
            yield (
                f"{count_of(items - known, 'item')} of {thousands(items)} {has(items - known)} no "
                f'"{short_name(name)}".'
            )


def find_warnings(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> tuple[WarningSign, ...]:
    """Return the warnings about the rows in `import_rows`; those of some kinds are about rejected assignments only."""
    if plan.kind.name not in _WARNINGS_OF_KIND:
        return tuple(warn_of_rejected(cursor, plan, f"{plan.kind.row} comes", f"{plan.kind.rows} come"))
    rater_warnings = (*warn_of_models(cursor, plan), *warn_of_spellings(cursor, plan))
    return (*rater_warnings, *_WARNINGS_OF_KIND[plan.kind.name](cursor, plan))


_WARNINGS_OF_KIND: Mapping[str, Callable[[duckdb.DuckDBPyConnection, Plan], Iterable[WarningSign]]] = {
    "ratings": about_ratings,
    "contributors": warn_about_contributors,
    "metrics": warn_about_metrics,
    "choices": about_choices,
    "comprehension": about_comprehension,
    "relevance": about_relevance,
}


MAX_REJECTS = 10_000
_SHOWN_CODES = 5
_COLUMNS = ("line", "column", "reason", "value", "file")


@dataclass(frozen=True)
class Rejects:
    """Rows set aside because something in them cannot be used, in the file's order.

    `line` (n,), `column` (n,), `reason` (n,), `value` (n,): the first 10,000 of `total`. `file` (n,): of which file the
    line is, where several were read together; empty otherwise.
    """

    line: NDArray[np.int64]
    column: NDArray[np.str_]
    reason: NDArray[np.str_]
    value: NDArray[np.str_]
    total: int
    file: NDArray[np.str_] = field(default_factory=lambda: np.array([], dtype=np.str_))


@dataclass(frozen=True)
class ReadingNotes:
    """Remarks on the validation of rows: sentences on items that are `named_by_text` and on `unreadable` cells, and the
    numbers of `empty` cells of a wide table and of cells with a `missing` code."""

    named_by_text: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    empty: int = 0
    missing: int = 0


@dataclass(frozen=True)
class ImportReport:
    """Outcome of every row of a file. `kept` + `set_aside` = `rows_read`, the rows below the header, or the filled
    cells of wide tables. `set_aside` counts `check_rows`, which are stored but excluded from all figures, and the
    rejected rows. `reasons` counts those by column and reason. `notes` state assumptions. `doubtful` are the gravest
    warnings as clauses, which are added to every finding from these rows. `items` and `raters` are those of the kept
    rows, `groups` the raters of each group, without raters if these are unknown. `files` are the names of the files if
    several were read together. `missing` counts the cells with a missing code: in wide tables they are empty, in long
    ones their rows are set aside. `unrepeated` is True if it is known that no rater rated an item twice on a
    measure."""

    rows_read: int
    kept: int
    set_aside: int
    check_rows: int
    rejects: Rejects
    reasons: tuple[tuple[str, str, int], ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    items: int
    raters: int
    groups: tuple[tuple[str, int], ...]
    doubtful: tuple[str, ...]
    files: tuple[str, ...] = ()
    unrepeated: bool = False
    missing: int = 0


def as_json(report: ImportReport) -> dict[str, Any]:
    rejects = {name: getattr(report.rejects, name).tolist() for name in _COLUMNS}
    return asdict(report) | {"rejects": rejects | {"total": report.rejects.total}}


def from_json(data: dict[str, Any]) -> ImportReport:
    rejects = data["rejects"]
    return ImportReport(
        **data
        | {
            "rejects": as_rejects(*(rejects[name] for name in (*_COLUMNS, "total"))),
            "reasons": tuple((column, reason, rows) for column, reason, rows in data["reasons"]),
            "warnings": tuple(data["warnings"]),
            "notes": tuple(data["notes"]),
            "doubtful": tuple(data["doubtful"]),
            "files": tuple(data["files"]),
            "groups": tuple((group, raters) for group, raters in data["groups"]),
        }
    )


def as_rejects(
    line: Sequence[int],
    column: Sequence[str],
    reason: Sequence[str],
    value: Sequence[str],
    file: Sequence[str],
    total: int,
) -> Rejects:
    columns, reasons, values, files = (
        np.array(texts, dtype=np.str_) for texts in (column, reason, value, file)
    )
    return Rejects(np.array(line, dtype=np.int64), columns, reasons, values, total, files)


def create_report(
    cursor: duckdb.DuckDBPyConnection,
    sniffed: Sniffed,
    plan: Plan,
    left_out: Mapping[str, str],
    notes: ReadingNotes,
    reading_doubts: Sequence[Doubt] = (),
) -> ImportReport:
    """Return the report on the rows in `import_rows` and `import_rejects`; `reading_doubts` are doubts about the
    mapping."""
    staged_rows = fetch_number(cursor, "SELECT count(*) FROM import_rows")
    check_rows = fetch_number(cursor, 'SELECT count("check") FROM import_rows') if plan.has("check") else 0
    total = fetch_number(cursor, "SELECT count(*) FROM import_rejects")
    rows = cursor.execute(
        f'SELECT line, "column", reason, value FROM import_rejects ORDER BY line, place LIMIT {MAX_REJECTS}'
    ).fetchall()
    lines, column, reason, value = zip(*rows, strict=True) if rows else ((), (), (), ())
    file, line = zip(*map(sniffed.file_and_line, lines), strict=True) if rows else ((), ())
    reasons = cursor.execute(
        'SELECT "column", reason, count(*) AS n FROM import_rejects GROUP BY ALL ORDER BY n DESC, "column", '
        "reason LIMIT 100"
    ).fetchall()
    signs = find_warnings(cursor, plan)
    doubts = [*reading_doubts, *(sign for sign in signs if isinstance(sign, Doubt))]
    warnings = [sign for sign in signs if isinstance(sign, str)]
    rater_counts = next((sign for sign in signs if isinstance(sign, RaterCounts)), None) or _count_raters(
        cursor, plan
    )
    return ImportReport(
        rows_read=staged_rows + total,
        kept=staged_rows - check_rows,
        set_aside=total + check_rows,
        check_rows=check_rows,
        rejects=as_rejects(line, column, reason, value, file if sniffed.starts else (), total),
        reasons=tuple((str(column), str(reason), int(count)) for column, reason, count in reasons),
        warnings=(
            *(doubt.sentence for doubt in doubts if doubt.sentence),
            *_unmapped_words(cursor, plan),
            *warnings,
            *notes.unreadable,
        ),
        notes=(
            *(sign.sentence for sign in signs if isinstance(sign, Remark)),
            *notes.named_by_text,
            *_reading_notes(sniffed, plan, left_out, notes),
        ),
        items=rater_counts.items,
        raters=rater_counts.raters,
        groups=rater_counts.groups,
        doubtful=tuple(doubt.clause for doubt in doubts),
        files=sniffed.files,
        unrepeated=any(isinstance(sign, NoRepeats) for sign in signs),
        missing=notes.missing,
    )


def _unmapped_words(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterator[str]:
    """Yield warnings about words in a number column that were not mapped, while others were."""
    for target in plan.targets:
        if target.column and target.values and target.filled and target.type == "number":
            words = cursor.execute(
                """SELECT value, count(*) AS n, sum(n) OVER (), count(*) OVER () FROM import_rejects
                WHERE starts_with(reason, $reason) GROUP BY value ORDER BY n DESC, value LIMIT 5""",
                {"reason": f"the {target.column.called} is not a number"},
            ).fetchall()
            if words:
                rows, different = int(words[0][2]), words[0][3]
                examples = ", ".join(f'"{word[:60]}" ({thousands(n)})' for word, n, *_ in words)
                remainder = f" and {thousands(different - len(words))} more" if different > len(words) else ""
                yield (
                    f"{thousands(rows)} {'row is' if rows == 1 else 'rows are'} set aside because what "
                    f"stands there becomes no "
                    f"number: {examples}{remainder}. Say what it becomes if it is a rating."
                )


def _count_raters(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> RaterCounts:
    kind, rows = plan.kind, f"FROM import_rows {real_rows(plan)}"
    items = fetch_number(cursor, f"SELECT count(DISTINCT ({', '.join(kind.item)})) {rows}")
    if not plan.has(kind.rater) or plan.switches["@raters"] == "slots":
        return RaterCounts(items, 0, ())
    if not plan.has("rater_group"):
        return RaterCounts(items, fetch_number(cursor, f"SELECT count(DISTINCT {kind.rater}) {rows}"), ())
    groups = cursor.execute(
        f"""WITH pairs AS (SELECT DISTINCT {kind.rater} AS rater, rater_group {rows})
        SELECT rater_group, count(rater), (SELECT count(DISTINCT rater) FROM pairs) FROM pairs
        GROUP BY rater_group ORDER BY rater_group LIMIT {SHOWN_GROUPS}"""
    ).fetchall()
    raters = groups[0][2] if groups else 0
    return RaterCounts(items, int(raters), tuple((str(group), int(number)) for group, number, _ in groups))


def _reading_notes(
    sniffed: Sniffed, plan: Plan, left_out: Mapping[str, str], notes: ReadingNotes
) -> tuple[str, ...]:
    sentences = list(sniffed.problems)
    comma = plan.switches["@decimal"] == ","
    if sniffed.source:
        read_as = f"{sniffed.source}{' with a decimal comma' if comma else ''}"
    else:
        between = f"{DELIMITERS[sniffed.delimiter]}s between columns"
        encoding = OLD_ENCODINGS.get(sniffed.encoding, sniffed.encoding.upper())
        read_as = f"{encoding} with {between} and a decimal {'comma' if comma else 'point'}"
    sentences.append(f"Read as {read_as}. Ids are kept as they are; only white space around them is removed.")
    empty = notes.empty
    if plan.wide:
        row = plan.kind.row
        codes = ", ".join(f'"{code[:60]}"' for code in plan.missing[:_SHOWN_CODES])
        codes += " …" if len(plan.missing) > _SHOWN_CODES else ""
        coded = f" or {'holds' if empty == 1 else 'hold'} a missing code ({codes})" if notes.missing else ""
        empty_note = (
            f"; {thousands(empty)} {'is' if empty == 1 else 'are'} empty{coded}: no {row}" if empty else ""
        )
        meaning = f"is one {row}"
        if plan.form == GRADE_COLUMNS:
            meaning, empty_note = (
                f"counts {plan.kind.rows} of one grade",
                empty_note.replace(f"no {row}", f"no {plan.kind.rows}"),
            )
        sentences.append(f"Each filled cell of {thousands(len(plan.wide))} columns {meaning}{empty_note}.")
    sentences += [f'"{name}" {reason}; it is not stored.' for name, reason in left_out.items()]
    return tuple(sentences)
