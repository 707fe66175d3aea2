"""Read one upload for a server and write the result next to it: `python -m data.isolation`, started by `process`.

The order is one line on standard input, which stays open as long as the server lives. Progress, and finally the result
or the error, are lines on standard output.
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
from data.isolation.process import json_line, mapping_from_json
from data.settings import Settings, from_environment

_DATABASE_SHARE = 0.4
"""Share of the memory for the database; the interpreter and its libraries need the remainder."""

_EXPECTED = (DataError, MemoryError, duckdb.OutOfMemoryException)
_FREE = 100 * 10**6
"""Free bytes on the disk above which a full disk means that the limit of one reading was reached."""


def main() -> None:
    order = json.loads(sys.stdin.readline())
    settings = from_environment()
    _set_limits(settings)
    threading.Thread(target=_exit_with_server, daemon=True).start()
    try:
        _send(result=_TASKS[order["task"]](order, settings))
    except Exception as error:
        _send(**failure(error, Path(order["path"])))
    os._exit(0)


def failure(error: Exception, path: Path) -> dict[str, Any]:
    """Return the message for an error in reading a file: for the first one if cleaning up raised another."""
    cause = next((raised for raised in _exception_chain(error) if isinstance(raised, _EXPECTED)), error)
    if isinstance(cause, DiskFull) and shutil.disk_usage(path).free > _FREE:
        return {"out_of": "disk"}
    if isinstance(cause, DataError):
        answer = {"error": type(cause).__name__, "message": str(cause)}
        return answer | ({"on_page": cause.on_page} if cause.on_page else {})
    if isinstance(cause, _EXPECTED) or getattr(cause, "errno", None) == errno.ENOMEM:
        return {"out_of": "memory"}
    # only the class and the code locations, because the message may quote the upload
    places = [
        f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(cause.__traceback__)
    ]
    return {"failed": type(cause).__name__, "places": places[-8:]}


def _exception_chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that were handled when it was raised."""
    while error is not None:
        yield error
        error = error.__context__


def _send(**fields: Any) -> None:
    sys.stdout.write(json_line(**fields))
    sys.stdout.flush()


def _set_limits(settings: Settings) -> None:
    """Set the kernel's limits, in addition to those that the server checks."""
    seconds = int(60 * settings.reading_minutes * settings.threads) + 1
    for limit, value in (
        (resource.RLIMIT_AS, settings.reading_memory),
        (resource.RLIMIT_FSIZE, settings.reading_disk),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(limit)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))


def _exit_with_server() -> None:
    sys.stdin.read()
    os._exit(1)


def _connect(folder: Path, settings: Settings) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    memory = int(_DATABASE_SHARE * settings.reading_memory)
    restrict_engine(connection, [str(folder)], str(folder / "spilled"), memory, settings.threads)
    return connection


def _report_progress(done: float, activity: str) -> None:
    _send(done=done, doing=activity)


def _sniff(order: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    _report_progress(0.0, "looking at the file")
    return asdict(sniff(Path(order["path"]), order["header"], order["format"], order["settings"]))


def _values(order: Mapping[str, Any], settings: Settings) -> dict[str, tuple[str, ...]]:
    _report_progress(0.0, "looking for names")
    return values(Path(order["path"]), order["header"], order["format"], order["most"])


def _stage(order: Mapping[str, Any], settings: Settings) -> None:
    path, target = Path(order["path"]), Path(order["target"])
    with _connect(path.parent, settings) as cursor:
        staging.stage(
            cursor,
            path,
            order["kind"],
            mapping_from_json(order["mapping"]),
            target,
            order["sha256"],
            settings,
            _report_progress,
        )


def _rejects(order: Mapping[str, Any], settings: Settings) -> None:
    path = Path(order["path"])
    with _connect(path.parent, settings) as cursor, Path(order["target"]).open("wb") as output:
        output.writelines(
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
