# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts by `literal`; values are parameters
"""Read a file with every cell as text, validate the cells, and list rejected rows with their reasons."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from analysis.values.estimate import LONGEST_SHOWN, shorten, thousands
from data.dataset import SLOT
from data.engines.schema import literal, quoted
from data.importing import votes
from data.importing.cells import (
    MAX_NUMBER,
    check_value,
    drop_tables,
    fetch_number,
    id_of_text,
    indices,
    is_computable,
    is_empty,
    is_too_long,
    joined_sql,
    make_rejects,
    mapped_sql,
    missing_sql,
    part_sql,
    store_rows,
    text_cell,
    trimmed_sql,
)
from data.importing.delimited_reading import check_cells, read_raw
from data.importing.report import ReadingNotes
from data.importing.warning_signs.wording import REJECTED
from data.kinds.answer_words import answer_sql, judgment_sql, side_sql
from data.kinds.kind import CODED, LONGEST_NAME, Repeats
from data.kinds.label_sets import LIST, NO_LABELS, chosen_sql, labels_sql
from data.kinds.likely_names import MEANS, SUMMARIES
from data.kinds.names import names_of_options
from data.kinds.studies import LABEL_COLUMNS
from data.mapping.plan import ALL, JOINED, ROW, Plan, Target
from data.settings import Settings
from data.tables.rows import CUT, NEVER_CLOSED
from data.tables.sniffed import LEADING_NUMBER, Sniffed
from data.tables.text import Text, check_rows

_CLEARED = {"number": "number", "time": "time", "judgment": "judgment", "labels": "list of labels"}
"""Types whose unreadable cells become empty, and their names in messages."""
_UNKNOWN_VALUE = {
    "answer": "is none of R, P, I, N",
    "judgment": "is neither relevant (1) nor not relevant (0)",
    "labels": "is no list of labels, or of 1 and 0",
}
"""Reasons for rejecting rows with an unknown value, by type."""
_TIME_PARSERS = (
    "try_cast({x} AS TIMESTAMP)",
    "CASE WHEN regexp_full_match({x}, '\\d{{10}}(\\.\\d+)?') THEN make_timestamp((try_cast({x} AS DOUBLE) * "
    "1000000)::BIGINT) WHEN regexp_full_match({x}, '\\d{{13}}') THEN make_timestamp(try_cast({x} AS BIGINT) "
    "* 1000) END",
    "try_strptime(regexp_replace({x}, ' [A-Z]{{3,4}} (\\d{{4}})$', ' \\1'), '%a %b %d %H:%M:%S %Y')",
    *(
        f"try_strptime({{x}}, ['{date} %H:%M:%S', '{date} %H:%M', '{date} %I:%M:%S %p', '{date} %I:%M %p', "
        f"'{date}'])"
        for date in ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y")
    ),
)


def read_and_judge(
    cursor: duckdb.DuckDBPyConnection,
    text: Text,
    sniffed: Sniffed,
    plan: Plan,
    limits: Settings,
    packed: Path | None,
) -> tuple[Plan, ReadingNotes]:
    """Read all cells as text and divide the rows into `import_rows`, in the file `packed` if given, and
    `import_rejects`. Return the plan, with added columns for long texts that served as names, and the remarks."""
    used = {index for target in plan.targets for index in indices(target.source)}
    stated = votes.find_stated_columns(sniffed, plan)
    check_cells(text, sniffed, plan, limits)
    raw, faulty = read_raw(cursor, text, sniffed, sorted(used | {column.index for column in stated}), limits)
    _create_judged(cursor, plan, raw)
    counts = _JudgedCounts.from_table(cursor, plan)
    empty = missing = 0
    if plan.wide:
        empty = fetch_number(cursor, "SELECT count(*) FROM import_read") * len(plan.wide) - counts.rows
        missing = _count_missing(cursor, plan) if plan.missing else 0
    differing, agreeing = votes.check_stated_columns(cursor, raw, sniffed, plan, stated)
    drop_tables(cursor, "read")
    _collect_rejects(cursor, sniffed, plan, faulty, counts.problems > 0)
    count_target = plan.counted
    typed = ", ".join(_stored_value(target, plan) for target in plan.targets if target is not count_target)
    text_columns, named_by_text = _text_columns(counts, plan)
    typed = ", ".join(
        [
            typed,
            *(
                f"{_full_text_column(named_target)} AS {quoted(target.name)}"
                for named_target, target in text_columns
            ),
        ]
    )
    order = " ORDER BY rowid" if plan.numbers_raters or _shares_seconds(plan) else ""
    unreadable = [
        *(_warn_of_truncation(cursor, sniffed) if faulty else ()),
        *_clear_unreadable(cursor, sniffed, counts),
    ]
    relation = "import_judged"
    if count_target:
        check_rows(fetch_number(cursor, votes.COUNT_VOTES), limits)
        relation = votes.VOTES_AS_ROWS
        named_by_text += [*agreeing, votes.RANDOM_ORDER_NOTE]
    store_rows(cursor, f'SELECT {typed} FROM {relation} WHERE "@problem" IS NULL{order}', packed)
    drop_tables(cursor, "judged")
    plan = replace(
        plan,
        targets=(
            *(target for target in plan.targets if target is not count_target),
            *(target for _, target in text_columns),
        ),
    )
    return plan, ReadingNotes(tuple(named_by_text), (*unreadable, *differing), empty, missing or counts.codes)


@dataclass(frozen=True)
class _JudgedCounts:
    """Counts of judged rows: all, those with a problem, those with a missing code, the distinct long texts of each
    target named by texts, and the unreadable cells of other targets with the first of them and its line."""

    rows: int
    problems: int
    codes: int
    texts: Mapping[Target, int]
    unreadable: Mapping[Target, tuple[int, str, int]]

    @classmethod
    def from_table(cls, cursor: duckdb.DuckDBPyConnection, plan: Plan) -> "_JudgedCounts":
        """Compute all counts in one pass over the judged rows."""
        valid = 'FILTER ("@problem" IS NULL'
        codes = 'count(*) FILTER ("@code")' if plan.missing and not plan.wide else "0"
        aggregates = ["count(*)", 'count("@problem")', codes]
        texts = [target for target in plan.targets if target.column and target.text_in is not None]
        aggregates += [f"count(DISTINCT {_full_text_column(target)}) {valid})" for target in texts]
        clearable = [target for target in plan.targets if not target.filled and target.type in _CLEARED]
        for target in clearable:
            is_invalid = f"({quoted(target.name)} IS NULL OR NOT {_is_sound(target)})"
            condition = f"{valid} AND {text_cell(target)} IS NOT NULL AND {is_invalid})"
            aggregates += [f"count(*) {condition}", f'arg_min({text_cell(target)}, "@line") {condition}']
            aggregates += [f'min("@line") {condition}']
        row = cursor.execute(f"SELECT {', '.join(aggregates)} FROM import_judged").fetchone() or ()
        rows, problems, code, *others = row
        cells = [
            (others[start], others[start + 1], others[start + 2])
            for start in range(len(texts), len(others), 3)
        ]
        return cls(
            rows,
            problems,
            code,
            dict(zip(texts, others, strict=False)),
            dict(zip(clearable, cells, strict=True)),
        )


def _is_sound(target: Target) -> str:
    """Return the condition that a typed cell is valid."""
    name = quoted(target.name)
    if target.type == "labels":
        return "TRUE"
    return is_computable(name) if target.type == "number" else f"isfinite({name})"


def _count_missing(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> int:
    """Count the cells of a wide table that hold a missing code."""
    cells = ", ".join(f"c{index}" for index in plan.wide)
    return fetch_number(
        cursor,
        f"""SELECT count(*) FROM (SELECT unnest([{cells}]) AS cell FROM import_read)
        WHERE {missing_sql(trimmed_sql("cell"), plan)}""",
    )


def _full_text_column(target: Target) -> str:
    """Return the column with the full text of an item that is named by its text."""
    return quoted(f"@long {target.name}")


def _text_columns(counts: _JudgedCounts, plan: Plan) -> tuple[list[tuple[Target, Target]], list[str]]:
    """Return which columns name items by their texts, with the column that keeps these where the mapping has none; and
    a sentence on each."""
    text_columns, sentences = [], []
    for target, texts in counts.texts.items():
        if not texts or target.column is None or target.text_in is None:
            continue
        column = plan.kind.column(target.text_in)
        if column is not None and not plan.has(column.name):
            text_columns.append(
                (target, Target(column.name, column.type, target.source, target.label, column))
            )
            where = f" The text is kept in the column {column.name}."
        else:
            where = f" The column {column.name} stays as it is in the file." if column is not None else ""
        is_plural = texts != 1
        sentences.append(
            f"{thousands(texts)} {target.column.called}{'s are' if is_plural else ' is'} named by a text of more than "
            f"{thousands(LONGEST_NAME)} characters. {'Each' if is_plural else 'It'} gets an id: the first words of its "
            f"text and a code.{where}"
        )
    return text_columns, sentences


def _stored_value(target: Target, plan: Plan) -> str:
    """Return a column as it is stored; seconds of a whole row are divided by its ratings, and the ratings of an item
    are numbered where the file names no raters."""
    name = quoted(target.name)
    repeats = plan.kind.repeats
    if target.source == SLOT and repeats is not None:
        unnamed = replace(repeats, key=tuple(key for key in repeats.key if key != target.name))
        check = ['"check" IS NULL'] if plan.has("check") else []
        same = ", ".join([repeat_key(plan, unnamed), *check])
        return f"'slot ' || row_number() OVER (PARTITION BY {same} ORDER BY rowid) AS {name}"
    shared = target.name == "seconds" and _shares_seconds(plan)
    return f'{name} / count(*) OVER (PARTITION BY "@line") AS {name}' if shared else name


def _shares_seconds(plan: Plan) -> bool:
    """Return True if the seconds of a row are divided by the number of its ratings."""
    return bool(plan.wide) and plan.has("seconds") and plan.switches["@seconds"] == "assignment"


def _source_sql(target: Target, plan: Plan) -> str:
    """Return SQL for a target's cells; a wide table gets a row for each of its columns."""
    if target.of_ends:
        return _tuple_ranks_sql(len(plan.wide))
    if plan.form == LABEL_COLUMNS and target.name == plan.cells:
        return chosen_sql(
            dict(zip(target.names, (f"c{index}" for index in indices(target.source)), strict=True))
        )
    if target.source == ROW:
        return "'row ' || (row_number() OVER ())::VARCHAR"
    if target.source == SLOT:
        return "'slot'"  # numbered once it is known which ratings are kept
    if target.source == ALL:
        return "'all'"
    if isinstance(target.source, int):
        return f"c{target.source}"
    if target.joined and indices(target.source) == plan.wide:  # a tuple is the same in any order
        parts = ", ".join(map(_part_column, plan.wide))
        ordered = f"array_to_string(list_sort([{parts}]), {literal(JOINED)})"
        return f"CASE WHEN {joined_sql(map(_part_column, plan.wide))} IS NOT NULL THEN {ordered} END"
    if target.joined:
        return joined_sql(map(_part_column, indices(target.source)))
    texts = [literal(name) for name in target.names] or [f"c{index}" for index in indices(target.source)]
    return f"unnest([{', '.join(texts)}])"


