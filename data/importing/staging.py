# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts by `literal`; values are parameters
"""Convert a file with its mapping to a file of typed rows, with a report that accounts for every row.

There are two ways. The fast one (`typed_reading`) lets the database read the file with the right types and checks the
result in a few aggregates; it is tried for long tables, and its result is used only if every row is valid. Otherwise
the file is read again as text and every cell is validated (`judging`).

Rows are validated in temporary tables of any DuckDB connection and written to a file in their order, with the report
next to it: what was checked is what is saved. If there are many, they are written as they are read, and only once more
when they are saved, sorted for better compression; their position in the file is stored as `row`. Reading does not need
the store, so a server reads in another process (`data.isolation`).
"""

import csv
import hashlib
import json
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from data.engines.schema import literal, quoted, restrict_engine
from data.errors import BadMapping, listed
from data.export import neutralize
from data.formats.readers import as_table
from data.importing.cells import drop_tables, explain_full_disk, fetch_number, write_parquet
from data.importing.delimited_reading import check_lines, check_names
from data.importing.judging import read_and_judge
from data.importing.report import ImportReport, ReadingNotes, as_json, create_report, from_json
from data.importing.typed_reading import can_read_typed, read_typed
from data.importing.warning_signs.wording import doubts_of_reading
from data.kinds.definitions import kind_named
from data.kinds.studies import CHOICES, LABEL_SETS
from data.mapping.plan import VALUES, FileMapping, Plan, plan
from data.settings import Settings, from_environment
from data.tables.sniffed import Sniffed
from data.tables.text import LARGE, Text, cached_by_path, check_rows


def share_seconds(cursor: duckdb.DuckDBPyConnection) -> None:
    """Divide the seconds in `import_rows` by the number of consecutive rows of a rater that share them."""
    cursor.execute(
        """CREATE TEMP TABLE import_shared AS
        WITH changes AS (SELECT rowid AS id, rater_id,
            (seconds IS DISTINCT FROM lag(seconds) OVER (PARTITION BY rater_id ORDER BY rowid))::BIGINT AS changes
            FROM import_rows WHERE seconds IS NOT NULL),
        stretches AS (SELECT id, rater_id, sum(changes) OVER (PARTITION BY rater_id ORDER BY id) AS stretch
            FROM changes)
        SELECT id, count(*) OVER (PARTITION BY rater_id, stretch) AS ratings FROM stretches"""
    )
    cursor.execute(
        "UPDATE import_rows SET seconds = seconds / ratings FROM import_shared WHERE import_rows.rowid = id"
    )
    drop_tables(cursor, "shared")


ProgressCallback = Callable[[float, str], object]
"""Function that is called with the completed share of the reading and the current step."""

IMPORTER_VERSION = 28
"""Increased whenever the same file and mapping would give other rows than before."""
MIN_PACKED_ROWS = 1_000_000
"""Rows from which they are kept in a compressed file: in memory they would take ten times the space, and reading them
again would take five times as long."""
_MAX_LISTED = 5
"""Maximum of labels and gold answers that an error message lists."""
_FEW_VALUES = ("measure", "design", "rater_group")
ROWS_PER_INSERT = 1 << 20
"""Rows that are sorted in memory together if the file is almost in the right order."""
_CHUNK_SIZE = 1 << 23
"""Bytes that are hashed at a time without the interpreter lock, which the thread that reads the file needs."""
_ROWS_TO_INSPECT = 1_000_000
"""Rows that are inspected to see if the rows of an item are consecutive."""


