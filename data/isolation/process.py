"""Reading an upload in its own process, which is ended at its limits: no file can hold the server up.

Reading in threads would: a regular expression, the csv module and the database's reader of text hold the interpreter
or the memory of all visitors. `multiprocessing` would not do: under Streamlit it runs the page again. Server and
process say one JSON object per line to each other.
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
from data.importing.staging import Tell, ignore_progress
from data.mapping.plan import FileMapping
from data.settings import LIMITS, Settings, shown, variable_of
from data.tables.sniffed import Sniffed


def line(**told: Any) -> str:
    return json.dumps(told) + "\n"


def from_json(kind: Any, parsed: Any) -> Any:
    """Return what JSON made of a value of this type: dataclasses become objects, lists become tuples."""
    if isinstance(parsed, list | tuple):
        kinds = get_args(kind)
        kinds = kinds[:1] * len(parsed) if kinds[-1] is Ellipsis else kinds
        return tuple(from_json(one, value) for one, value in zip(kinds, parsed, strict=True))
    if not isinstance(parsed, dict):
        return parsed
    made: Any = next((one for one in (kind, *get_args(kind)) if is_dataclass(one)), None)
    if made is None:
        return mapping_from_json(parsed)
    types = get_type_hints(made)
    return made(**{name: from_json(types[name], value) for name, value in parsed.items()})


def mapping_from_json(mapping: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """A mapping that JSON made lists in."""
    return {name: tuple(source) if isinstance(source, list) else source for name, source in mapping.items()}


def error_from_json(kind: str, said: str, on_page: str = "") -> DataError:
    """The error of that class, as the process told it."""
    named = getattr(errors, kind, DataError)
    error = named(said) if isinstance(named, type) and issubclass(named, DataError) else DataError(said)
    error.on_page = on_page
    return error


_ROOT = Path(__file__).resolve().parents[2]
_LOOK = 0.1
"""Seconds between two looks at the clock and whether anybody still waits."""
_NICE = "15"
"""Readers step back behind the server's visitors, from their start: loading libraries takes a quarter of a second."""
_LOOK_AT_DISK = 1.0
_LONGEST_LINE = 64 * 10**6
"""Characters of an answer; the longest honest one names all columns of a file and three values of each."""
_LIMITS = (
    "unpacked_size", "rows", "columns", "measures", "groups", "threads", "reading_minutes", "reading_memory",
    "reading_disk",
)  # fmt: skip
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "PYTHONDONTWRITEBYTECODE", "PYTHONHOME")
"""What the process needs of the server's environment; passwords and keys stay behind."""


_FEW_ADDRESSES = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "DUCKDB_JE_MALLOC_CONF": "retain:false",
}
"""What the libraries are told so that the kernel's limit, which counts addresses, counts memory: else each sets some
aside, and the database keeps those of what it has freed."""


class ReadingFailed(Exception):
    """The process failed in a way that no file should make it fail; the message has classes and places only."""