NOT_IN_TUPLE = "best or worst not found"
"""Value of ranks of a tuple whose best and worst are equal or not among its options."""


def _tuple_ranks_sql(options: int) -> str:
    """Return SQL for the ranks of a tuple's options: 1 for the best, 3 for the worst, 2 for the others."""
    invalid_case = (
        f'CASE WHEN "@best" IS NULL OR "@worst" IS NULL OR "@best" = "@worst" THEN {literal(NOT_IN_TUPLE)}'
    )
    ranks = (
        f"""{invalid_case} WHEN "@best" = {position} THEN '1' WHEN "@worst" = {position} THEN '3' ELSE '2' END"""
        for position in range(1, options + 1)
    )
    return f"unnest([{', '.join(ranks)}])"


def _end_position_sql(end: str, options: Sequence[str], names: Sequence[str]) -> str:
    """Return SQL for the position from 1 of the option that an end names by its text, its column, a number or a letter;
    NULL for none."""
    by_position = " ".join(
        f"WHEN lower({end}) IN ({', '.join(map(literal, sorted(words)))}) THEN {position}"
        for position, words in enumerate(names_of_options(names), 1)
    )
    listed = f"[{', '.join(options)}]"
    return f"CASE WHEN list_contains({listed}, {end}) THEN list_position({listed}, {end}) {by_position} END"


