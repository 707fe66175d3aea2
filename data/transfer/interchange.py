# ruff: noqa: S608 - tables are ours, files lie in the spool under names of ours, column names are quoted
"""Export and import of one data set: its catalogue entry as JSON and its rows as Parquet; import of local files without
the limits of uploads.

Everything that is read back is validated against declared parsers before it reaches a database, because anyone may have
changed a folder of files. The parsers name every column of the catalogue, so a catalogue with another column also needs
another `FORMAT`.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import duckdb

from analysis.values.estimate import thousands
from data.dataset import Role
from data.engines.schema import literal, quoted, table_of
from data.errors import DataError
from data.formats.multiple_files import common_name
from data.kinds.definitions import KINDS
from data.mapping.plan import FileMapping
from data.mapping.proposal import propose
from data.settings import LIMITS, Settings
from data.store import catalogue
from data.store.store import Store

_PIECES = {
    "VARCHAR": ("strlen({0})", "':'", "{0}"),
    "DOUBLE": ("CASE WHEN isnan({0}) THEN 'NaN' ELSE CAST({0}::BIT::BIGINT AS VARCHAR) END", "';'"),
    "BIGINT": ("{0}", "';'"),
    "TIMESTAMP": ("{0}::VARCHAR", "';'"),
}
"""SQL for a hashed cell of each type; NULL is empty, so the length precedes a text."""


def hash_dataset(cursor: duckdb.DuckDBPyConnection, id: str) -> str:
    """Return the content hash of a saved data set's table, 64 hexadecimal digits."""
    return _content_hash(cursor, table_of(id))


def hash_parquet(cursor: duckdb.DuckDBPyConnection, file: Path) -> str:
    """Return the content hash of the table read from a Parquet file in the spool."""
    return _content_hash(cursor, read_parquet_sql(file))


def read_parquet_sql(file: Path) -> str:
    """Return the expression that reads a Parquet file.

    >>> read_parquet_sql(Path("/spool/it's/file.parquet"))
    "read_parquet('/spool/it''s/file.parquet')"
    """
    return f"read_parquet({literal(file)})"


def columns_of(cursor: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    """Return names and types of the columns of a table or an expression, in order."""
    rows = cursor.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    return [(str(name), str(type)) for name, type, *_ in rows]


def _content_hash(cursor: duckdb.DuckDBPyConnection, source: str) -> str:
    columns = columns_of(cursor, source)
    parts = ", ".join(part for name, type in columns for part in _cell_parts(name, type))
    sums = cursor.execute(
        f"""SELECT count(*), sum(md5_number_upper(written)), sum(md5_number_lower(written))
        FROM (SELECT concat({parts}) AS written FROM {source})"""
    ).fetchall()
    return hashlib.sha256(json.dumps([columns, [str(number) for number in sums[0]]]).encode()).hexdigest()


def _cell_parts(name: str, type: str) -> list[str]:
    if type not in _PIECES:
        raise DataError(f"the column {name!r} has the type {type}, which no data set of Raterscope has")
    return [part.format(quoted(name)) for part in _PIECES[type]]


FORMAT = 2
"""Version of the format, increased with every change; a newer one is refused."""
ID = re.compile(r"[0-9a-f]{32}")
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Entry:
    """The catalogue's entries of a data set: its row, its links, its kept views, its report, and the hash of its
    rows."""

    content: str
    dataset: Mapping[str, Any]
    links: tuple[Mapping[str, Any], ...]
    report: str | None
    views: tuple[Mapping[str, Any], ...] = ()

    @property
    def id(self) -> str:
        """Id of the data set."""
        return str(self.dataset["id"])

    @property
    def columns(self) -> list[str]:
        """Names of the columns of its table."""
        return ["row", *(name for name, _ in json.loads(self.dataset["columns"]))]

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as JSON values, the inverse of `entry_from_dict`."""
        return {
            "content": self.content,
            "dataset": {name: _json_value(value) for name, value in self.dataset.items()},
            "links": [{name: _json_value(value) for name, value in link.items()} for link in self.links],
            "report": self.report,
            "views": [{name: _json_value(value) for name, value in view.items()} for view in self.views],
        }


def entry_from_dict(data: Any) -> Entry:
    """Return the entry from JSON values."""
    if isinstance(data, dict):
        data = {"views": [], **data}  # format 1 knew none
    record = _parse_record(data, _ENTRY, "the entry")
    dataset = _parse_record(record["dataset"], _DATASET, "`dataset`")
    return Entry(
        content=record["content"],
        dataset=dataset,
        links=tuple(_parse_record(link, _LINK, "a link") for link in record["links"]),
        report=record["report"],
        views=tuple(_parse_record(view, _KEPT_VIEW, "a kept view") for view in record["views"]),
    )


def read_entry(cursor: duckdb.DuckDBPyConnection, id: str, content: str) -> Entry | None:
    """Return the catalogue entry of a data set, None if there is none."""
    datasets = _select_rows(cursor, "datasets", _DATASET, "id", id)
    reports = _select_rows(cursor, "reports", _REPORT, "dataset", id)
    if not datasets:
        return None
    return Entry(
        content=content,
        dataset=datasets[0],
        links=tuple(_select_rows(cursor, "links", _LINK, "dataset", id)),
        report=reports[0]["report"] if reports else None,
        views=tuple(_select_rows(cursor, "kept_views", _KEPT_VIEW, "dataset", id)),
    )


def insert_entry(cursor: duckdb.DuckDBPyConnection, entry: Entry) -> None:
    """Insert an entry without its rows in the caller's transaction."""
    _insert(cursor, "datasets", {**entry.dataset, "sample_version": None})
    for link in entry.links:
        digest = catalogue.digest(link["link"])
        if cursor.execute("SELECT 1 FROM links WHERE digest = ?", [digest]).fetchone() is not None:
            raise DataError(
                f"a link of the data set {entry.id} leads to another data set there; revoke that one first"
            )
        _insert(cursor, "links", {**link, "dataset": entry.id, "digest": digest})
    if entry.report is not None:
        _insert(cursor, "reports", {"dataset": entry.id, "report": entry.report})
    for view in entry.views:
        _insert(cursor, "kept_views", {**view, "dataset": entry.id})


def _select_rows(
    cursor: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, object], key: str, value: str
) -> list[dict[str, Any]]:
    names = ", ".join(f'"{name}"' for name in columns)
    rows = cursor.execute(f"SELECT {names} FROM {table} WHERE {key} = ? ORDER BY ALL", [value]).fetchall()
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _insert(cursor: duckdb.DuckDBPyConnection, table: str, row: Mapping[str, Any]) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


