"""A database with the built-in studies, made once for all processes of a test run, to be copied."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

FOLDER = "FOLDER_OF_TEST_RUN"
"""The environment variable that names a folder which all processes of a run share."""


def share_folder(config: pytest.Config) -> None:
    """Make the folder of a run in the process that starts the others, which removes it at the end."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = mkdtemp(prefix="raterscope-run-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(FOLDER)))


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Let the processes of a run do what is named one after the other."""
    with Path(os.environ[FOLDER], name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def sample_database() -> bytes:
    """Return the file's content; the first process that asks makes it, and the others wait for it."""
    from data.settings import Settings
    from data.store.store import Store

    with ExitStack() as ending:
        folder = Path(os.environ.get(FOLDER) or ending.enter_context(TemporaryDirectory()))
        fcntl.flock(ending.enter_context((folder / "lock").open("w")), fcntl.LOCK_EX)
        made = folder / "samples.duckdb"
        if not made.exists():
            settings = Settings(database=str(folder / "unfinished.duckdb"), spool=folder / "spool")
            with Store(settings=settings) as store:
                store.ensure_samples()
            Path(settings.database).rename(made)
        return made.read_bytes()