def _part_column(index: int) -> str:
    """Return the column with a trimmed part of a name, or option of a tuple."""
    return f"p{index}"


def _named_part_sql(index: int) -> str:
    return f"{part_sql(index)} AS {_part_column(index)}"


def _create_judged(cursor: duckdb.DuckDBPyConnection, plan: Plan, raw: str) -> None:
    """Create `import_judged`: each row with typed columns, its cells as text, and the number of its first
    problem."""
    cells = [
        'line AS "@line"',
        *(f"{_source_sql(target, plan)} AS {text_cell(target)}" for target in plan.targets),
    ]
    cells.append(f'{f"unnest(range({len(plan.wide)}))" if plan.wide else "0"} AS "@place"')
    trimmed, replaced, added = ['"@line"', '"@place"'], [], []
    parts: dict[int, str] = {}
    ends: list[str] = []
    for target in plan.targets:
        cell = text_cell(target)
        if target.of_ends:
            options = [_part_column(index) for index in plan.wide]
            parts |= {index: _named_part_sql(index) for index in (*plan.wide, *indices(target.source))}
            ends = [
                f"{_end_position_sql(_part_column(index), options, target.names)} AS {end}"
                for end, index in zip(('"@best"', '"@worst"'), indices(target.source), strict=True)
            ]
        if target.joined:
            part_indices = indices(target.source)
            parts |= {index: _named_part_sql(index) for index in part_indices}
            empty = (
                f"WHEN {_part_column(index)} IS NULL THEN {position}"
                for position, index in enumerate(part_indices)
            )
            cells.append(f'CASE {" ".join(empty)} END AS "@part"')
            trimmed.append('"@part"')
        trimmed.append(f"nullif({cell if target.type == 'free text' else trimmed_sql(cell)}, '') AS {cell}")
        value = f"nullif({mapped_sql(target, cell)}, '')" if target.values else cell
        if plan.missing and target.name == plan.cells:
            code = f"coalesce({missing_sql(cell, plan)}, FALSE)"
            if plan.wide:
                value = f"CASE WHEN NOT {code} THEN {value} END"
            else:
                added.append(f'{code} AS "@code"')
        if target.name == plan.cells and plan.takes_empty_sets:
            value = f"coalesce({value}, {literal(NO_LABELS)})"
        if value != cell:
            replaced.append(f"{value} AS {cell}")
    text_targets = [(target, text_cell(target)) for target in plan.targets if target.text_in is not None]
    ids = [
        f"CASE WHEN {is_too_long(cell)} THEN {id_of_text(cell)} ELSE {cell} END AS {cell}"
        for _, cell in text_targets
    ]
    full_texts = [
        f"CASE WHEN {is_too_long(cell)} THEN {cell} END AS {_full_text_column(target)}"
        for target, cell in text_targets
    ]
    typed = [
        f"{_typed_value(cursor, target, plan)} AS {quoted(target.name)}"
        for target in plan.targets
        if text_cell(target) != quoted(target.name)
    ]
    cases = " ".join(
        f"WHEN {problem.condition} THEN {number}" for number, problem in enumerate(_problems(plan))
    )
    filled = f" WHERE {text_cell(plan.target(plan.cells))} IS NOT NULL" if plan.wide else ""
    rows = raw
    for columns, filtered in (  # nested, since DuckDB plans a chain of common table expressions more slowly
        *((_select_list([], named), "") for named in ([*parts.values()], ends) if named),
        (", ".join(cells), ""),
        (", ".join(trimmed), ""),
        (_select_list(replaced, added), ""),
        (_select_list(ids, full_texts), filled),
        (_select_list([], typed), ""),
    ):
        rows = f"(SELECT {columns} FROM {rows}{filtered})"
    cursor.execute(f'CREATE TEMP TABLE import_judged AS SELECT *, CASE {cases} END AS "@problem" FROM {rows}')
    if plan.set_aside:
        key = repeat_key(plan, plan.set_aside)
        condition = 'AND "check" IS NULL' if plan.has("check") else ""
        first = len(_problems(plan)) - len(_repeat_problems(plan))
        others = ", ".join(quoted(name) for name in plan.further_numbers)
        differs = f"row({others}) IS DISTINCT FROM first_value(row({others})) OVER same"
        cursor.execute(
            f"""UPDATE import_judged SET "@problem" = {first} + differs FROM (
                SELECT rowid AS id, row_number() OVER same AS nth,
                    ({differs if plan.set_aside.differing else "0"})::BIGINT AS differs
                FROM import_judged WHERE "@problem" IS NULL {condition}
                WINDOW same AS (PARTITION BY {key} ORDER BY rowid)
            ) AS repeated WHERE import_judged.rowid = id AND nth > 1"""
        )


