"""What stands in for the store where the database cannot be opened: the built-in studies, and nothing that is saved."""

import atexit
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from data.dataset import Dataset
from data.errors import DataError
from data.importing.spool import Spool
from data.settings import Settings
from data.store.store import Store


class SamplesOnly(Store):
    """The samples in a folder of their own that goes with the process; all else fails as opening did."""

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
