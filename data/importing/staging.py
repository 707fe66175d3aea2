# ruff: noqa: S608 - identifiers are ours or quoted by `quoted`, texts by `literal`; values are parameters
"""From a file and a mapping to a file of typed rows, with a report that accounts for every row.

Two ways lead there. The fast one (`typed_reading`) lets the database read the file with the right types and looks at
the result in a few aggregates; it is taken for long tables and kept only if nothing at all is wrong. Otherwise the
file is read once more as text and every cell is judged (`judging`).

Rows are judged in temporary tables of any connection to DuckDB and end in their own file, in their order, with
the report beside it: what was checked is what is saved. Many rows are written there as they are read, and never again
until they are saved, sorted so that they take little room; their place in the file is kept as `row`. Reading needs
nothing of the store: a server has it done in another process (`data.isolation`).
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

from data.engines.schema import literal, lock_down, quoted
from data.errors import BadMapping, listed
from data.export import neutral
from data.formats.readers import as_table
from data.importing.cells import drop_tables, one_number, pack, room_for
from data.importing.delimited_reading import check_lines, check_names
from data.importing.judging import read_and_judge
from data.importing.report import ImportReport, ReadingNotes, as_json, from_json, report_of
from data.importing.typed_reading import may_be_fast, read_typed
from data.importing.warning_signs.wording import doubts_of_reading
from data.kinds.definitions import kind_named
from data.kinds.studies import CHOICES, LABEL_SETS
from data.mapping.plan import VALUES, FileMapping, Plan, plan
from data.settings import Settings, from_environment
from data.tables.sniffed import Sniffed
from data.tables.text import LARGE, Text, check_rows, once


def share_seconds(cursor: duckdb.DuckDBPyConnection) -> None:
    """Divides the seconds in `import_rows` by the number of a rater's rows, one after the other, that share them."""
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


Tell = Callable[[float, str], object]
"""What hears the share of the reading that is done, and what is being done."""

IMPORTER_VERSION = 16
"""Raised whenever the same file and mapping would give other rows than before."""
PACKED_FROM = 1_000_000
"""Rows from which what was read waits in a packed file: in memory they would take ten times the room, and looking at
them again five times as long."""
_NAMED = 5
"""Labels and gold answers that a sentence names."""
_FEW_VALUES = ("measure", "design", "rater_group")
AT_ONCE = 1 << 20
"""Rows that are sorted in memory together, where they lie in the file almost as they are to lie."""
_PIECE = 1 << 23
"""Bytes that are hashed between two waits for the interpreter, which looks through the same file meanwhile."""
_IN_TURN_AMONG = 1_000_000
"""Rows in which it is seen whether items follow each other."""


