"""Read an upload in a separate process, which is killed at its limits, so that no file can block the server.

In a thread, a regular expression, the csv module and the database's text reader would block the interpreter or exhaust
the memory of all visitors. `multiprocessing` is no alternative: under Streamlit it runs the page again. Server and
process exchange one JSON object per line.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import is_dataclass
from pathlib import Path
from typing import IO, Any, get_args, get_type_hints

from data import errors
from data.errors import DataError, OverLimit, UnreadableFile
from data.importing.spool import Spool, disk_size
from data.importing.staging import ProgressCallback, ignore_progress
from data.mapping.plan import FileMapping
from data.settings import LIMITS, Settings, shown, variable_of
from data.tables.sniffed import Sniffed


def json_line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def from_json(kind: Any, parsed: Any) -> Any:
    """Restore a value of this type from parsed JSON: objects become dataclasses, lists become tuples."""
    if isinstance(parsed, list | tuple):
        kinds = get_args(kind)
        kinds = kinds[:1] * len(parsed) if kinds[-1] is Ellipsis else kinds
        return tuple(from_json(member, value) for member, value in zip(kinds, parsed, strict=True))
    if not isinstance(parsed, dict):
        return parsed
    dataclass_type: Any = next((member for member in (kind, *get_args(kind)) if is_dataclass(member)), None)
    if dataclass_type is None:
        return mapping_from_json(parsed)
    field_types = get_type_hints(dataclass_type)
    return dataclass_type(**{name: from_json(field_types[name], value) for name, value in parsed.items()})


def mapping_from_json(mapping: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """Restore the tuples of a mapping, which JSON turned into lists."""
    return {name: tuple(source) if isinstance(source, list) else source for name, source in mapping.items()}


def error_from_json(class_name: str, message: str, on_page: str = "") -> DataError:
    """Restore an error of the process by its class name and messages."""
    error_class = getattr(errors, class_name, DataError)
    error = (
        error_class(message)
        if isinstance(error_class, type) and issubclass(error_class, DataError)
        else DataError(message)
    )
    error.on_page = on_page
    return error


_ROOT = Path(__file__).resolve().parents[2]
_POLL_INTERVAL = 0.1
"""Seconds between two checks of the time limit and of whether the caller still waits."""
_NICE = "15"
"""Low priority, so that reading does not slow pages down; loading libraries alone takes a quarter of a second."""
_DISK_CHECK_INTERVAL = 1.0
_MAX_LINE_LENGTH = 64 * 10**6
"""Maximum characters of a message; the longest regular one names all columns of a file and three values of each."""
_LIMITS = (
    "unpacked_size", "rows", "columns", "measures", "groups", "threads", "reading_minutes", "reading_memory",
    "reading_disk",
)  # fmt: skip
_INHERITED_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
)
"""Variables that the process inherits from the server; passwords and keys are not among them."""


_MEMORY_VARIABLES = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "DUCKDB_JE_MALLOC_CONF": "retain:false",
}
"""Settings of libraries that keep reserved address space close to the memory in use, because the kernel's limit counts
address space."""


class ReadingFailed(Exception):
    """Unexpected failure of the process; the message contains only classes and code locations."""


class ReadingProcess:
    """Reader of uploads with the limits of these settings, each in a separate process."""

    def __init__(self, settings: Settings, spool: Spool) -> None:
        self._settings = settings
        self._spool = spool

    def sniff(
        self,
        path: Path,
        header: int | None,
        format: str | None = None,
        tell: ProgressCallback = ignore_progress,
        settings: Mapping[str, str] | None = None,
    ) -> Sniffed:
        with self._spool.expose(path) as file:
            order: dict[str, Any] = {"task": "sniff", "path": str(file), "header": header, "format": format}
            order["settings"] = dict(settings or {})
            sniffed: Sniffed = from_json(Sniffed, self._request(order, file.parent, tell))
        return sniffed

    def values(
        self,
        path: Path,
        header: int | None,
        format: str | None,
        most: int,
        tell: ProgressCallback = ignore_progress,
    ) -> dict[str, tuple[str, ...]]:
        with self._spool.expose(path) as file:
            order = {"task": "values", "path": str(file), "header": header, "format": format, "most": most}
            answer = self._request(order, file.parent, tell)
        return {name: tuple(texts) for name, texts in answer.items()}

    def stage(
        self,
        file: Path,
        kind: str,
        mapping: FileMapping,
        target: Path,
        sha256: str,
        tell: ProgressCallback = ignore_progress,
    ) -> None:
        """Write the rows to `target`; `file` is in a separate folder of the spool."""
        order = {
            "task": "stage",
            "kind": kind,
            "mapping": dict(mapping),
            "target": str(target),
            "sha256": sha256,
        }
        self._request(order | {"path": str(file)}, file.parent, tell)

    def rejects(self, file: Path, kind: str, mapping: FileMapping, target: Path) -> None:
        order = {"task": "rejects", "kind": kind, "mapping": dict(mapping), "target": str(target)}
        self._request(order | {"path": str(file)}, file.parent, ignore_progress)

    def _request(self, order: Mapping[str, Any], folder: Path, tell: ProgressCallback) -> Any:
        """Return the answer of the process; while it reads, `tell` is called repeatedly, and may raise to end it."""
        start = last_disk_check = time.monotonic()
        initial_size = disk_size(folder)
        progress: tuple[float, str] = 0.0, ""
        with self._start(order, folder) as messages:
            while True:
                try:
                    answer = messages.get(timeout=_POLL_INTERVAL)
                except queue.Empty:
                    answer = {}
                if answer is None:
                    raise self._failure(out_of="")
                if "done" in answer:
                    progress = float(answer["done"]), str(answer["doing"])
                elif answer:
                    return self._parse_answer(answer)
                now = time.monotonic()
                if now - start > 60 * self._settings.reading_minutes:
                    raise self._failure(out_of="minutes")
                if now - last_disk_check > _DISK_CHECK_INTERVAL:
                    last_disk_check = now
                    if disk_size(folder) - initial_size > self._settings.reading_disk:
                        raise self._failure(out_of="disk")
                    self._spool.enforce_limit()
                tell(*progress)

    def _parse_answer(self, answer: Mapping[str, Any]) -> Any:
        if "error" in answer:
            raise error_from_json(
                str(answer["error"]), str(answer["message"]), str(answer.get("on_page", ""))
            )
        if "out_of" in answer:
            raise self._failure(str(answer["out_of"]))
        if "failed" in answer:
            raise ReadingFailed(f"{answer['failed']} at {answer['places']}")
        return answer["result"]

    def _failure(self, out_of: str) -> DataError:
        if not out_of:
            return UnreadableFile(
                "reading this file ended unexpectedly, most likely for want of memory: it may take "
                f"{shown('reading_memory', self._settings.reading_memory)} ({variable_of('reading_memory')}). Split "
                "the file, or save it again as CSV in UTF-8"
            )
        limit = f"reading_{out_of}"
        allowed_text = shown(limit, getattr(self._settings, limit))
        resource, allowed = {
            "minutes": ("time", f"{allowed_text} minutes that are allowed"),
            "memory": ("memory", f"{allowed_text} that {variable_of('reading_memory')} allows"),
            "disk": ("room on the disk", f"{allowed_text} that are allowed"),
        }[out_of]
        return OverLimit(
            f"reading this file takes more {resource} than the {allowed}; split it, for instance by measure"
        )

    @contextmanager
    def _start(self, order: Mapping[str, Any], folder: Path) -> Iterator["queue.Queue[Any]"]:
        """Start the process and yield the queue of its messages, with None at the end. It gets no secrets."""
        process = subprocess.Popen(
            ["nice", "-n", _NICE, sys.executable, "-m", "data.isolation"],
            cwd=_ROOT,
            env=self._environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        messages: queue.Queue[Any] = queue.Queue()
        assert process.stdin is not None
        assert process.stdout is not None
        listener = threading.Thread(target=_listen, args=(process.stdout, messages), daemon=True)
        listener.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(json_line(**order))
                process.stdin.flush()
            yield messages
        finally:
            process.kill()
            process.wait()
            listener.join()
            process.stdout.close()
            with suppress(BrokenPipeError):
                process.stdin.close()

    def _environment(self, folder: Path) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
        limits = json.dumps({name: getattr(self._settings, name) for name in _LIMITS})
        own_variables = {LIMITS: limits, variable_of("spool"): str(folder), "TMPDIR": str(folder)}
        return inherited | own_variables | _MEMORY_VARIABLES


def _listen(lines: IO[str], messages: "queue.Queue[Any]") -> None:
    """Put the messages of the process into the queue, and None after its end or an invalid message."""
    with suppress(ValueError, OSError):
        while text := lines.readline(_MAX_LINE_LENGTH):
            messages.put(json.loads(text))
    messages.put(None)