def ignore_progress(done: float, activity: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Staged:
    """Typed rows of a file in a Parquet file at `path`, the columns to be saved, and the import report."""

    path: Path
    kind: str
    columns: tuple[str, ...]
    report: ImportReport

    @property
    def rows(self) -> str:
        """Return the relation of the rows with their place in the file (`row`)."""
        return f"({self._select()})"

    def save(self, cursor: duckdb.DuckDBPyConnection, table: str) -> bool:
        """Create `table` with the rows and their place in the file (`row`), in the caller's transaction; return True if
        the rows of an item are consecutive in the file.

        Where the items follow each other in the file, rows that share most are brought together among some at a time:
        these fit into memory, and what is asked of one measure and group still leaves most blocks out.
        """
        if self.report.kept == 0:
            row = kind_named(self.kind).row
            raise BadMapping(f"no {row} can be kept from this file; the report says why for each row")
        grouping, items = (
            [quoted(name) for name in names if name in self.columns]
            for names in (_FEW_VALUES, kind_named(self.kind).item)
        )
        first = f"hash({', '.join(grouping)}) >> 48 << 48" if grouping else "0::UBIGINT"
        if items and not self._items_are_grouped(cursor, items):
            key = f"({first}) | (hash({', '.join(items)}) >> 16), file_row_number"
            cursor.execute(f"CREATE TABLE {table} AS {self._select()} ORDER BY {key}")
            return False
        ordered = f"ORDER BY ({first}) | file_row_number::UBIGINT" if grouping else ""
        for start in range(0, self.report.kept + self.report.check_rows, ROWS_PER_INSERT):
            part = self._select(
                f"WHERE file_row_number BETWEEN {start} AND {start + ROWS_PER_INSERT - 1} {ordered}"
            )
            cursor.execute(f"INSERT INTO {table} {part}" if start else f"CREATE TABLE {table} AS {part}")
        return True

    def _items_are_grouped(self, cursor: duckdb.DuckDBPyConnection, items: Sequence[str]) -> bool:
        """Return True if the rows of an item are mostly consecutive in the beginning of the file."""
        item = f"hash({', '.join(items)})"
        runs, distinct = cursor.execute(
            f"""SELECT count(*) FILTER (begins), count(DISTINCT item) FROM (
                SELECT {item} AS item, {item} IS DISTINCT FROM lag({item}) OVER () AS begins
                FROM {self._relation()} WHERE file_row_number < {_ROWS_TO_INSPECT})"""
        ).fetchone() or (0, 0)
        return bool(runs <= 2 * distinct)

    def _select(self, clause: str = "") -> str:
        columns = ", ".join(quoted(column) for column in self.columns)
        return f'SELECT file_row_number + 1 AS "row", {columns} FROM {self._relation()} {clause}'

    def _relation(self) -> str:
        return f"read_parquet({literal(self.path)}, file_row_number=true)"


def hash_file(path: Path) -> "hashlib._Hash":
    """Return the SHA-256 of a file's bytes; update only a copy of it."""

    def compute() -> "hashlib._Hash":
        digest, buffer = hashlib.sha256(), bytearray(_CHUNK_SIZE)
        with path.open("rb", buffering=0) as content:
            while size := content.readinto(buffer):
                digest.update(memoryview(buffer)[:size])
        return digest

    return cached_by_path(path, "digest", compute)


@contextmanager
def hash_in_background(path: Path) -> Iterator[None]:
    """Compute the hash of a large file in a thread while its body runs on another processor."""
    thread = threading.Thread(target=_hash_if_large, args=[path])
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _hash_if_large(path: Path) -> None:
    with suppress(OSError):  # the next reader raises the error
        if path.stat().st_size >= LARGE:
            hash_file(path)


def import_hash(path: Path, kind: str, mapping: FileMapping) -> str:
    """Return the hash of everything that a file's rows depend on: bytes, kind, mapping and importer version."""
    digest = hash_file(path).copy()
    digest.update(json.dumps([kind, dict(mapping), IMPORTER_VERSION]).encode())
    return digest.hexdigest()


def stage(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    target: Path,
    sha256: str,
    limits: Settings | None = None,
    tell: ProgressCallback = ignore_progress,
) -> Staged:
    """Read and validate a file, and write its rows to `target`, with the report and the hash of their source next to
    it.

    The connection must be allowed to read the folder of `path`, where decoded copies are written too, and to write that
    of `target`, which must be a new path: DuckDB caches files by their path. It is faster outside a transaction.
    """
    with _judge_file(cursor, path, kind, mapping, limits or from_environment(), tell) as judged:
        tell(0.9, "writing the rows")
        if judged.packed:
            judged.packed.rename(target)
        else:
            write_parquet(cursor, "SELECT * FROM import_rows", target)
    staged = Staged(target, kind, judged.columns, judged.report)
    stored = {
        "sha256": sha256,
        "rows": _fingerprint(target),
        "columns": staged.columns,
        "report": as_json(staged.report),
    }
    with explain_full_disk(target):
        report_path(target).write_text(json.dumps(stored), encoding="utf-8")
    return staged


def report_path(rows: Path) -> Path:
    """Return the path of the report on staged rows."""
    return rows.with_suffix(".json")


def _fingerprint(rows: Path) -> list[int]:
    """Return size and time of a file of staged rows, which differ if it is another or an incomplete one."""
    status = rows.stat()
    return [status.st_size, status.st_mtime_ns]


def reopen_staged(path: Path, kind: str, sha256: str) -> Staged | None:
    """Return the rows that `stage` wrote to `path` earlier, None if they are incomplete or have another source."""
    try:
        stored = json.loads(report_path(path).read_bytes())
        if stored["sha256"] != sha256 or stored["rows"] != _fingerprint(path):
            return None
        return Staged(path, kind, tuple(stored["columns"]), from_json(stored["report"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


_FEW_LINES = 1000
"""Number of lines below which optimizing a query takes longer than running it."""


@dataclass(frozen=True)
class ReadRows:
    """Source of the rows in `import_rows` and `import_rejects`, remarks made while reading, and the file with the rows
    if there are many."""

    plan: Plan
    sniffed: Sniffed
    notes: ReadingNotes
    packed: Path | None


@contextmanager
def read_rows(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    limits: Settings,
    tell: ProgressCallback = ignore_progress,
) -> Iterator[ReadRows]:
    """Read a file's rows as its mapping says into the temporary tables `import_rows` and `import_rejects`.

    Decoded copies are written to the folder of `path`.
    """
    packed = path.with_name(f"{secrets.token_hex(8)}.read")
    try:
        tell(0.0, "unpacking")
        with as_table(path, path.parent, mapping, limits) as (text, sniffed):
            tell(0.2, "reading every row")
            is_short = text.lines < _FEW_LINES
            if is_short:
                cursor.execute("PRAGMA disable_optimizer")
            read = read_table(cursor, text, sniffed, plan(kind, mapping, sniffed), limits, packed)
        try:
            yield read
        finally:
            with suppress(duckdb.Error):
                drop_tables(cursor, packed=read.packed)
                if is_short:
                    cursor.execute("PRAGMA enable_optimizer")
    finally:
        packed.unlink(missing_ok=True)


def read_table(
    cursor: duckdb.DuckDBPyConnection,
    text: Text,
    sniffed: Sniffed,
    import_plan: Plan,
    limits: Settings,
    packed: Path,
) -> ReadRows:
    """Read a table's rows into the temporary tables `import_rows` and `import_rejects`, many into the file `packed`."""
    check_lines(text, sniffed, limits)
    notes = ReadingNotes()
    shared = (
        import_plan.switches["@seconds"] == "assignment"
        and import_plan.has("seconds")
        and not import_plan.wide
    )
    is_large = (text.lines - sniffed.before) * max(
        len(import_plan.wide), 1
    ) >= MIN_PACKED_ROWS or import_plan.counted is not None
    target = packed if is_large and not shared else None
    try:
        if not (
            can_read_typed(import_plan, text, sniffed)
            and read_typed(cursor, text, sniffed, import_plan, target)
        ):
            packed.unlink(missing_ok=True)
            import_plan, notes = read_and_judge(cursor, text.whole(), sniffed, import_plan, limits, target)
        if shared:
            share_seconds(cursor)
    except BaseException:
        with suppress(duckdb.Error):
            drop_tables(cursor, packed=target)
        raise
    return ReadRows(import_plan, sniffed, notes, target)


@dataclass(frozen=True)
class _JudgedFile:
    """Stored columns of `import_rows`, the report, the first look at the file, and the file with the rows if there are
    many."""

    columns: tuple[str, ...]
    report: ImportReport
    sniffed: Sniffed
    packed: Path | None


@contextmanager
def _judge_file(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    limits: Settings,
    tell: ProgressCallback = ignore_progress,
) -> Iterator[_JudgedFile]:
    """Yield a file's rows in `import_rows` and `import_rejects` with their report."""
    with read_rows(cursor, path, kind, mapping, limits, tell) as rows:
        tell(0.7, "looking at what was read")
        import_plan = rows.plan
        left_out = _find_unstored_columns(cursor, import_plan)
        row_count = fetch_number(cursor, "SELECT count(*) FROM import_rows")
        check_rows(row_count + fetch_number(cursor, "SELECT count(*) FROM import_rejects"), limits)
        check_names(cursor, import_plan, limits)
        if row_count and import_plan.kind.needs_further and len(left_out) == len(import_plan.further_numbers):
            raise BadMapping(
                f"a table of {import_plan.kind.name} needs at least one column of numbers, but no row that can be "
                f"kept has a number in {listed(import_plan.further_numbers)}; choose other columns"
            )
        _check_gold(cursor, import_plan)
        columns = tuple(target.name for target in import_plan.targets if target.name not in left_out)
        doubts = tuple(doubts_of_reading(rows.sniffed, kind, mapping))
        report = create_report(cursor, rows.sniffed, import_plan, left_out, rows.notes, doubts)
        yield _JudgedFile(columns, report, rows.sniffed, rows.packed)


def _check_gold(cursor: duckdb.DuckDBPyConnection, import_plan: Plan) -> None:
    """Refuse labels that share no value with the gold answers: their accuracy would be 0."""
    if import_plan.kind not in (CHOICES, LABEL_SETS) or import_plan.compared or not import_plan.has("gold"):
        return
    label_query, gold_query = (
        f"SELECT unnest(json_extract_string({name}, '$[*]')) AS label FROM import_rows WHERE {name} IS NOT NULL"
        if import_plan.kind is LABEL_SETS
        else f"SELECT {name} AS label FROM import_rows WHERE {name} IS NOT NULL"
        for name in (import_plan.kind.cells, "gold")
    )
    if fetch_number(cursor, f"SELECT count(*) FROM ({label_query} INTERSECT {gold_query})"):
        return
    labels, gold = (
        [
            row[0]
            for row in cursor.execute(
                f"SELECT DISTINCT label FROM ({query}) ORDER BY 1 LIMIT {_MAX_LISTED + 1}"
            ).fetchall()
        ]
        for query in (label_query, gold_query)
    )
    if len(gold) > 1 and len(labels) > 1:
        reason = f"the labels ({_list_some(labels)}) and the gold answers ({_list_some(gold)}) share no value"
        if import_plan.kind is LABEL_SETS:
            raise BadMapping(f"{reason}; write both alike in the file, or leave the gold column out")
        raise BadMapping(
            f"{reason}; say which label each gold answer is (the table of values, or '{VALUES}gold' in the mapping), "
            "or leave the gold column out",
            on_page=f"{reason}. Say below which label each gold answer becomes, or do not use the column of gold "
            "answers",
        )


def _list_some(values: list[str]) -> str:
    return listed([value[:40] for value in values[:_MAX_LISTED]]) + (
        " …" if len(values) > _MAX_LISTED else ""
    )


def rejects_csv(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    limits: Settings | None = None,
) -> Iterator[bytes]:
    """Read a file again and yield all rejected rows as CSV, in pieces, with formulas neutralized."""
    with _judge_file(cursor, path, kind, mapping, limits or from_environment()) as judged:
        yield (b"file," if judged.sniffed.starts else b"") + b"line,column,reason,value\r\n"
        rejected = cursor.execute(
            'SELECT line, "column", reason, value FROM import_rejects ORDER BY line, place'
        )
        while batch := rejected.fetchmany(10_000):
            lines = _Lines()
            csv.writer(lines).writerows(
                [neutralize(cell) for cell in (*_file_and_line(judged.sniffed, row[0]), *row[1:])]
                for row in batch
            )
            yield "".join(lines).encode()


def _file_and_line(sniffed: Sniffed, line: int) -> tuple[object, ...]:
    return sniffed.file_and_line(line) if sniffed.starts else (line,)


class _Lines(list[str]):
    write = list.append


def _find_unstored_columns(cursor: duckdb.DuckDBPyConnection, import_plan: Plan) -> Mapping[str, str]:
    """Return further columns that are not one number per item, so that they are not stored, with the reasons."""
    extra = import_plan.further_numbers
    if not extra:
        return {}
    unit = import_plan.kind.numbered
    if import_plan.wide and import_plan.kind.forms[import_plan.form] in import_plan.kind.numbers_of:
        return dict.fromkeys(extra, f"stands beside all {unit}s of a row, so it is no number of one {unit}")
    ranges = ", ".join(
        f"min({quoted(name)}) AS low{number}, max({quoted(name)}) AS high{number}"
        for number, name in enumerate(extra)
    )
    differ = ", ".join(f"bool_or(low{number} <> high{number})" for number in range(len(extra)))
    differing = cursor.execute(
        f"SELECT {differ} FROM (SELECT {ranges} FROM import_rows GROUP BY {', '.join(import_plan.kind.numbers_of)})"
    ).fetchone()
    assert differing is not None
    reasons = {None: "holds no number", True: f"differs within {unit}s, so it is no number of the {unit}"}
    return {
        name: reasons[differs] for name, differs in zip(extra, differing, strict=True) if differs is not False
    }


_MEMORY, _MEMORY_PER_COLUMN = 100 * 10**6, 400_000
"""Memory for the preview in bytes: at least, and for each column of the table."""
_FURTHER = ("rater_group", "system", "topic", "measure", "design", "weight")
"""Columns that distinguish ratings of the same item and rater, or complete a name."""


@dataclass(frozen=True)
class Preview:
    """First ratings, or other rows, as they would be saved.

    columns : canonical names, the required ones first
    rows : cells as texts, for as many rows as were asked for
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def preview(sniffed: Sniffed, kind: str, mapping: FileMapping, most: int = 5) -> Preview:
    """Import the few rows that a look at the file keeps, as the whole file would be imported.

    Raises
    ------
    BadMapping
        where the mapping does not fit the file.
    """
    import_plan, limits = plan(kind, mapping, sniffed), from_environment()
    declared = import_plan.kind
    names = [
        name for name in (*declared.required, *_FURTHER) if import_plan.has(name) and name != declared.cells
    ]
    names += [declared.cells] if declared.cells and import_plan.has(declared.cells) else []
    if declared.compared and import_plan.compared:
        names += [name for name in declared.compared[1:] if name not in names]
    limits.spool.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=limits.spool, ignore_cleanup_errors=True) as folder,
        duckdb.connect(":memory:") as connection,
    ):
        memory = max(_MEMORY, _MEMORY_PER_COLUMN * len(sniffed.columns))
        restrict_engine(connection, [folder], str(Path(folder, "spilled")), memory, threads=1)
        path = Path(folder, "first.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            width = len(
                sniffed.columns
            )  # in the table that a format makes, the line of the file comes after it
            rows = [row[:width] for row in sniffed.first]
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        text = Text(path, "utf-8", len(sniffed.first), regular=True, quoted=True)
        table = replace(sniffed, delimiter=",", before=0, regular=True, short_by=0, starts=(), files=())
        cursor = connection.cursor()
        read_and_judge(cursor, text, table, import_plan, limits, None)
        texts = ", ".join(_as_text_sql(name) for name in dict.fromkeys(names))
        preview_rows = cursor.execute(f"SELECT {texts} FROM import_rows LIMIT {most}").fetchall()
    return Preview(
        tuple(dict.fromkeys(names)), tuple(tuple(str(cell) for cell in row) for row in preview_rows)
    )


def _as_text_sql(name: str) -> str:
    """Return SQL for a cell as text, with whole numbers without a decimal point."""
    cell = f"coalesce({quoted(name)}::VARCHAR, '')"
    return f"regexp_replace({cell}, '^(-?\\d+)\\.0$', '\\1')"