Parse = Callable[[Any], Any]
"""Function that converts a JSON value to one of the catalogue; raises `ValueError` or `TypeError`."""


def _parse_record(data: Any, parsers: Mapping[str, Parse], subject: str) -> dict[str, Any]:
    if not isinstance(data, dict) or data.keys() != parsers.keys():
        raise DataError(f"{subject} does not hold just {', '.join(parsers)}")
    record = {}
    for name, parse in parsers.items():
        try:
            record[name] = parse(data[name])
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"{subject} has no sensible `{name}`") from error
    return record


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    value.encode()  # half a character cannot be stored
    return value


def _parse_count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("no count")
    return value


def _parse_time(value: Any) -> datetime:
    timestamp = datetime.fromisoformat(_parse_text(value))
    if timestamp.tzinfo is not None:
        raise ValueError("the catalogue's times are in UTC without saying so")
    return timestamp


def _parse_pattern(pattern: re.Pattern[str]) -> Parse:
    def parse(value: Any) -> str:
        if pattern.fullmatch(_parse_text(value)) is None:
            raise ValueError("of another form")
        return str(value)

    return parse


def _optional(parse: Parse) -> Parse:
    return lambda value: None if value is None else parse(value)


def _parse_kind(value: Any) -> str:
    if _parse_text(value) not in KINDS:
        raise ValueError("no kind")
    return str(value)


def _parse_columns(value: Any) -> str:
    roles = get_args(Role)
    for name, role in json.loads(_parse_text(value)):
        if not _parse_text(name) or role not in roles:
            raise ValueError("no column")
    return str(value)


def _parse_mapping(value: Any) -> str:
    for source in json.loads(_parse_text(value)).values():
        for name in source if isinstance(source, list) else [source]:
            _parse_text(name)
    return str(value)


def _parse_report(value: Any) -> str:
    if not isinstance(json.loads(_parse_text(value)), dict):
        raise ValueError("no report")
    return str(value)


def _parse_view(value: Any) -> str:
    try:
        return catalogue.validate_view(_parse_text(value))
    except DataError as error:
        raise ValueError("no view") from error


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither yes nor no")
    return value


def _parse_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


