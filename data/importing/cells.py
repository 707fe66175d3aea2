# ruff: noqa: S608 - identifiers are quoted by `quoted`, texts by `literal`
"""SQL for cells of a file, and the temporary tables of an import."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from data.engines.schema import literal, quoted
from data.errors import DiskFull
from data.kinds.kind import LONGEST_NAME
from data.mapping.plan import FALSE_CHECKS, JOINED, Plan, Source, Target
from data.settings import variable_of

_WHITE_SPACE = "".join(c for c in map(chr, range(0x3001)) if c.isspace())
_BEGINS, _CODE = 40, 32
"""Characters of a text, and of its hash, in the id that is made of it."""
_TEMPORARY = ("rows", "read", "faults", "judged", "rejects", "shared")


def fetch_number(cursor: duckdb.DuckDBPyConnection, statement: str) -> int:
    row = cursor.execute(statement).fetchone()
    return int(row[0]) if row else 0


def drop_tables(cursor: duckdb.DuckDBPyConnection, *tables: str, packed: Path | None = None) -> None:
    """Drop these temporary tables, by default all; for rows in a file `packed`, the view."""
    statements = (
        f"DROP {'VIEW' if packed and table == 'rows' else 'TABLE'} IF EXISTS temp.import_{table}"
        for table in tables or _TEMPORARY
    )
    cursor.execute("; ".join(statements))


def write_parquet(
    cursor: duckdb.DuckDBPyConnection, rows: str, target: Path, values: Mapping[str, object] | None = None
) -> None:
    """Write rows to a Parquet file in their order."""
    with explain_full_disk(target):
        cursor.execute(f"COPY ({rows}) TO {literal(target)} (FORMAT parquet, COMPRESSION lz4_raw)", values)


def store_rows(
    cursor: duckdb.DuckDBPyConnection,
    rows: str,
    packed: Path | None,
    values: Mapping[str, object] | None = None,
) -> None:
    """Create `import_rows` as a table, or as a view of the file `packed`."""
    if packed is None:
        cursor.execute(f"CREATE TEMP TABLE import_rows AS {rows}", values)
        return
    write_parquet(cursor, rows, packed, values)
    cursor.execute(
        "CREATE TEMP VIEW import_rows AS SELECT * RENAME (file_row_number AS rowid) "
        f"FROM read_parquet({literal(packed)}, file_row_number=true)"
    )


def make_rejects(cursor: duckdb.DuckDBPyConnection, rows: str = "") -> None:
    """Create `import_rejects`: line, column, reason, value and place of rejected rows, empty by default."""
    columns = 'line BIGINT, "column" VARCHAR, reason VARCHAR, value VARCHAR, place BIGINT'
    cursor.execute(f"CREATE TEMP TABLE import_rejects ({columns})")
    if rows:
        cursor.execute(f"INSERT INTO import_rejects {rows}")


@contextmanager
def explain_full_disk(target: Path) -> Iterator[None]:
    """Raise the error of a full disk as a `DataError` that visitors understand."""
    try:
        yield
    except (duckdb.IOException, OSError) as error:
        raise DiskFull(
            f"there is no room in {target.parent} for the rows of this file; make room, or set "
            f"{variable_of('spool')} to a folder on another disk"
        ) from error


def index(source: Source) -> int:
    return indices(source)[0]


def indices(source: Source) -> tuple[int, ...]:
    if isinstance(source, int):
        return (source,)
    return source if isinstance(source, tuple) else ()


def is_empty(target: Target, cell: str) -> str:
    """Return the condition that a cell is empty: ids are already trimmed, texts may be only white space."""
    return f"coalesce({trimmed_sql(cell)}, '') = ''" if target.type == "free text" else f"{cell} IS NULL"


MAX_NUMBER = 1e75
"""Maximum absolute value of a number; some statistics need fourth powers."""


def is_computable(cell: str) -> str:
    """Return the condition that a number is finite and small enough for finite statistics."""
    return f"abs({cell}) <= {MAX_NUMBER:g}"


def text_cell(target: Target) -> str:
    """Return the column with a target's cells as text; no column of a file can have such a name."""
    is_text = target.type in ("text", "free text") and target.name != "check"
    return quoted(target.name if is_text else f"@text of {target.name}")


_TRIMMED = "[!-~](?s:.*[!-~])?"
"""Text that begins and ends with plain ASCII."""


def trimmed_sql(cell: str) -> str:
    """Return a trimmed cell; the slow `trim` is used only for cells that do not begin and end with plain ASCII."""
    is_trimmed = f"regexp_full_match({cell}, {literal(_TRIMMED)})"
    return f"CASE WHEN {is_trimmed} THEN {cell} ELSE trim({cell}, {literal(_WHITE_SPACE)}) END"


def part_sql(column: int) -> str:
    """Return a column of the file as a part of a name: trimmed, NULL if empty."""
    return f"nullif({trimmed_sql(f'c{column}')}, '')"


def joined_sql(parts: Iterable[str]) -> str:
    """Return the name joined from these cells, NULL if one of them is empty."""
    return f" || {literal(JOINED)} || ".join(parts)


def missing_sql(cell: str, plan: Plan) -> str:
    """Return the condition that a trimmed cell is a missing code, or the same number as one."""
    texts = ", ".join(f"lower({literal(text)})" for text in plan.missing)
    number = f"replace({cell}, ',', '.')" if plan.switches["@decimal"] == "," else cell
    numbers = is_one_of(f"try_cast({number} AS DOUBLE)", plan.missing_numbers)
    return f"(lower({cell}) IN ({texts}) OR {numbers})"


def is_one_of(number: str, numbers: Iterable[float]) -> str:
    """Return the condition that a number is one of these; never NULL."""
    listed = ", ".join(f"{value!r}::DOUBLE" for value in numbers)
    return f"coalesce({number} IN ({listed}), FALSE)" if listed else "FALSE"


def mapped_sql(target: Target, cell: str) -> str:
    """Return the mapped value of a trimmed cell, ignoring case; unmapped values stay as they are."""
    if not target.values:
        return cell
    cases = " ".join(f"WHEN lower({literal(word)}) THEN {literal(value)}" for word, value in target.values)
    return f"CASE lower({cell}) {cases} ELSE {cell} END"


def is_too_long(name: str) -> str:
    """Return the condition that a text has more characters than a name may have; its bytes are checked first."""
    return f"(strlen({name}) > {LONGEST_NAME} AND length({name}) > {LONGEST_NAME})"


def id_of_text(text: str) -> str:
    """Return the id of an item that is named by a text: its beginning and a hash."""
    begins = f"left(trim(regexp_replace(left({text}, 200), '\\s+', ' ', 'g')), {_BEGINS})"
    return f"rtrim({begins}) || '… ' || left(sha256({text}), {_CODE})"


def check_value(cell: str) -> str:
    """Return the value of a check column, NULL if it says 'no'."""
    return f"CASE WHEN lower({cell}) NOT IN ({', '.join(literal(word) for word in FALSE_CHECKS)}) THEN {cell} END"