def _select_list(replaced: Sequence[str], added: Sequence[str]) -> str:
    """Return a select list of all columns, with replaced and added ones."""
    return ", ".join([f"* REPLACE ({', '.join(replaced)})" if replaced else "*", *added])


def repeat_key(plan: Plan, repeats: Repeats) -> str:
    """Return the columns that identify a repeat; two options are the same pair in either order."""
    options = plan.compared[1:] if plan.compared else ()
    names = [quoted(name) for name in repeats.key if plan.has(name) and name not in options]
    if options:
        names += [f"{end}({', '.join(options)})" for end in ("least", "greatest")]
    return ", ".join(names)


@dataclass(frozen=True)
class _Problem:
    column: str
    reason: str
    condition: str = "FALSE"


def _problems(plan: Plan) -> list[_Problem]:
    """Return the problems because of which a row is rejected; the first one counts."""
    problems = []
    filled = [column for column in plan.kind.columns if column.filled and plan.has(column.name)]
    for column in sorted(filled, key=lambda column: column.type == "number"):
        target = plan.target(column.name)
        problems.append(
            _Problem(column.name, f"the {column.called} is empty", is_empty(target, text_cell(target)))
        )
    if plan.missing and not plan.wide:
        answer = plan.target(plan.cells)
        problems.append(_Problem(answer.name, f"{_describe(answer)} is a missing code", '"@code"'))
    problems += [
        _Problem(
            target.name,
            f"{_describe(target)} has more than the {thousands(LONGEST_NAME)} characters that a name may have",
            is_too_long(text_cell(target)),
        )
        for target in plan.targets
        if target.holds_names and target.text_in is None
    ]
    for name, words in (("item_id", SUMMARIES if plan.wide else ()), ("rater_id", MEANS)):
        if words and plan.has(name):
            condition = matches_word(text_cell(plan.target(name)), words)
            problems.append(_Problem(name, "the row holds means or sums and no rating", condition))
    wrong_number = "is not a number"
    if plan.switches["@scores"] == "leading number":
        wrong_number = "does not begin with a number"
    elif plan.switches["@decimal"] == ",":
        wrong_number = "is not a number with a decimal comma"
    for column in filled:
        if column.type in _UNKNOWN_VALUE:
            reason = f"the {column.called} {_UNKNOWN_VALUE[column.type]}"
            problems.append(_Problem(column.name, reason, f"{quoted(column.name)} IS NULL"))
        if column.type != "number":
            continue
        name = quoted(column.name)
        problems.append(_Problem(column.name, f"the {column.called} {wrong_number}", f"{name} IS NULL"))
        problems.append(
            _Problem(column.name, f"the {column.called} is not a finite number", f"NOT isfinite({name})")
        )
        too_large = f"the {column.called} is not between {-MAX_NUMBER:g} and {MAX_NUMBER:g}"
        problems.append(_Problem(column.name, too_large, f"NOT {is_computable(name)}"))
        if column.counts:
            uncounted = f"{name} < 0 OR {name} <> trunc({name})"
            problems.append(
                _Problem(column.name, f"the {column.called} is no whole number from 0 on", uncounted)
            )
        if column.positive:
            problems.append(_Problem(column.name, f"the {column.called} is not above 0", f"{name} <= 0"))
    problems += comparison_problems(plan)
    if plan.switches["@rejected"] == "set aside" and plan.has("status"):
        problems.append(
            _Problem("status", "the assignment was rejected, returned or timed out", f"status {REJECTED}")
        )
    return [*problems, *_repeat_problems(plan)]