_ENTRY: dict[str, Parse] = {
    "content": _parse_pattern(DIGEST),
    "dataset": lambda value: value,
    "links": _parse_list,
    "report": _optional(_parse_report),
    "views": _parse_list,
}
_DATASET: dict[str, Parse] = {
    "id": _parse_pattern(ID),
    "kind": _parse_kind,
    "name": _parse_text,
    "columns": _parse_columns,
    "mapping": _parse_mapping,
    "sha256": _parse_pattern(DIGEST),
    "rows_kept": _parse_count,
    "rows_set_aside": _parse_count,
    "created": _parse_time,
    "workspace": _optional(_parse_text),
    "replaces": _optional(_parse_pattern(ID)),
    "used": _parse_time,
}
_LINK: dict[str, Parse] = {
    "link": _parse_pattern(ID),
    "created": _parse_time,
    "revoked": _optional(_parse_time),
    "name": _optional(_parse_text),
    "view": _optional(_parse_view),
    "expires": _optional(_parse_time),
}
_KEPT_VIEW: dict[str, Parse] = {
    "id": _parse_pattern(ID),
    "name": _parse_text,
    "view": _parse_view,
    "note": _parse_text,
    "shared": _parse_bool,
    "created": _parse_time,
}
_REPORT: dict[str, Parse] = {"report": _parse_report}


PrintLine = Callable[[str], object]
NO_LIMIT = 2**62
"""Limit of rows and bytes for operators, whom the limits for visitors do not concern."""
_UNLIMITED: Mapping[str, Any] = dict.fromkeys(("rows", "upload_size", "unpacked_size"), NO_LIMIT)


@dataclass(frozen=True)
class _WaitingFile:
    """File in the spool with its recognized kind and mapping."""

    store: Store
    path: Path
    kind: str
    mapping: FileMapping


def save(
    files: Sequence[Path],
    settings: Settings,
    kind: str | None,
    columns: Mapping[str, str],
    name: str | None,
    workspace: str | None,
    print_line: PrintLine,
) -> str:
    """Save one file, or several that are one study, and return the key of its link."""
    default_name = common_name([file.name for file in files]) if len(files) > 1 else files[0].name
    with _read_files(files, settings, kind, columns, print_line) as upload:
        dataset = upload.store.add(
            upload.path,
            upload.kind,
            upload.mapping,
            name or default_name,
            workspace,
            file=default_name,
            tell=_timed_progress(print_line),
        )
        report = upload.store.report(dataset.id) or {}
        _print_report(
            upload, report["warnings"], report["notes"], dataset.rows_kept, dataset.rows_set_aside, print_line
        )
        upload.store.spool.discard(upload.path)
        return upload.store.link(dataset.id)


def check_files(
    files: Sequence[Path],
    settings: Settings,
    kind: str | None,
    columns: Mapping[str, str],
    print_line: PrintLine,
) -> None:
    """Report what would be kept, without saving."""
    with _read_files(files, settings, kind, columns, print_line) as upload:
        report = upload.store.check(upload.path, upload.kind, upload.mapping, _timed_progress(print_line))
        _print_report(upload, report.warnings, report.notes, report.kept, report.set_aside, print_line)


@contextmanager
def _read_files(
    files: Sequence[Path],
    settings: Settings,
    kind: str | None,
    columns: Mapping[str, str],
    print_line: PrintLine,
) -> Iterator[_WaitingFile]:
    unlimited = replace(settings, **_UNLIMITED)
    with _without_limits_in_environment(), Store(settings=unlimited) as store:
        links = [store.spool.link_file(file) for file in files]
        path = links[0]
        if len(files) > 1:
            path = store.spool.keep_as_archive(
                [(file.name, link) for file, link in zip(files, links, strict=True)]
            )
            for link in links:
                store.spool.discard(link)
        proposal = propose(store.sniff(path), kind)
        if proposal.addition:
            raise DataError(proposal.notes[0])
        yield _WaitingFile(store, path, proposal.kind, {**proposal.mapping, **columns})


@contextmanager
def _without_limits_in_environment() -> Iterator[None]:
    """Remove limits from the environment, where the readers of formats look them up."""
    previous = os.environ.pop(LIMITS, None)
    os.environ[LIMITS] = json.dumps(_UNLIMITED)
    try:
        yield
    finally:
        del os.environ[LIMITS]
        if previous is not None:
            os.environ[LIMITS] = previous


def _timed_progress(print_line: PrintLine) -> Callable[[float, str], object]:
    start = time.monotonic()
    return lambda done, activity: print_line(f"{time.monotonic() - start:6.1f} s  {done:4.0%}  {activity}")


def _print_report(
    upload: _WaitingFile,
    warnings: Sequence[str],
    notes: Sequence[str],
    kept: int,
    set_aside: int,
    print_line: PrintLine,
) -> None:
    for sentence in (*warnings, *notes):
        print_line(sentence)
    print_line(f"{upload.kind}: {', '.join(f'{name}={column}' for name, column in upload.mapping.items())}")
    print_line(f"{thousands(kept)} rows kept, {thousands(set_aside)} set aside")
