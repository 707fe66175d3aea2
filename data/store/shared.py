"""Store shared by all pages of this process, and a store of samples while its database cannot be opened."""

import atexit
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from data.dataset import Dataset
from data.errors import CannotOpen, DataError
from data.importing.spool import Spool
from data.settings import Settings, from_environment
from data.store.store import Store


class SamplesOnly(Store):
    """Store with only the samples, in a temporary folder; everything else raises the error of opening the database."""

    def __init__(self, settings: Settings, reason: DataError) -> None:
        folder = Path(mkdtemp(prefix="raterscope-samples-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        super().__init__(
            settings=replace(settings, database=str(folder / "samples.duckdb"), spool=folder / "spool")
        )
        self.ensure_samples()
        self.settings = settings
        self.spool = _ClosedSpool(self.settings, reason)
        self._reason = reason

    def by_key(self, key: str) -> Dataset | None:
        """Return a sample; other keys cannot be looked up now."""
        dataset = super().by_key(key)
        if dataset is None:
            raise self._reason
        return dataset

    def check_writable(self) -> None:
        raise self._reason


class _ClosedSpool(Spool):
    """Spool that refuses uploads, since they could not be saved."""

    def __init__(self, settings: Settings, reason: DataError) -> None:
        super().__init__(settings)
        self._reason = reason

    def claim(self, upload: Path) -> Path:
        self.discard(upload)
        raise self._reason


RETRY_AFTER = 20.0
"""Seconds after which opening a database is tried again."""
READ_IN_PROCESSES = True
"""False in tests of pages, where reading uploads in this process is faster."""


class SharedStore:
    """Lazily opened store with the samples."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._samples: Store | None = None
        self._failure: CannotOpen | None = None
        self._retry_at = 0.0

    def get(self) -> Store:
        """Return the store, or one with only the samples while it cannot be opened."""
        with self._lock:
            if self._store is not None:
                return self._store
            if self._failure is not None and time.monotonic() < self._retry_at:
                return self._get_samples(self._failure)
            try:
                self._store = _open_store()
            except CannotOpen as error:
                self._failure, self._retry_at = error, time.monotonic() + RETRY_AFTER
                return self._get_samples(error)
            self._failure = None
            return self._store

    @property
    def is_ready(self) -> bool:
        """True after the first attempt to open the store, for which the first caller waits."""
        return self._store is not None or self._failure is not None

    @property
    def failure(self) -> CannotOpen | None:
        """Error because of which only the samples are available, None if there is none."""
        return self._failure

    def reset(self) -> None:
        """Discard the opened store, so that it is opened again when it is next needed."""
        with self._lock:
            self._store = self._samples = self._failure = None
            self._retry_at = 0.0

    def _get_samples(self, failure: CannotOpen) -> Store:
        if self._samples is None:
            try:
                self._samples = SamplesOnly(from_environment(), failure)
            except (DataError, OSError):
                raise failure from None
        return self._samples


def _open_store() -> Store:
    store = Store(isolated=READ_IN_PROCESSES)
    try:
        store.ensure_samples()
    except BaseException:
        store.close()  # it is reopened later, from the file that exists then
        raise
    return store


SHARED_STORE = SharedStore()
"""Store of the pages, and of programs that do not name one."""