def matches_word(cell: str, words: Collection[str]) -> str:
    """Return SQL for a cell that holds one of some words, in any case."""
    return f"lower({cell}) IN ({', '.join(map(literal, sorted(words)))})"


def _describe(target: Target) -> str:
    return f"the {target.column.called}" if target.column else f'the value of "{shorten(target.name, 60)}"'


def comparison_problems(plan: Plan) -> list[_Problem]:
    """Return the problems of rows with a choice between two options."""
    if plan.compared is None:
        return []
    choice, option_a, option_b = plan.compared
    side = side_sql(choice, option_a, option_b, plan.switches["@numbers"])
    return [
        _Problem(option_b, "the two options are the same system", f"{option_a} = {option_b}"),
        _Problem(
            choice, f"the {choice} is none of the two options, both, neither or a tie", f"{side} IS NULL"
        ),
    ]


def _repeat_problems(plan: Plan) -> list[_Problem]:
    """Return the problems of repeated rows, which have no condition on a single row."""
    if plan.set_aside is None:
        return []
    reasons = [plan.set_aside.reason, plan.set_aside.differing]
    return [_Problem(plan.set_aside.column, reason) for reason in reasons if reason]


def _typed_value(cursor: duckdb.DuckDBPyConnection, target: Target, plan: Plan) -> str:
    cell = text_cell(target)
    if target.name == "check":
        return check_value(cell)
    if target.type == "time":
        return _parse_time(cursor, target)
    if target.type in CODED:
        return parse_value(cell, target, plan)
    if target.type != "number":
        return cell
    if target.filled and plan.switches["@scores"] == "leading number":
        cell = f"coalesce(nullif(regexp_extract({cell}, {literal(LEADING_NUMBER)}, 1), ''), {cell})"
    if plan.switches["@decimal"] == ",":
        return f"CASE WHEN NOT contains({cell}, '.') THEN try_cast(replace({cell}, ',', '.') AS DOUBLE) END"
    return f"try_cast({cell} AS DOUBLE)"