def quietly(done: float, doing: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Staged:
    """A file's rows in a Parquet file at `path`, the columns of them that will be saved, and the report about all."""

    path: Path
    kind: str
    columns: tuple[str, ...]
    report: ImportReport

    @property
    def rows(self) -> str:
        """Return what a statement reads the rows and their place in the file (`row`) from."""
        return f"({self._selected()})"

    def save(self, cursor: duckdb.DuckDBPyConnection, table: str) -> bool:
        """Creates `table` with the rows and their place in the file (`row`), in the caller's transaction; whether the
        rows of an item follow each other in the file.

        Where the items follow each other in the file, rows that share most are brought together among some at a time:
        these fit into memory, and what is asked of one measure and group still leaves most blocks out.
        """
        if self.report.kept == 0:
            row = kind_named(self.kind).row
            raise BadMapping(f"no {row} can be kept from this file; the report says why for each row")
        few, items = (
            [quoted(name) for name in names if name in self.columns]
            for names in (_FEW_VALUES, kind_named(self.kind).item)
        )
        first = f"hash({', '.join(few)}) >> 48 << 48" if few else "0::UBIGINT"
        if items and not self._in_turn(cursor, items):
            key = f"({first}) | (hash({', '.join(items)}) >> 16), file_row_number"
            cursor.execute(f"CREATE TABLE {table} AS {self._selected()} ORDER BY {key}")
            return False
        ordered = f"ORDER BY ({first}) | file_row_number::UBIGINT" if few else ""
        for begin in range(0, self.report.kept + self.report.check_rows, AT_ONCE):
            part = self._selected(
                f"WHERE file_row_number BETWEEN {begin} AND {begin + AT_ONCE - 1} {ordered}"
            )
            cursor.execute(f"INSERT INTO {table} {part}" if begin else f"CREATE TABLE {table} AS {part}")
        return True

    def _in_turn(self, cursor: duckdb.DuckDBPyConnection, items: Sequence[str]) -> bool:
        """True where the rows of an item mostly follow each other in the file, as far as its beginning shows."""
        item = f"hash({', '.join(items)})"
        runs, distinct = cursor.execute(
            f"""SELECT count(*) FILTER (begins), count(DISTINCT item) FROM (
                SELECT {item} AS item, {item} IS DISTINCT FROM lag({item}) OVER () AS begins
                FROM {self._numbered()} WHERE file_row_number < {_IN_TURN_AMONG})"""
        ).fetchone() or (0, 0)
        return bool(runs <= 2 * distinct)

    def _selected(self, which: str = "") -> str:
        chosen = ", ".join(quoted(column) for column in self.columns)
        return f'SELECT file_row_number + 1 AS "row", {chosen} FROM {self._numbered()} {which}'

    def _numbered(self) -> str:
        return f"read_parquet({literal(self.path)}, file_row_number=true)"


def digest_of(path: Path) -> "hashlib._Hash":
    """The SHA-256 of a file's bytes, to which more can be added in a copy."""

    def look() -> "hashlib._Hash":
        digest, piece = hashlib.sha256(), bytearray(_PIECE)
        with path.open("rb", buffering=0) as content:
            while size := content.readinto(piece):
                digest.update(memoryview(piece)[:size])
        return digest

    return once(path, "digest", look)


@contextmanager
def digested_beside(path: Path) -> Iterator[None]:
    """Makes the hash of a large file's bytes while something else is done with it by one processor."""
    beside = threading.Thread(target=_digest_if_large, args=[path])
    beside.start()
    try:
        yield
    finally:
        beside.join()


def _digest_if_large(path: Path) -> None:
    with suppress(OSError):  # who reads it next says so
        if path.stat().st_size >= LARGE:
            digest_of(path)


def sha256_of(path: Path, kind: str, mapping: FileMapping) -> str:
    """Return what a file's rows depend on, in one hash: its bytes, kind, mapping and the importer's version."""
    digest = digest_of(path).copy()
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
    tell: Tell = quietly,
) -> Staged:
    """Reads and judges a file and writes its rows to `target`; beside them the report and the hash of what made them.

    Any connection will do that may read the folder of `path`, where decoded copies are written too, and write that of
    `target`, which must be a separate path: DuckDB remembers files by their path. Outside a transaction it is faster.
    """
    with _judged(cursor, path, kind, mapping, limits or from_environment(), tell) as judged:
        tell(0.9, "writing the rows")
        if judged.packed:
            judged.packed.rename(target)
        else:
            pack(cursor, "SELECT * FROM import_rows", target)
    staged = Staged(target, kind, judged.columns, judged.report)
    told = {
        "sha256": sha256,
        "rows": _mark(target),
        "columns": staged.columns,
        "report": as_json(staged.report),
    }
    with room_for(target):
        told_of(target).write_text(json.dumps(told), encoding="utf-8")
    return staged


def told_of(rows: Path) -> Path:
    """Return where the report on staged rows lies."""
    return rows.with_suffix(".json")


def _mark(rows: Path) -> list[int]:
    """Return what is different of staged rows that are others or not whole, whatever they are called."""
    told = rows.stat()
    return [told.st_size, told.st_mtime_ns]


