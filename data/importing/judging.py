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
from data.kinds.names import names_of_places
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
    todo: Plan,
    limits: Settings,
    packed: Path | None,
) -> tuple[Plan, ReadingNotes]:
    """Read all cells as text and divide the rows into `import_rows`, in the file `packed` if given, and
    `import_rejects`; returns the plan with the columns that texts are kept in which stand in the place of names."""
    used = {index for target in todo.targets for index in indices(target.source)}
    told = votes.find_stated_columns(sniffed, todo)
    check_cells(text, sniffed, todo, limits)
    raw, faulty = read_raw(cursor, text, sniffed, sorted(used | {one.at for one in told}), limits)
    _create_judged(cursor, todo, raw)
    seen = _JudgedCounts.from_table(cursor, todo)
    empty = missing = 0
    if todo.wide:
        empty = fetch_number(cursor, "SELECT count(*) FROM import_read") * len(todo.wide) - seen.rows
        missing = _count_missing(cursor, todo) if todo.missing else 0
    differing, agreeing = votes.check_stated_columns(cursor, raw, sniffed, todo, told)
    drop_tables(cursor, "read")
    _collect_rejects(cursor, sniffed, todo, faulty, seen.problems > 0)
    counted = todo.counted
    typed = ", ".join(_stored_value(target, todo) for target in todo.targets if target is not counted)
    kept, named_by_text = _text_columns(seen, todo)
    typed = ", ".join([typed, *(f"{_full_text_column(by)} AS {quoted(target.name)}" for by, target in kept)])
    order = " ORDER BY rowid" if todo.numbers_raters or _shares_seconds(todo) else ""
    unreadable = [
        *(_warn_of_truncation(cursor, sniffed) if faulty else ()),
        *_clear_unreadable(cursor, sniffed, seen),
    ]
    judged = "import_judged"
    if counted:
        check_rows(fetch_number(cursor, votes.COUNT_VOTES), limits)
        judged = votes.VOTES_AS_ROWS
        named_by_text += [*agreeing, votes.RANDOM_ORDER_NOTE]
    store_rows(cursor, f'SELECT {typed} FROM {judged} WHERE "@problem" IS NULL{order}', packed)
    drop_tables(cursor, "judged")
    todo = replace(
        todo,
        targets=(*(each for each in todo.targets if each is not counted), *(target for _, target in kept)),
    )
    return todo, ReadingNotes(tuple(named_by_text), (*unreadable, *differing), empty, missing or seen.codes)


@dataclass(frozen=True)
class _JudgedCounts:
    """Numbers of judged rows, of those with a problem and with a missing code; for each target named by texts how many
    there are, and for each that cannot be read everywhere how many cells, the first of them and its line."""

    rows: int
    problems: int
    codes: int
    texts: Mapping[Target, int]
    unreadable: Mapping[Target, tuple[int, str, int]]

    @classmethod
    def from_table(cls, cursor: duckdb.DuckDBPyConnection, todo: Plan) -> "_JudgedCounts":
        """Look through the judged rows once."""
        kept = 'FILTER ("@problem" IS NULL'
        codes = 'count(*) FILTER ("@code")' if todo.missing and not todo.wide else "0"
        figures = ["count(*)", 'count("@problem")', codes]
        texts = [target for target in todo.targets if target.column and target.text_in is not None]
        figures += [f"count(DISTINCT {_full_text_column(target)}) {kept})" for target in texts]
        read = [target for target in todo.targets if not target.filled and target.type in _CLEARED]
        for target in read:
            unsound = f"({quoted(target.name)} IS NULL OR NOT {_is_sound(target)})"
            of_them = f"{kept} AND {text_cell(target)} IS NOT NULL AND {unsound})"
            figures += [f"count(*) {of_them}", f'arg_min({text_cell(target)}, "@line") {of_them}']
            figures += [f'min("@line") {of_them}']
        told = cursor.execute(f"SELECT {', '.join(figures)} FROM import_judged").fetchone() or ()
        rows, problems, code, *others = told
        at = len(texts)
        cells = [(others[one], others[one + 1], others[one + 2]) for one in range(at, len(others), 3)]
        return cls(
            rows, problems, code, dict(zip(texts, others, strict=False)), dict(zip(read, cells, strict=True))
        )


def _is_sound(target: Target) -> str:
    """Return the condition that a typed cell is valid."""
    name = quoted(target.name)
    if target.type == "labels":
        return "TRUE"
    return is_computable(name) if target.type == "number" else f"isfinite({name})"