def parse_value(cell: str, target: Target, plan: Plan) -> str:
    """Return SQL that parses the word or number in a cell as it is stored, NULL if it is unknown."""
    if target.type == "labels":
        return labels_sql(cell, LIST if plan.form == LABEL_COLUMNS else plan.switches["@separator"])
    if target.type == "answer":
        return answer_sql(cell, plan.switches["@answers"])
    return judgment_sql(cell)


def _parse_time(cursor: duckdb.DuckDBPyConnection, target: Target) -> str:
    """Return the expression that parses most of a column's times: the same for all of them,
    because a mixture of days and months would shuffle the order."""
    expressions = [expression.format(x="x") for expression in _TIME_PARSERS]
    counts = ", ".join(f"count({expression})" for expression in expressions)
    column = f"c{indices(target.source)[0]}"
    readable = cursor.execute(
        f"SELECT {counts} FROM (SELECT trim({column}) AS x FROM import_read WHERE {column} IS NOT NULL LIMIT "
        "10000)"
    ).fetchone()
    assert readable is not None
    best_index = max(range(len(expressions)), key=lambda number: (readable[number], -number))
    return _TIME_PARSERS[best_index].format(x=text_cell(target))


def _collect_rejects(
    cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, plan: Plan, faulty: bool, judged: bool
) -> None:
    """Create `import_rejects` from the unreadable rows, if any are `faulty`, and the `judged` ones with a problem."""
    sources = []
    if faulty:
        value = f"coalesce({_shorten_value('value')}, '')"
        sources.append(f"SELECT line, coalesce(place, ''), reason, {value}, 0 FROM import_faults")
    if judged:
        columns, reasons, values = [], [], []
        for number, problem in enumerate(_problems(plan)):
            target = plan.target(problem.column)
            columns.append(f"WHEN {number} THEN {_source_column(target, sniffed, plan)}")
            reasons.append(f"WHEN {number} THEN {literal(problem.reason)}")
            values.append(f"WHEN {number} THEN {_shorten_value(text_cell(target))}")
        sources.append(
            f"""SELECT "@line", CASE "@problem" {" ".join(columns)} END, CASE "@problem" {" ".join(reasons)} END,
                coalesce(CASE "@problem" {" ".join(values)} END, ''), "@place"
            FROM import_judged WHERE "@problem" IS NOT NULL"""
        )
    make_rejects(cursor, " UNION ALL ".join(reversed(sources)))