def reopened(path: Path, kind: str, sha256: str) -> Staged | None:
    """Return what `stage` left at `path` earlier; None where that is not whole or was made from something else."""
    try:
        told = json.loads(told_of(path).read_bytes())
        if told["sha256"] != sha256 or told["rows"] != _mark(path):
            return None
        return Staged(path, kind, tuple(told["columns"]), from_json(told["report"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True)
class ReadRows:
    """Source of the rows in `import_rows` and `import_rejects`, what reading them told, and the file that many
    rows are in."""

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
    tell: Tell = quietly,
) -> Iterator[ReadRows]:
    """Read a file's rows as its mapping says into the temporary tables `import_rows` and `import_rejects`.

    Decoded copies are written to the folder of `path`.
    """
    packed = path.with_name(f"{secrets.token_hex(8)}.read")
    try:
        tell(0.0, "unpacking")
        with as_table(path, path.parent, mapping, limits) as (text, sniffed):
            tell(0.2, "reading every row")
            read = read_table(cursor, text, sniffed, plan(kind, mapping, sniffed), limits, packed)
        try:
            yield read
        finally:
            with suppress(duckdb.Error):
                drop_tables(cursor, packed=read.packed)
    finally:
        packed.unlink(missing_ok=True)


def read_table(
    cursor: duckdb.DuckDBPyConnection,
    text: Text,
    sniffed: Sniffed,
    todo: Plan,
    limits: Settings,
    packed: Path,
) -> ReadRows:
    """Read a table's rows into the temporary tables `import_rows` and `import_rejects`, many into the file `packed`."""
    check_lines(text, sniffed, limits)
    noted = ReadingNotes()
    shared = todo.switches["@seconds"] == "assignment" and todo.has("seconds") and not todo.wide
    many = (text.lines - sniffed.before) * max(len(todo.wide), 1) >= PACKED_FROM or todo.counted is not None
    into = packed if many and not shared else None
    try:
        if not (may_be_fast(todo, text, sniffed) and read_typed(cursor, text, sniffed, todo, into)):
            packed.unlink(missing_ok=True)
            todo, noted = read_and_judge(cursor, text.whole(), sniffed, todo, limits, into)
        if shared:
            share_seconds(cursor)
    except BaseException:
        with suppress(duckdb.Error):
            drop_tables(cursor, packed=into)
        raise
    return ReadRows(todo, sniffed, noted, into)


@dataclass(frozen=True)
class _Judged:
    """The columns of `import_rows` that are stored, the report, what the file looks like, and the file that many rows
    are in."""

    columns: tuple[str, ...]
    report: ImportReport
    sniffed: Sniffed
    packed: Path | None


@contextmanager
def _judged(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    limits: Settings,
    tell: Tell = quietly,
) -> Iterator[_Judged]:
    """A file's rows in `import_rows` and `import_rejects`, and what is known of them."""
    with read_rows(cursor, path, kind, mapping, limits, tell) as rows:
        tell(0.7, "looking at what was read")
        todo = rows.plan
        left_out = _no_numbers_of_items(cursor, todo)
        kept = one_number(cursor, "SELECT count(*) FROM import_rows")
        check_rows(kept + one_number(cursor, "SELECT count(*) FROM import_rejects"), limits)
        check_names(cursor, todo, limits)
        if kept and todo.kind.needs_further and len(left_out) == len(todo.further_numbers):
            raise BadMapping(
                f"a table of {todo.kind.name} needs at least one column of numbers, but no row that can be "
                f"kept has a number in {listed(todo.further_numbers)}; choose other columns"
            )
        _check_gold(cursor, todo)
        columns = tuple(target.name for target in todo.targets if target.name not in left_out)
        doubts = tuple(doubts_of_reading(rows.sniffed, kind, mapping))
        report = report_of(cursor, rows.sniffed, todo, left_out, rows.notes, doubts)
        yield _Judged(columns, report, rows.sniffed, rows.packed)


def _check_gold(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> None:
    """Refuses labels whose gold is written in other words: every figure against it would be 0."""
    if todo.kind not in (CHOICES, LABEL_SETS) or todo.compared or not todo.has("gold"):
        return
    of_labels, of_gold = (
        f"SELECT unnest(json_extract_string({name}, '$[*]')) AS label FROM import_rows WHERE {name} IS NOT NULL"
        if todo.kind is LABEL_SETS
        else f"SELECT {name} AS label FROM import_rows WHERE {name} IS NOT NULL"
        for name in (todo.kind.cells, "gold")
    )
    if one_number(cursor, f"SELECT count(*) FROM ({of_labels} INTERSECT {of_gold})"):
        return
    chosen, gold = (
        [
            row[0]
            for row in cursor.execute(
                f"SELECT DISTINCT label FROM ({each}) ORDER BY 1 LIMIT {_NAMED + 1}"
            ).fetchall()
        ]
        for each in (of_labels, of_gold)
    )
    if len(gold) > 1 and len(chosen) > 1:
        told = f"the labels ({_some(chosen)}) and the gold answers ({_some(gold)}) share no value"
        if todo.kind is LABEL_SETS:
            raise BadMapping(f"{told}; write both alike in the file, or leave the gold column out")
        raise BadMapping(
            f"{told}; say which label each gold answer is (the table of values, or '{VALUES}gold' in the mapping), or "
            "leave the gold column out",
            on_page=f"{told}. Say below which label each gold answer becomes, or do not use the column of gold answers",
        )


def _some(values: list[str]) -> str:
    return listed([value[:40] for value in values[:_NAMED]]) + (" …" if len(values) > _NAMED else "")


def rejects_csv(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    kind: str,
    mapping: FileMapping,
    limits: Settings | None = None,
) -> Iterator[bytes]:
    """All rejected rows of a file as CSV, in pieces, with formulas neutralised; it is read again for that."""
    with _judged(cursor, path, kind, mapping, limits or from_environment()) as judged:
        yield (b"file," if judged.sniffed.starts else b"") + b"line,column,reason,value\r\n"
        rejected = cursor.execute(
            'SELECT line, "column", reason, value FROM import_rejects ORDER BY line, place'
        )
        while piece := rejected.fetchmany(10_000):
            lines = _Lines()
            csv.writer(lines).writerows(
                [neutral(cell) for cell in (*_place(judged.sniffed, row[0]), *row[1:])] for row in piece
            )
            yield "".join(lines).encode()


def _place(sniffed: Sniffed, line: int) -> tuple[object, ...]:
    return sniffed.file_and_line(line) if sniffed.starts else (line,)


class _Lines(list[str]):
    write = list.append


def _no_numbers_of_items(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Mapping[str, str]:
    """Further columns that are not one number per item, and so no reference to compare with, and why."""
    extra = todo.further_numbers
    if not extra:
        return {}
    what = todo.kind.numbered
    if todo.wide and todo.kind.forms[todo.form] in todo.kind.numbers_of:
        return dict.fromkeys(extra, f"stands beside all {what}s of a row, so it is no number of one {what}")
    ranges = ", ".join(
        f"min({quoted(name)}) AS low{at}, max({quoted(name)}) AS high{at}" for at, name in enumerate(extra)
    )
    differ = ", ".join(f"bool_or(low{at} <> high{at})" for at in range(len(extra)))
    differing = cursor.execute(
        f"SELECT {differ} FROM (SELECT {ranges} FROM import_rows GROUP BY {', '.join(todo.kind.numbers_of)})"
    ).fetchone()
    assert differing is not None
    why = {None: "holds no number", True: f"differs within {what}s, so it is no number of the {what}"}
    return {
        name: why[differs] for name, differs in zip(extra, differing, strict=True) if differs is not False
    }


_MEMORY = 100 * 10**6
"""Bytes that the few rows may take."""
_FURTHER = ("rater_group", "system", "topic", "measure", "design", "weight")
"""Columns that tell ratings of the same item and rater apart, or make a name whole."""


@dataclass(frozen=True)
class Preview:
    """The first ratings, or other rows, as they would be saved.

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
    todo, limits = plan(kind, mapping, sniffed), from_environment()
    declared = todo.kind
    names = [name for name in (*declared.required, *_FURTHER) if todo.has(name) and name != declared.cells]
    names += [declared.cells] if declared.cells and todo.has(declared.cells) else []
    if declared.compared and todo.compared:
        names += [name for name in declared.compared[1:] if name not in names]
    limits.spool.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=limits.spool, ignore_cleanup_errors=True) as folder,
        duckdb.connect(":memory:") as connection,
    ):
        lock_down(connection, [folder], str(Path(folder, "spilled")), _MEMORY, threads=1)
        path = Path(folder, "first.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            width = len(
                sniffed.columns
            )  # in the table that a format makes, the line of the file comes after it
            rows = [row[:width] for row in sniffed.first]
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        first = Text(path, "utf-8", len(sniffed.first), regular=True, quoted=True)
        shown = replace(sniffed, delimiter=",", before=0, regular=True, short_by=0, starts=(), files=())
        cursor = connection.cursor()
        read_and_judge(cursor, first, shown, todo, limits, None)
        texts = ", ".join(_as_text(name) for name in dict.fromkeys(names))
        found = cursor.execute(f"SELECT {texts} FROM import_rows LIMIT {most}").fetchall()
    return Preview(tuple(dict.fromkeys(names)), tuple(tuple(str(cell) for cell in row) for row in found))


def _as_text(name: str) -> str:
    """Return what shows a cell: whole numbers without a decimal point."""
    cell = f"coalesce({quoted(name)}::VARCHAR, '')"
    return f"regexp_replace({cell}, '^(-?\\d+)\\.0$', '\\1')"