def _count_missing(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> int:
    """Count the cells of a wide table that hold a missing code."""
    cells = ", ".join(f"c{at}" for at in todo.wide)
    return fetch_number(
        cursor,
        f"""SELECT count(*) FROM (SELECT unnest([{cells}]) AS cell FROM import_read)
        WHERE {missing_sql(trimmed_sql("cell"), todo)}""",
    )


def _full_text_column(target: Target) -> str:
    """Return the column with the full text of an item that is named by its text."""
    return quoted(f"@long {target.name}")


def _text_columns(seen: _JudgedCounts, todo: Plan) -> tuple[list[tuple[Target, Target]], list[str]]:
    """Return which columns name items by their texts, with the column that keeps these where the mapping has none; and
    a sentence on each."""
    kept, said = [], []
    for target, texts in seen.texts.items():
        if not texts or target.column is None or target.text_in is None:
            continue
        column = todo.kind.column(target.text_in)
        if column is not None and not todo.has(column.name):
            kept.append((target, Target(column.name, column.type, target.source, target.label, column)))
            where = f" The text is kept in the column {column.name}."
        else:
            where = f" The column {column.name} stays as it is in the file." if column is not None else ""
        many = texts != 1
        said.append(
            f"{thousands(texts)} {target.column.called}{'s are' if many else ' is'} named by a text of more than "
            f"{thousands(LONGEST_NAME)} characters. {'Each' if many else 'It'} gets an id: the first words of its "
            f"text and a code.{where}"
        )
    return kept, said


def _stored_value(target: Target, todo: Plan) -> str:
    """Return a column as it is stored; seconds of a whole row are divided by its ratings, and the ratings of an item
    are numbered where the file names no raters."""
    name = quoted(target.name)
    repeats = todo.kind.repeats
    if target.source == SLOT and repeats is not None:
        unnamed = replace(repeats, key=tuple(each for each in repeats.key if each != target.name))
        check = ['"check" IS NULL'] if todo.has("check") else []
        same = ", ".join([repeat_key(todo, unnamed), *check])
        return f"'slot ' || row_number() OVER (PARTITION BY {same} ORDER BY rowid) AS {name}"
    shared = target.name == "seconds" and _shares_seconds(todo)
    return f'{name} / count(*) OVER (PARTITION BY "@line") AS {name}' if shared else name


def _shares_seconds(todo: Plan) -> bool:
    """Return True if the seconds of a row are divided by the number of its ratings."""
    return bool(todo.wide) and todo.has("seconds") and todo.switches["@seconds"] == "assignment"


def _source_sql(target: Target, todo: Plan) -> str:
    """Return SQL for a target's cells; a wide table gets a row for each of its columns."""
    if target.of_ends:
        return _tuple_ranks(len(todo.wide))
    if todo.form == LABEL_COLUMNS and target.name == todo.cells:
        return chosen_sql(dict(zip(target.names, (f"c{at}" for at in indices(target.source)), strict=True)))
    if target.source == ROW:
        return "'row ' || (row_number() OVER ())::VARCHAR"
    if target.source == SLOT:
        return "'slot'"  # numbered once it is known which ratings are kept
    if target.source == ALL:
        return "'all'"
    if isinstance(target.source, int):
        return f"c{target.source}"
    if target.joined and indices(target.source) == todo.wide:  # a tuple is the same in any order
        parts = ", ".join(map(_part_column, todo.wide))
        ordered = f"array_to_string(list_sort([{parts}]), {literal(JOINED)})"
        return f"CASE WHEN {joined_sql(map(_part_column, todo.wide))} IS NOT NULL THEN {ordered} END"
    if target.joined:
        return joined_sql(map(_part_column, indices(target.source)))
    texts = [literal(name) for name in target.names] or [f"c{at}" for at in indices(target.source)]
    return f"unnest([{', '.join(texts)}])"


NOT_IN_TUPLE = "best or worst not found"
"""Value of ranks of a tuple whose best and worst are equal or not among its options."""


def _tuple_ranks(options: int) -> str:
    """Return SQL for the ranks of a tuple's options: 1 for the best, 3 for the worst, 2 for the others."""
    told = f'CASE WHEN "@best" IS NULL OR "@worst" IS NULL OR "@best" = "@worst" THEN {literal(NOT_IN_TUPLE)}'
    ranks = (
        f"""{told} WHEN "@best" = {place} THEN '1' WHEN "@worst" = {place} THEN '3' ELSE '2' END"""
        for place in range(1, options + 1)
    )
    return f"unnest([{', '.join(ranks)}])"


def _end_position(end: str, options: Sequence[str], names: Sequence[str]) -> str:
    """Return SQL for the position from 1 of the option that an end names by its text, its column, a number or a letter;
    NULL for none."""
    by_place = " ".join(
        f"WHEN lower({end}) IN ({', '.join(map(literal, sorted(each)))}) THEN {place}"
        for place, each in enumerate(names_of_places(names), 1)
    )
    listed = f"[{', '.join(options)}]"
    return f"CASE WHEN list_contains({listed}, {end}) THEN list_position({listed}, {end}) {by_place} END"


def _part_column(at: int) -> str:
    """Return the column with a trimmed part of a name, or option of a tuple."""
    return f"p{at}"


def _named_part(at: int) -> str:
    return f"{part_sql(at)} AS {_part_column(at)}"


def _create_judged(cursor: duckdb.DuckDBPyConnection, todo: Plan, raw: str) -> None:
    """Create `import_judged`: each row with typed columns, its cells as text, and the number of its first
    problem."""
    cells = [
        'line AS "@line"',
        *(f"{_source_sql(target, todo)} AS {text_cell(target)}" for target in todo.targets),
    ]
    cells.append(f'{f"unnest(range({len(todo.wide)}))" if todo.wide else "0"} AS "@place"')
    trimmed, replaced, added = ['"@line"', '"@place"'], [], []
    parts: dict[int, str] = {}
    ends: list[str] = []
    for target in todo.targets:
        cell = text_cell(target)
        if target.of_ends:
            options = [_part_column(at) for at in todo.wide]
            parts |= {at: _named_part(at) for at in (*todo.wide, *indices(target.source))}
            ends = [
                f"{_end_position(_part_column(at), options, target.names)} AS {end}"
                for end, at in zip(('"@best"', '"@worst"'), indices(target.source), strict=True)
            ]
        if target.joined:
            of_name = indices(target.source)
            parts |= {at: _named_part(at) for at in of_name}
            empty = (f"WHEN {_part_column(at)} IS NULL THEN {nth}" for nth, at in enumerate(of_name))
            cells.append(f'CASE {" ".join(empty)} END AS "@part"')
            trimmed.append('"@part"')
        trimmed.append(f"nullif({cell if target.type == 'free text' else trimmed_sql(cell)}, '') AS {cell}")
        value = f"nullif({mapped_sql(target, cell)}, '')" if target.values else cell
        if todo.missing and target.name == todo.cells:
            code = f"coalesce({missing_sql(cell, todo)}, FALSE)"
            if todo.wide:
                value = f"CASE WHEN NOT {code} THEN {value} END"
            else:
                added.append(f'{code} AS "@code"')
        if target.name == todo.cells and todo.takes_empty_sets:
            value = f"coalesce({value}, {literal(NO_LABELS)})"
        if value != cell:
            replaced.append(f"{value} AS {cell}")
    by_text = [(target, text_cell(target)) for target in todo.targets if target.text_in is not None]
    ids = [
        f"CASE WHEN {is_too_long(cell)} THEN {id_of_text(cell)} ELSE {cell} END AS {cell}"
        for _, cell in by_text
    ]
    long = [
        f"CASE WHEN {is_too_long(cell)} THEN {cell} END AS {_full_text_column(target)}"
        for target, cell in by_text
    ]
    typed = [
        f"{_typed_value(cursor, target, todo)} AS {quoted(target.name)}"
        for target in todo.targets
        if text_cell(target) != quoted(target.name)
    ]
    cases = " ".join(
        f"WHEN {problem.condition} THEN {number}" for number, problem in enumerate(_problems(todo))
    )
    filled = f" WHERE {text_cell(todo.target(todo.cells))} IS NOT NULL" if todo.wide else ""
    rows = raw
    for columns, condition in (  # nested, since DuckDB plans a chain of common table expressions more slowly
        *((_select_list([], named), "") for named in ([*parts.values()], ends) if named),
        (", ".join(cells), ""),
        (", ".join(trimmed), ""),
        (_select_list(replaced, added), ""),
        (_select_list(ids, long), filled),
        (_select_list([], typed), ""),
    ):
        rows = f"(SELECT {columns} FROM {rows}{condition})"
    cursor.execute(f'CREATE TEMP TABLE import_judged AS SELECT *, CASE {cases} END AS "@problem" FROM {rows}')
    if todo.set_aside:
        key = repeat_key(todo, todo.set_aside)
        real = 'AND "check" IS NULL' if todo.has("check") else ""
        first = len(_problems(todo)) - len(_repeat_problems(todo))
        others = ", ".join(quoted(name) for name in todo.further_numbers)
        differs = f"row({others}) IS DISTINCT FROM first_value(row({others})) OVER same"
        cursor.execute(
            f"""UPDATE import_judged SET "@problem" = {first} + differs FROM (
                SELECT rowid AS id, row_number() OVER same AS nth,
                    ({differs if todo.set_aside.differing else "0"})::BIGINT AS differs
                FROM import_judged WHERE "@problem" IS NULL {real}
                WINDOW same AS (PARTITION BY {key} ORDER BY rowid)
            ) AS repeated WHERE import_judged.rowid = id AND nth > 1"""
        )


def _select_list(replaced: Sequence[str], added: Sequence[str]) -> str:
    """Return a select list of all columns, with replaced and added ones."""
    return ", ".join([f"* REPLACE ({', '.join(replaced)})" if replaced else "*", *added])


def repeat_key(todo: Plan, repeats: Repeats) -> str:
    """Return the columns that identify a repeat; two options are the same pair in either order."""
    options = todo.compared[1:] if todo.compared else ()
    names = [quoted(name) for name in repeats.key if todo.has(name) and name not in options]
    if options:
        names += [f"{end}({', '.join(options)})" for end in ("least", "greatest")]
    return ", ".join(names)


@dataclass(frozen=True)
class _Problem:
    column: str
    reason: str
    condition: str = "FALSE"


def _problems(todo: Plan) -> list[_Problem]:
    """Return the problems because of which a row is rejected; the first one counts."""
    problems = []
    filled = [column for column in todo.kind.columns if column.filled and todo.has(column.name)]
    for column in sorted(filled, key=lambda column: column.type == "number"):
        target = todo.target(column.name)
        problems.append(
            _Problem(column.name, f"the {column.called} is empty", is_empty(target, text_cell(target)))
        )
    if todo.missing and not todo.wide:
        answer = todo.target(todo.cells)
        problems.append(_Problem(answer.name, f"{_describe(answer)} is a missing code", '"@code"'))
    problems += [
        _Problem(
            target.name,
            f"{_describe(target)} has more than the {thousands(LONGEST_NAME)} characters that a name may have",
            is_too_long(text_cell(target)),
        )
        for target in todo.targets
        if target.holds_names and target.text_in is None
    ]
    for name, words in (("item_id", SUMMARIES if todo.wide else ()), ("rater_id", MEANS)):
        if words and todo.has(name):
            said = matches_word(text_cell(todo.target(name)), words)
            problems.append(_Problem(name, "the row holds means or sums and no rating", said))
    wrong_number = "is not a number"
    if todo.switches["@scores"] == "leading number":
        wrong_number = "does not begin with a number"
    elif todo.switches["@decimal"] == ",":
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
    problems += comparison_problems(todo)
    if todo.switches["@rejected"] == "set aside" and todo.has("status"):
        problems.append(
            _Problem("status", "the assignment was rejected, returned or timed out", f"status {REJECTED}")
        )
    return [*problems, *_repeat_problems(todo)]


def matches_word(cell: str, words: Collection[str]) -> str:
    """Return SQL for a cell that holds one of some words, in any case."""
    return f"lower({cell}) IN ({', '.join(map(literal, sorted(words)))})"


def _describe(target: Target) -> str:
    return f"the {target.column.called}" if target.column else f'the value of "{shorten(target.name, 60)}"'


def comparison_problems(todo: Plan) -> list[_Problem]:
    """Return the problems of rows with a choice between two options."""
    if todo.compared is None:
        return []
    choice, option_a, option_b = todo.compared
    side = side_sql(choice, option_a, option_b, todo.switches["@numbers"])
    return [
        _Problem(option_b, "the two options are the same system", f"{option_a} = {option_b}"),
        _Problem(
            choice, f"the {choice} is none of the two options, both, neither or a tie", f"{side} IS NULL"
        ),
    ]


def _repeat_problems(todo: Plan) -> list[_Problem]:
    """Return the problems of repeated rows, which have no condition on a single row."""
    if todo.set_aside is None:
        return []
    reasons = [todo.set_aside.reason, todo.set_aside.differing]
    return [_Problem(todo.set_aside.column, reason) for reason in reasons if reason]


def _typed_value(cursor: duckdb.DuckDBPyConnection, target: Target, todo: Plan) -> str:
    cell = text_cell(target)
    if target.name == "check":
        return check_value(cell)
    if target.type == "time":
        return _parse_time(cursor, target)
    if target.type in CODED:
        return parse_value(cell, target, todo)
    if target.type != "number":
        return cell
    if target.filled and todo.switches["@scores"] == "leading number":
        cell = f"coalesce(nullif(regexp_extract({cell}, {literal(LEADING_NUMBER)}, 1), ''), {cell})"
    if todo.switches["@decimal"] == ",":
        return f"CASE WHEN NOT contains({cell}, '.') THEN try_cast(replace({cell}, ',', '.') AS DOUBLE) END"
    return f"try_cast({cell} AS DOUBLE)"


def parse_value(cell: str, target: Target, todo: Plan) -> str:
    """Return SQL that parses the word or number in a cell as it is stored, NULL if it is unknown."""
    if target.type == "labels":
        return labels_sql(cell, LIST if todo.form == LABEL_COLUMNS else todo.switches["@separator"])
    if target.type == "answer":
        return answer_sql(cell, todo.switches["@answers"])
    return judgment_sql(cell)


def _parse_time(cursor: duckdb.DuckDBPyConnection, target: Target) -> str:
    """Return the expression that parses most of a column's times: the same for all of them,
    because a mixture of days and months would shuffle the order."""
    forms = [form.format(x="x") for form in _TIME_PARSERS]
    counts = ", ".join(f"count({form})" for form in forms)
    column = f"c{indices(target.source)[0]}"
    readable = cursor.execute(
        f"SELECT {counts} FROM (SELECT trim({column}) AS x FROM import_read WHERE {column} IS NOT NULL LIMIT "
        "10000)"
    ).fetchone()
    assert readable is not None
    best = max(range(len(forms)), key=lambda number: (readable[number], -number))
    return _TIME_PARSERS[best].format(x=text_cell(target))


def _collect_rejects(
    cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, todo: Plan, faulty: bool, judged: bool
) -> None:
    """Create `import_rejects` from the unreadable rows, if any are `faulty`, and the `judged` ones with a problem."""
    sources = []
    if faulty:
        shown = f"coalesce({_shorten_value('value')}, '')"
        sources.append(f"SELECT line, coalesce(place, ''), reason, {shown}, 0 FROM import_faults")
    if judged:
        columns, reasons, values = [], [], []
        for number, problem in enumerate(_problems(todo)):
            target = todo.target(problem.column)
            columns.append(f"WHEN {number} THEN {_source_column(target, sniffed, todo)}")
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


def _source_column(target: Target, sniffed: Sniffed, todo: Plan) -> str:
    """Return SQL for the file's column of a value; in wide tables it depends on the place."""
    if isinstance(target.source, int):
        return literal(sniffed.names[target.source])
    if isinstance(target.source, str):
        return "''"
    if target.of_ends:
        return literal(JOINED.join(sniffed.names[at] for at in indices(target.source)))
    if target.joined:
        parts = [sniffed.names[at] for at in indices(target.source)]
        cases = " ".join(f"WHEN {nth} THEN {literal(name)}" for nth, name in enumerate(parts))
        return f'CASE "@part" {cases} ELSE {literal(JOINED.join(parts))} END'
    names = [sniffed.names[index] for index in (indices(target.source) or todo.wide)]
    return f'[{", ".join(literal(name) for name in names)}]["@place" + 1]'


def _warn_of_truncation(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed) -> list[str]:
    """Return sentences on rows that are truncated by the end of a file."""
    told = {
        CUT: "The file ends in the middle of a row, in {place}: it was cut off there. Save or upload it whole.",
        NEVER_CLOSED: "A quotation mark in {place} opens a cell that is never closed, so that row is set aside. Mend "
        "it in the file, and see whether the file was cut off.",
    }
    first = ", ".join(f"min(line) FILTER (starts_with(reason, {literal(reason)}))" for reason in told)
    lines = cursor.execute(f"SELECT {first} FROM import_rejects").fetchone() or ()
    found = zip(told.values(), lines, strict=False)
    return [sentence.format(place=sniffed.place(line)) for sentence, line in found if line is not None]


def _clear_unreadable(cursor: duckdb.DuckDBPyConnection, sniffed: Sniffed, seen: _JudgedCounts) -> list[str]:
    """Empty the cells of `import_judged` that cannot be read, and return sentences on them."""
    said = []
    for target, (count, example, line) in seen.unreadable.items():
        if not count:
            continue
        cells, are = ("1 cell", "is") if count == 1 else (f"{thousands(count)} cells", "are")
        said.append(
            f'{cells} of "{target.label}" could not be read as a {_CLEARED[target.type]} and {are} left empty, the '
            f'first in {sniffed.place(line)}: "{str(example)[:60]}".'
        )
        cursor.execute(f"UPDATE import_judged SET {quoted(target.name)} = NULL WHERE NOT {_is_sound(target)}")
    return said
