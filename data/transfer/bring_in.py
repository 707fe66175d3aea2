"""A data set from files of this machine, without a browser and without the limits of uploads.

The file waits in the spool under a name that its path, size and time give, with the rows that were read of it beside
it: who is stopped before the rows are saved does not read them again.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.values.names import thousands
from data.errors import DataError
from data.formats.together import called_together
from data.mapping.plan import FileMapping
from data.mapping.proposal import propose
from data.settings import LIMITS, Settings
from data.store.store import Store

Say = Callable[[str], object]
NO_LIMIT = 2**62
"""Rows and bytes: who may run commands on the server needs no limit against visitors."""
_UNLIMITED: Mapping[str, Any] = dict.fromkeys(("rows", "upload_size", "unpacked_size"), NO_LIMIT)


@dataclass(frozen=True)
class _Known:
    """A file that waits in the spool, and what it is taken for."""

    store: Store
    waiting: Path
    kind: str
    mapping: FileMapping


def save(
    files: Sequence[Path],
    settings: Settings,
    kind: str | None,
    columns: Mapping[str, str],
    name: str | None,
    workspace: str | None,
    say: Say,
) -> str:
    """Saves one file, or several that are one study, and returns the key of its link."""
    called = called_together([file.name for file in files]) if len(files) > 1 else files[0].name
    with _known(files, settings, kind, columns, say) as known:
        dataset = known.store.add(
            known.waiting, known.kind, known.mapping, name or called, workspace, file=called, tell=_timed(say)
        )
        report = known.store.report(dataset.id) or {}
        _tell(known, report["warnings"], report["notes"], dataset.rows_kept, dataset.rows_set_aside, say)
        known.store.spool.discard(known.waiting)
        return known.store.link(dataset.id)


def look_at(
    files: Sequence[Path], settings: Settings, kind: str | None, columns: Mapping[str, str], say: Say
) -> None:
    """Say what would be kept, and saves nothing."""
    with _known(files, settings, kind, columns, say) as known:
        report = known.store.check(known.waiting, known.kind, known.mapping, _timed(say))
        _tell(known, report.warnings, report.notes, report.kept, report.set_aside, say)


@contextmanager
def _known(
    files: Sequence[Path], settings: Settings, kind: str | None, columns: Mapping[str, str], say: Say
) -> Iterator[_Known]:
    unlimited = replace(settings, **_UNLIMITED)
    with _without_limits_in_environment(), Store(settings=unlimited) as store:
        linked = [store.spool.linked(file) for file in files]
        waiting = linked[0]
        if len(files) > 1:
            waiting = store.spool.keep_together(
                [(file.name, at) for file, at in zip(files, linked, strict=True)]
            )
            for at in linked:
                store.spool.discard(at)
        proposal = propose(store.sniff(waiting), kind)
        if proposal.addition:
            raise DataError(proposal.notes[0])
        yield _Known(store, waiting, proposal.kind, {**proposal.mapping, **columns})


@contextmanager
def _without_limits_in_environment() -> Iterator[None]:
    """For the readers of formats, who look up their limits there."""
    before = os.environ.pop(LIMITS, None)
    os.environ[LIMITS] = json.dumps(_UNLIMITED)
    try:
        yield
    finally:
        del os.environ[LIMITS]
        if before is not None:
            os.environ[LIMITS] = before


def _timed(say: Say) -> Callable[[float, str], object]:
    begun = time.monotonic()
    return lambda done, doing: say(f"{time.monotonic() - begun:6.1f} s  {done:4.0%}  {doing}")


def _tell(
    known: _Known, warnings: Sequence[str], notes: Sequence[str], kept: int, set_aside: int, say: Say
) -> None:
    for sentence in (*warnings, *notes):
        say(sentence)
    say(f"{known.kind}: {', '.join(f'{name}={column}' for name, column in known.mapping.items())}")
    say(f"{thousands(kept)} rows kept, {thousands(set_aside)} set aside")