def _shorten_value(value: str) -> str:
    """Shorten a rejected value for a report; a cell may have a million characters."""
    cut = f"left({value}, {LONGEST_SHOWN - 1}) || '…'"
    return f"CASE WHEN length({value}) > {LONGEST_SHOWN} THEN {cut} ELSE {value} END"


def _source_column(target: Target, sniffed: Sniffed, plan: Plan) -> str:
    """Return SQL for the file's column of a value; in wide tables it depends on the place."""
    if isinstance(target.source, int):
        return literal(sniffed.names[target.source])
    if isinstance(target.source, str):
        return "''"
    if target.of_ends:
        return literal(JOINED.join(sniffed.names[index] for index in indices(target.source)))
    if target.joined:
        parts = [sniffed.names[index] for index in indices(target.source)]
        cases = " ".join(f"WHEN {nth} THEN {literal(name)}" for nth, name in enumerate(parts))
        return f'CASE "@part" {cases} ELSE {literal(JOINED.join(parts))} END'
    names = [sniffed.names[index] for index in (indices(target.source) or plan.wide)]
    return f'[{", ".join(literal(name) for name in names)}]["@place" + 1]'


def _warn_of_truncation(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed) -> list[str]:
    """Return sentences on rows that are truncated by the end of a file."""
    sentences = {
        CUT: "The file ends in the middle of a row, in {place}: it was cut off there. Save or upload it whole.",
        NEVER_CLOSED: "A quotation mark in {place} opens a cell that is never closed, so that row is set aside. "
        "Correct it in the file, and see whether the file was cut off.",
    }
    first = ", ".join(f"min(line) FILTER (starts_with(reason, {literal(reason)}))" for reason in sentences)
    lines = cursor.execute(f"SELECT {first} FROM import_rejects").fetchone() or ()
    pairs = zip(sentences.values(), lines, strict=False)
    return [sentence.format(place=sniffed.place(line)) for sentence, line in pairs if line is not None]


def _clear_unreadable(
    cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, counts: _JudgedCounts
) -> list[str]:
    """Empty the cells of `import_judged` that cannot be read, and return sentences on them."""
    sentences = []
    for target, (count, example, line) in counts.unreadable.items():
        if not count:
            continue
        cells, verb = ("1 cell", "is") if count == 1 else (f"{thousands(count)} cells", "are")
        sentences.append(
            f'{cells} of "{target.label}" could not be read as a {_CLEARED[target.type]} and {verb} left empty, the '
            f'first in {sniffed.place(line)}: "{str(example)[:60]}".'
        )
        cursor.execute(f"UPDATE import_judged SET {quoted(target.name)} = NULL WHERE NOT {_is_sound(target)}")
    return sentences
