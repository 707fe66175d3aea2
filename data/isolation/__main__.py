"""Read one upload for a server and store the outcome in its folder: `python -m data.isolation`, started by `process`.

The order comes as a line on standard input, which stays open as long as the server lives. How far it is, and at the
end what came of it or why not, goes as lines to standard output.
"""

import errno
import json
import os
import resource
import shutil
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb

from data.engines.schema import restrict_engine
from data.errors import DataError, DiskFull
from data.formats.readers import sniff, values
from data.importing import staging
from data.isolation.process import line, mapping_from_json
from data.settings import Settings, from_environment

_DATABASE_SHARE = 0.4
"""Of the memory; the rest is the interpreter's, its libraries' and what these hold beside the database."""

_EXPECTED = (DataError, MemoryError, duckdb.OutOfMemoryException)
_FREE = 100 * 10**6
"""Bytes: with so much room on the disk, what was reached is the limit of one reading."""


def main() -> None:
    order = json.loads(sys.stdin.readline())
    settings = from_environment()
    _hold_limits(settings)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        _send(result=_TASKS[order["task"]](order, settings))
    except Exception as error:
        _send(**failure(error, Path(order["path"])))
    os._exit(0)


def failure(error: Exception, path: Path) -> dict[str, Any]:
    """Return the words of an error in reading a file: of the first, where cleaning up after it raised another."""
    first = next((each for each in _chain(error) if isinstance(each, _EXPECTED)), error)
    if isinstance(first, DiskFull) and shutil.disk_usage(path).free > _FREE:
        return {"out_of": "disk"}
    if isinstance(first, DataError):
        answer = {"error": type(first).__name__, "said": str(first)}
        return answer | ({"on_page": first.on_page} if first.on_page else {})
    if isinstance(first, _EXPECTED) or getattr(first, "errno", None) == errno.ENOMEM:
        return {"out_of": "memory"}
    # of a failure only the class and the places: its words may quote the upload
    places = [f"{Path(at.filename).name}:{at.lineno}" for at in traceback.extract_tb(first.__traceback__)]
    return {"failed": type(first).__name__, "places": places[-8:]}


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that were handled when it was raised."""
    while error is not None:
        yield error
        error = error.__context__


def _send(**told: Any) -> None:
    sys.stdout.write(line(**told))
    sys.stdout.flush()


def _hold_limits(settings: Settings) -> None:
    """The kernel's own limits; the server's stand besides."""
    seconds = int(60 * settings.reading_minutes * settings.threads) + 1
    for limit, most in (
        (resource.RLIMIT_AS, settings.reading_memory),
        (resource.RLIMIT_FSIZE, settings.reading_disk),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


def _connection(folder: Path, settings: Settings) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    memory = int(_DATABASE_SHARE * settings.reading_memory)
    restrict_engine(connection, [str(folder)], str(folder / "spilled"), memory, settings.threads)
    return connection


def _doing(done: float, doing: str) -> None:
    _send(done=done, doing=doing)


def _sniff(order: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    _doing(0.0, "looking at the file")
    return asdict(sniff(Path(order["path"]), order["header"], order["format"], order["settings"]))


def _values(order: Mapping[str, Any], settings: Settings) -> dict[str, tuple[str, ...]]:
    _doing(0.0, "looking for names")
    return values(Path(order["path"]), order["header"], order["format"], order["most"])


def _stage(order: Mapping[str, Any], settings: Settings) -> None:
    path, target = Path(order["path"]), Path(order["target"])
    with _connection(path.parent, settings) as cursor:
        staging.stage(
            cursor,
            path,
            order["kind"],
            mapping_from_json(order["mapping"]),
            target,
            order["sha256"],
            settings,
            _doing,
        )


def _rejects(order: Mapping[str, Any], settings: Settings) -> None:
    path = Path(order["path"])
    with _connection(path.parent, settings) as cursor, Path(order["target"]).open("wb") as out:
        out.writelines(
            staging.rejects_csv(cursor, path, order["kind"], mapping_from_json(order["mapping"]), settings)
        )


_TASKS: Mapping[str, Callable[[Mapping[str, Any], Settings], Any]] = {
    "sniff": _sniff,
    "values": _values,
    "stage": _stage,
    "rejects": _rejects,
}

if __name__ == "__main__":
    main()