class ReadingProcess:
    """Reads uploads with the limits of these settings, each in its own process."""

    def __init__(self, settings: Settings, spool: Spool) -> None:
        self._settings = settings
        self._spool = spool

    def sniff(
        self,
        path: Path,
        header: int | None,
        format: str | None = None,
        tell: Tell = ignore_progress,
        settings: Mapping[str, str] | None = None,
    ) -> Sniffed:
        with self._spool.expose(path) as inside:
            order: dict[str, Any] = {"task": "sniff", "path": str(inside), "header": header, "format": format}
            order["settings"] = dict(settings or {})
            sniffed: Sniffed = from_json(Sniffed, self._ask(order, inside.parent, tell))
        return sniffed

    def values(
        self, path: Path, header: int | None, format: str | None, most: int, tell: Tell = ignore_progress
    ) -> dict[str, tuple[str, ...]]:
        with self._spool.expose(path) as inside:
            order = {"task": "values", "path": str(inside), "header": header, "format": format, "most": most}
            answer = self._ask(order, inside.parent, tell)
        return {name: tuple(held) for name, held in answer.items()}

    def stage(
        self,
        inside: Path,
        kind: str,
        mapping: FileMapping,
        target: Path,
        sha256: str,
        tell: Tell = ignore_progress,
    ) -> None:
        """Leaves the rows at `target`; `inside` is a file in its own folder in the spool."""
        order = {
            "task": "stage",
            "kind": kind,
            "mapping": dict(mapping),
            "target": str(target),
            "sha256": sha256,
        }
        self._ask(order | {"path": str(inside)}, inside.parent, tell)

    def rejects(self, inside: Path, kind: str, mapping: FileMapping, target: Path) -> None:
        order = {"task": "rejects", "kind": kind, "mapping": dict(mapping), "target": str(target)}
        self._ask(order | {"path": str(inside)}, inside.parent, ignore_progress)

    def _ask(self, order: Mapping[str, Any], folder: Path, tell: Tell) -> Any:
        """Return the answer of the process; while it reads, `tell` is called repeatedly, and may raise to end it."""
        started = looked = time.monotonic()
        free = disk_size(folder)
        progress: tuple[float, str] = 0.0, ""
        with self._started(order, folder) as said:
            while True:
                try:
                    answer = said.get(timeout=_LOOK)
                except queue.Empty:
                    answer = {}
                if answer is None:
                    raise self._ended(out_of="")
                if "done" in answer:
                    progress = float(answer["done"]), str(answer["doing"])
                elif answer:
                    return self._result(answer)
                now = time.monotonic()
                if now - started > 60 * self._settings.reading_minutes:
                    raise self._ended(out_of="minutes")
                if now - looked > _LOOK_AT_DISK:
                    looked = now
                    if disk_size(folder) - free > self._settings.reading_disk:
                        raise self._ended(out_of="disk")
                    self._spool.enforce_limit()
                tell(*progress)

    def _result(self, answer: Mapping[str, Any]) -> Any:
        if "error" in answer:
            raise error_from_json(str(answer["error"]), str(answer["said"]), str(answer.get("on_page", "")))
        if "out_of" in answer:
            raise self._ended(str(answer["out_of"]))
        if "failed" in answer:
            raise ReadingFailed(f"{answer['failed']} at {answer['places']}")
        return answer["result"]

    def _ended(self, out_of: str) -> DataError:
        if not out_of:
            return UnreadableFile(
                "reading this file ended unexpectedly, most likely for want of memory: it may take "
                f"{shown('reading_memory', self._settings.reading_memory)} ({variable_of('reading_memory')}). Split "
                "the file, or save it again as CSV in UTF-8"
            )
        limit = f"reading_{out_of}"
        most = shown(limit, getattr(self._settings, limit))
        what, allowed = {
            "minutes": ("time", f"{most} minutes that are allowed"),
            "memory": ("memory", f"{most} that {variable_of('reading_memory')} allows"),
            "disk": ("room on the disk", f"{most} that are allowed"),
        }[out_of]
        return OverLimit(
            f"reading this file takes more {what} than the {allowed}; split it, for instance by measure"
        )

    @contextmanager
    def _started(self, order: Mapping[str, Any], folder: Path) -> Iterator["queue.Queue[Any]"]:
        """The process, and what it says, in a queue; None where it ended. It has no secrets: only limits."""
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
        said: queue.Queue[Any] = queue.Queue()
        assert process.stdin is not None
        assert process.stdout is not None
        listening = threading.Thread(target=_listen, args=(process.stdout, said), daemon=True)
        listening.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(line(**order))
                process.stdin.flush()
            yield said
        finally:
            process.kill()
            process.wait()
            listening.join()
            process.stdout.close()
            with suppress(BrokenPipeError):
                process.stdin.close()

    def _environment(self, folder: Path) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        limits = json.dumps({name: getattr(self._settings, name) for name in _LIMITS})
        of_its_own = {LIMITS: limits, variable_of("spool"): str(folder), "TMPDIR": str(folder)}
        return kept | of_its_own | _FEW_ADDRESSES


def _listen(lines: IO[str], said: "queue.Queue[Any]") -> None:
    """Hands on what the process says; none after its end, or where it says something else than it should."""
    with suppress(ValueError, OSError):
        while text := lines.readline(_LONGEST_LINE):
            said.put(json.loads(text))
    said.put(None)
