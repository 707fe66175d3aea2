"""The one store of this process, and the samples that replace it while its database cannot be opened."""

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
    """The samples in their own folder that goes with the process; all else fails as opening did."""

    def __init__(self, settings: Settings, because: DataError) -> None:
        folder = Path(mkdtemp(prefix="raterscope-samples-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        super().__init__(
            settings=replace(settings, database=str(folder / "samples.duckdb"), spool=folder / "spool")
        )
        self.ensure_samples()
        self.settings = settings
        self.spool = _Closed(self.settings, because)
        self._because = because

    def by_key(self, key: str) -> Dataset | None:
        """A sample; of any other key nobody can tell now whether it leads anywhere."""
        found = super().by_key(key)
        if found is None:
            raise self._because
        return found

    def writable(self) -> None:
        raise self._because


class _Closed(Spool):
    """Takes no upload: it could not be saved."""

    def __init__(self, settings: Settings, because: DataError) -> None:
        super().__init__(settings)
        self._because = because

    def claim(self, arrived: Path) -> Path:
        self.discard(arrived)
        raise self._because


RETRY_AFTER = 20.0
"""Seconds after which a database that could not be opened is tried again."""
READ_IN_PROCESSES = True
"""False in tests of pages, where reading uploads in this process is quicker."""


class SharedStore:
    """A store that is opened, with the samples in it, when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: Store | None = None
        self._samples: Store | None = None
        self._failure: CannotOpen | None = None
        self._retry_at = 0.0

    def get(self) -> Store:
        """Return the store, or the samples alone while it cannot be opened."""
        with self._lock:
            if self._opened is not None:
                return self._opened
            if self._failure is not None and time.monotonic() < self._retry_at:
                return self._only_samples(self._failure)
            try:
                self._opened = _opened()
            except CannotOpen as error:
                self._failure, self._retry_at = error, time.monotonic() + RETRY_AFTER
                return self._only_samples(error)
            self._failure = None
            return self._opened

    @property
    def is_ready(self) -> bool:
        """True once opening was tried; whoever asks first waits for it."""
        return self._opened is not None or self._failure is not None

    @property
    def failure(self) -> CannotOpen | None:
        """The reason why there are only samples now."""
        return self._failure

    def forget(self) -> None:
        """Open the store anew when it is next needed."""
        with self._lock:
            self._opened = self._samples = self._failure = None
            self._retry_at = 0.0

    def _only_samples(self, failure: CannotOpen) -> Store:
        if self._samples is None:
            try:
                self._samples = SamplesOnly(from_environment(), failure)
            except (DataError, OSError):
                raise failure from None
        return self._samples


def _opened() -> Store:
    opened = Store(apart=READ_IN_PROCESSES)
    try:
        opened.ensure_samples()
    except BaseException:
        opened.close()  # it is opened anew later, from the file that is there then
        raise
    return opened


SHARED_STORE = SharedStore()
"""The store that pages read, and programs that name none."""
