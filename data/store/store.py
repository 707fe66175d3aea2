"""Store of data sets, which are saved atomically, never change, and are queried as small arrays.

A data set's table, its catalogue row and its first link are written in one transaction, so a process that is
killed leaves either all of it or nothing. All writing goes through `Database.change`, which may run its work
again: what is slow, reading the file, has happened before, and once for the check and the saving after it.
"""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from analysis.values.estimate import thousands
from data.dataset import Column, Dataset
from data.engines.database import open_database
from data.engines.schema import table_of
from data.errors import DataError, NotFound, OverLimit, UnknownName, UnreadableFile, listed
from data.formats.multiple_files import common_name
from data.formats.readers import sniff, values
from data.importing import staging
from data.importing.report import ImportReport
from data.importing.spool import Spool
from data.importing.staging import ProgressCallback, ignore_progress
from data.isolation.process import ReadingProcess
from data.joining import matching, table
from data.joining.matching import Joinable, joinable
from data.joining.table import Addition, Joined
from data.kinds.definitions import KINDS
from data.mapping.plan import FileMapping
from data.mapping.proposal import complete_mapping
from data.queries import named, summed
from data.samples import SAMPLES, Sample
from data.settings import Settings, from_environment, variable_of
from data.store import catalogue, dataset_files, inventory, kept_views, sums
from data.store.catalogue import ExcludedRatersCache, KeyCache, Link, WorkspaceCache
from data.store.inventory import StoredDataset
from data.store.kept_views import KeptView
from data.tables.sniffed import Sniffed
from data.tables.text import check_rows

_MAX_ARRAY_CHARACTERS = 50_000_000
"""Size in characters above which an array of texts has dtype object: in a fixed-width one, each takes as much as the
longest."""


class Store:
    """All data sets of one database.

    Parameters
    ----------
    url : the database file; by default what `RATERSCOPE_DATABASE` says
    settings : limits and folders; by default what the environment says
    isolated : whether files are read in a separate process that is ended at its limits, as a server needs it; else
        in this one

    Raises
    ------
    DataError
        where the database is in use by another process, cannot be written, comes from a newer version, or is
        no database.

    Notes
    -----
    May be used from many threads at once. Stores of one process that name the same file share it. Besides
    what it lists, every method raises `DataError` for a full disk or a database that became unreadable.
    """

    def __init__(
        self, url: str | Path | None = None, settings: Settings | None = None, isolated: bool = False
    ) -> None:
        self.settings = settings or from_environment()
        self._database = open_database(url or self.settings.database, self.settings)
        self.spool = Spool(self._database.settings)
        self.spool.sweep()
        self._reader = ReadingProcess(self.settings, self.spool) if isolated else None
        self._key_cache = KeyCache()
        self._workspace_cache = WorkspaceCache()
        self._excluded_raters = ExcludedRatersCache()
        self._used_day = datetime.min
        self._used_datasets: set[str] = set()
        self._verify_thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._add_missing_sums()

    def close(self) -> None:
        """Release the database; the last store of this process closes it."""
        self._closing.set()
        if self._verify_thread is not None:
            self._verify_thread.join()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def sniff(
        self,
        path: str | Path,
        header: int | None = None,
        format: str | None = None,
        tell: ProgressCallback = ignore_progress,
        settings: Mapping[str, str] | None = None,
    ) -> Sniffed:
        """Return what a file looks like, as the table that its format makes; `header` overrules the guess of how
        many header rows there are (True is one), `format` that of the format (`""` for a table as it stands), and
        `settings` the defaults of the file's switches.

        Raises
        ------
        DataError
            where the file cannot be read at all.
        """
        if self._reader is not None:
            return self._reader.sniff(Path(path), header, format, tell, settings)
        with staging.hash_in_background(Path(path)):
            return sniff(Path(path), header, format, settings)

    def check(
        self, path: str | Path, kind: str, mapping: FileMapping, tell: ProgressCallback = ignore_progress
    ) -> ImportReport:
        """Return what `add` would do with this file: kept, set aside, rejects, warnings. Nothing is saved.

        `tell` hears how far the reading is; what it raises ends it.

        Raises
        ------
        DataError
            where the file cannot be read at all, or the mapping does not fit it.
        """
        with self._stage_or_reopen(path, kind, mapping, tell) as (_, staged, _sha256):
            return staged.report

    def rejects_csv(self, path: str | Path, kind: str, mapping: FileMapping) -> Iterator[bytes]:
        """Yield all rejected rows of a file as CSV, in pieces; a report has only the first ones."""
        with self.spool.expose(Path(path)) as file:
            if self._reader is not None:
                output = file.with_name("rejects.csv")
                self._reader.rejects(file, kind, mapping, output)
                with output.open("rb") as stream:
                    yield from iter(lambda: stream.read(1 << 20), b"")
                return
            with self._database.cursor(kind="long") as cursor:
                yield from staging.rejects_csv(cursor, file, kind, mapping, self.settings)

    def add(
        self,
        path: str | Path | Sequence[str | Path],
        kind: str | None = None,
        mapping: FileMapping | None = None,
        name: str | None = None,
        workspace: str | None = None,
        replaces: str | None = None,
        file: str = "",
        made_from: Sequence[Mapping[str, object]] = (),
        tell: ProgressCallback = ignore_progress,
    ) -> Dataset:
        """Import a file and save it as a new data set; when this returns, it is safe on disk.

        `mapping` says for each canonical column which column of the file it is (see `data.mapping.plan`). Kind and
        mapping are recognised where they are not given, and the name is then the file's. Several files become one
        study, with a column `from file` that holds what is different between their names (or what `@files` in the
        mapping says of each); names that say measure and group, or measure and rater, fill a column for each.
        `replaces` is the id of the workspace's data set that this is a newer version of; that one stays as it
        is, under its own address. `file` is what the visitor calls the file, for the report, and `made_from` what a
        joined table was made from (see `join`). `tell` hears how far it is; what it raises ends it.

        Raises
        ------
        DataError
            where `check` would raise, where a limit is reached (`OverLimit`), where the workspace holds no
            such data set to replace (`NotFound`), or where it cannot be saved; nothing is saved then.
        """
        if not isinstance(path, str | Path):
            files = [Path(source) for source in path]
            archive = self.spool.keep_as_archive([(source.name, source) for source in files])
            name = name or common_name([source.name for source in files])
            try:
                return self.add(archive, kind, mapping, name, workspace, replaces, file, made_from, tell)
            finally:
                self.spool.discard(archive)
        path = Path(path)
        if kind is None or mapping is None:
            kind, mapping = complete_mapping(self.sniff(path, tell=tell), kind, mapping)
        return self._save(
            path, kind, mapping, name or path.name, workspace, replaces, file, made_from, tell=tell
        )

    def joinable(
        self, dataset: Dataset, path: str | Path, sniffed: Sniffed, tell: ProgressCallback = ignore_progress
    ) -> Joinable:
        """Return the ways in which a file can be added to a data set, by columns with names of its items and raters.

        Raises
        ------
        DataError
            where the file cannot be read at all, or the data set is gone.
        """
        header, limit = sniffed.header_rows, matching.MAX_NAMES
        if self._reader is not None:
            column_values = self._reader.values(Path(path), header, sniffed.format, limit, tell)
        else:
            column_values = values(Path(path), header, sniffed.format, limit)

        def work(cursor: duckdb.DuckDBPyConnection) -> Joinable:
            return joinable(cursor, catalogue.dataset_of(cursor, dataset.id), sniffed, column_values)

        return self._database.read(work)

    def join(
        self,
        dataset: Dataset,
        path: str | Path,
        kind: str,
        mapping: FileMapping,
        switches: Mapping[str, str] | None = None,
        own: Mapping[str, str] | None = None,
        new: Mapping[str, str] | None = None,
        file: str = "",
        tell: ProgressCallback = ignore_progress,
    ) -> Joined:
        """Join a data set and a second file into one table. Nothing is saved, and the data set does not change.

        Parameters
        ----------
        dataset : the data set that the file is added to
        path, kind, mapping : the second file and how it is read: as the data set's own kind for more rows of it, or
            as one of `data.kinds.definitions` for what is known of its items or raters
        switches : of the import of the joined table, such as `@rejected`
        own, new : for columns that one side lacks, what the data set's rows and the file's rows are to be said to
            hold: the name of a group or of a measure
        file : what the visitor calls the file

        Returns
        -------
        Joined
            to be saved by `add(joined.path, joined.kind, joined.mapping, …, made_from=joined.made_from)`.

        Raises
        ------
        DataError
            where the file cannot be read, nothing in it matches, the two cannot be one table, or a limit is reached.
        """
        addition = Addition(kind, mapping, file, own or {}, new or {})
        with self._stage_or_reopen(path, kind, mapping, tell) as (cursor, staged, sha256):
            catalogue.dataset_of(cursor, dataset.id)
            with self.spool.make_folder() as folder:
                joined_table = table.write_joined(
                    cursor, dataset, staged, addition, folder / "joined.csv", self.settings
                )
                upload = self.spool.store_made(folder / "joined.csv")
        joined_mapping = table.mapping_of(joined_table.columns, dataset.mapping, switches or {})
        try:
            report = self.check(upload, dataset.kind, joined_mapping, tell)
        except BaseException:
            self.spool.discard(upload)
            raise
        return Joined(
            upload,
            dataset.kind,
            joined_mapping,
            kind,
            joined_table.matching,
            joined_table.changed,
            staged.report,
            report,
            table.describe_origin(dataset, addition, sha256),
        )

    def get(self, id: str) -> Dataset:
        """Return the data set with this id.

        Raises
        ------
        NotFound
            where there is none.
        """
        return self._database.read(lambda cursor: catalogue.dataset_of(cursor, id))

    def datasets(self, workspace: str | None) -> list[Dataset]:
        """Return a workspace's data sets, the newest first; without a workspace, none."""
        if workspace is None:
            return []

        def fetch() -> list[Dataset]:
            return self._database.read(lambda cursor: catalogue.list_workspace(cursor, workspace))

        state = self._database.transaction_count
        return fetch() if state is None else self._workspace_cache.look_up(state, workspace, fetch)

    def rename(self, id: str, name: str) -> Dataset:
        """Give a data set another name; its rows and addresses stay."""
        name = catalogue.validate_name(name, "a data set")

        def work(cursor: duckdb.DuckDBPyConnection) -> Dataset:
            catalogue.dataset_of(cursor, id)
            catalogue.rename_dataset(cursor, id, name)
            return catalogue.dataset_of(cursor, id)

        return self._database.change(work)

    def take_over(self, workspace: str, new_workspace: str) -> int:
        """Move all data sets of a workspace to another, regardless of its limit, and return their number."""
        return self._database.change(
            lambda cursor: catalogue.move_workspace(cursor, workspace, new_workspace)
        )

    def report(self, id: str) -> dict[str, Any] | None:
        """Return the import report of a data set (see `data.store.catalogue`), None if none was stored."""
        return self._database.read(lambda cursor: catalogue.load_report(cursor, id))

    def doubts(self, id: str) -> tuple[str, ...] | None:
        """Return the doubts about an import that are added to every finding, as clauses; None for data sets imported
        before doubts were recorded."""
        report = self.report(id) or {}
        return tuple(report["doubts"]) if "doubts" in report else None

    def files(self, id: str, form: str) -> Path:
        """Write a zip with the data set's rows, in the file's order, as `csv` or `parquet`, and its import report;
        return its path.

        It waits in the spool until its time is over; who has sent it gives it to `spool.discard`. In CSV,
        texts that a spreadsheet would run as a formula have an apostrophe before them.
        """
        dataset_files.check_form(form)
        with (
            catalogue.record_damage(self._database, id),
            self._database.cursor(kind="long") as cursor,
            self.spool.make_folder() as folder,
        ):
            dataset, report = catalogue.dataset_of(cursor, id), catalogue.load_report(cursor, id)
            return dataset_files.write(cursor, dataset, report, form, folder)

    def query(self, dataset: Dataset, name: str, **parameters: Any) -> dict[str, NDArray[Any]]:
        """Return the arrays of a named query (see `data.queries.named`): float64, int64 or str; a missing number is
        NaN.

        Raises
        ------
        UnknownName
            where the query, a parameter, measure, group, column or value does not exist; lists those that do.
        NotFound
            where the data set is gone.
        """
        statements = named.prepare_query(name, dataset, parameters)

        def work(cursor: duckdb.DuckDBPyConnection) -> dict[str, NDArray[Any]]:
            self._check_query_names(cursor, dataset, parameters)
            if any(summed.EXCLUDED in statement.sql for statement in statements):
                self._excluded_raters.register_sums(cursor, dataset)
            arrays: dict[str, NDArray[Any]] = {}
            for statement in statements:
                result = cursor.execute(statement.sql, dict(statement.values))
                if statement.returns:
                    arrays |= _to_arrays(result)
            return arrays

        with catalogue.record_damage(self._database, dataset.id):
            return self._database.read(work)

    def delete(self, id: str) -> None:
        """Remove a data set, its rows, links and kept views; older and newer versions of it stay.

        Raises
        ------
        NotFound
            where there is none.
        """
        self._database.change(lambda cursor: catalogue.remove_dataset(cursor, id))

    def link(self, id: str) -> str:
        """Return the key of the owner's own address, a new one after `revoke`.

        Raises
        ------
        NotFound
            where there is no such data set.
        """
        key = self._database.read(lambda cursor: catalogue.own_key(cursor, id))
        if key is not None:
            return key

        def work(cursor: duckdb.DuckDBPyConnection) -> str:
            catalogue.dataset_of(cursor, id)
            return catalogue.own_key(cursor, id) or catalogue.insert_link(cursor, id).key

        return self._database.change(work)

    def links(self, id: str) -> list[Link]:
        """Return the live links of a data set: the owner's own first, then the newest first."""
        return self._database.read(lambda cursor: catalogue.live_links(cursor, id))

    def add_link(self, id: str, name: str, view: str = "", expires: datetime | None = None) -> Link:
        """Add a named link to a data set, or to one view of it; `expires` needs a time zone."""
        name = catalogue.validate_name(name, "a link")
        view = catalogue.validate_view(view)
        expires = catalogue.validate_expiry(expires)

        def work(cursor: duckdb.DuckDBPyConnection) -> Link:
            catalogue.dataset_of(cursor, id)
            catalogue.check_link_limit(cursor, id)
            return catalogue.insert_link(cursor, id, name=name, view=view, expires=expires)

        return self._database.change(work)

    def revoke_link(self, id: str, key: str) -> None:
        """Revoke one link; a key that is no link of this data set is no error."""
        self._database.change(lambda cursor: catalogue.revoke_links(cursor, id, key))

    def renew_link(self, id: str, key: str) -> Link:
        """Replace a link by one with a new key, and revoke the old key."""
        return self._database.change(lambda cursor: catalogue.renew_link(cursor, id, key))

    def revoke(self, id: str) -> None:
        """Revoke all links to a data set; unknown ids are no error."""
        self._database.change(lambda cursor: catalogue.revoke_links(cursor, id))

    def views(self, id: str, shared_only: bool = False) -> list[KeptView]:
        """Return the kept views of a data set, in the order of their names, optionally only the shared ones."""
        return self._database.read(lambda cursor: kept_views.list_views(cursor, id, shared_only))

    def keep_view(self, id: str, name: str, view: str, note: str = "", shared: bool = False) -> KeptView:
        """Keep a page of a data set with all its controls (`/repetitions?shuffles=10`) under a name."""
        name, view = catalogue.validate_name(name, "a view"), catalogue.validate_view(view)
        note = kept_views.validate_note(note, self.settings)

        def work(cursor: duckdb.DuckDBPyConnection) -> KeptView:
            catalogue.dataset_of(cursor, id)
            kept_views.check_view_limit(cursor, id, self.settings)
            return kept_views.insert_view(cursor, id, name, view, note, shared)

        return self._database.change(work)

    def change_view(self, id: str, view: str, name: str, note: str, shared: bool) -> KeptView:
        """Give a kept view of a data set another name or note, or let others see it; `view` is its id."""
        name, note = catalogue.validate_name(name, "a view"), kept_views.validate_note(note, self.settings)
        return self._database.change(
            lambda cursor: kept_views.update_view(cursor, id, view, name, note, shared)
        )

    def forget_view(self, id: str, view: str) -> None:
        """Remove a kept view of a data set; an id that is none of its views is no error."""
        self._database.change(lambda cursor: kept_views.remove_view(cursor, id, view))

    def by_key(self, key: str) -> Dataset | None:
        """Return the data set of a reader's key; None for a revoked, expired, unknown or malformed key, in the same
        time."""
        state = self._database.transaction_count
        if state is not None:
            return self._key_cache.look_up(
                state, key, lambda: self._database.read(lambda cursor: catalogue.find_by_key(cursor, key))
            )
        return self._database.read(
            lambda cursor: self._key_cache.look_up(
                self._database.state(cursor), key, lambda: catalogue.find_by_key(cursor, key)
            )
        )

    def record_use(self, dataset: Dataset) -> None:
        """Record that a data set was opened today: at most one write a day, without errors, and nobody waits for it."""
        today = catalogue.now().replace(hour=0, minute=0, second=0, microsecond=0)
        if self._used_day != today:
            self._used_day, self._used_datasets = today, set()
        if dataset.id in self._used_datasets:
            return
        if not self._database.writing.acquire(blocking=False):
            return  # something large is being saved: the next look tries again
        try:
            last_used = self._database.read(lambda cursor: catalogue.last_used(cursor, dataset.id))
            if last_used is not None and last_used < today:
                self._database.change(lambda cursor: catalogue.set_last_used(cursor, dataset.id, today))
            self._used_datasets.add(dataset.id)
        except (DataError, duckdb.Error):  # a store that cannot be written can still be read
            pass
        finally:
            self._database.writing.release()

    def sweep_unused(self) -> list[str]:
        """Delete the data sets of browsers that are unused for longer than the settings allow, and return their ids."""
        days = self.settings.unused_days
        if days is None:
            return []
        before = inventory.unused_since(catalogue.now(), days)
        unused = self._database.read(lambda cursor: inventory.list_unused(cursor, before))
        return [
            id
            for id in unused
            if self._database.change(partial(inventory.remove_unused, dataset=id, before=before))
        ]

    def inventory(self) -> list[StoredDataset]:
        """Return all data sets for the operator, the newest first."""
        return inventory.list_datasets(self._database)

    def check_writable(self) -> None:
        """Write a little and undo it; raise `DataError` if nothing can be saved now."""
        self._database.probe()

    def verify(self, pause: Callable[[float], object] = lambda seconds: None) -> list[str]:
        """Read everything in a database file, or check a lake's files, and return the ids in `unreadable`.

        `pause` is called after each part with the seconds that it took; a true result stops the verification.
        """
        inventory.verify(self._database, pause)
        return self.unreadable()

    def verify_in_background(self) -> None:
        """Start `verify` in a thread that pauses four fifths of the time, unless one is running; `close` ends it."""
        if self._verify_thread is None or not self._verify_thread.is_alive():
            self._verify_thread = threading.Thread(
                target=self._verify_with_pauses, name="verify", daemon=True
            )
            self._verify_thread.start()

    def _verify_with_pauses(self) -> None:
        with suppress(
            DataError, duckdb.Error
        ):  # damage is noted by then; anything else the next reader meets
            self.verify(lambda seconds: self._closing.wait(4 * seconds))

    def unreadable(self) -> list[str]:
        """Return the ids of the data sets that could not be read since the database was opened; "" is the catalogue."""
        return sorted(self._database.unreadable)

    def ensure_samples(self, samples: tuple[Sample, ...] = SAMPLES) -> dict[str, Dataset]:
        """Return the built-in studies by their fixed keys; missing ones and other versions are imported."""
        return {sample.key: self._sample(sample) for sample in samples}

    def _sample(self, sample: Sample) -> Dataset:
        stored = self._database.read(lambda cursor: _find_sample(cursor, sample))
        if stored is not None:
            return stored
        with self.spool.make_folder() as folder:
            path = folder / "sample.csv"
            try:
                sample.write(path)
                return self._save(path, sample.kind, sample.mapping, sample.name, sample=sample)
            finally:
                self.spool.discard(path)

    def _save(
        self,
        path: Path,
        kind: str,
        mapping: FileMapping,
        name: str,
        workspace: str | None = None,
        replaces: str | None = None,
        file: str = "",
        made_from: Sequence[Mapping[str, object]] = (),
        sample: Sample | None = None,
        tell: ProgressCallback = ignore_progress,
    ) -> Dataset:
        self._database.read(lambda cursor: self._check_workspace(cursor, workspace, replaces))
        id = secrets.token_hex(16)
        created = datetime.now(UTC)
        with self._stage_or_reopen(path, kind, mapping, tell) as (cursor, staged, sha256):
            report = staged.report
            tell(0.95, "saving")
            check_rows(report.kept + report.set_aside, self.settings)

            def work(cursor: duckdb.DuckDBPyConnection) -> Dataset:
                if sample is not None:
                    stored = _find_sample(cursor, sample)
                    if stored is not None:  # another process was faster
                        return stored
                    outdated = catalogue.by_key(cursor, sample.key)
                    if outdated is not None:
                        catalogue.remove_dataset(cursor, outdated.id)
                self._check_workspace(cursor, workspace, replaces)
                self._database.check_save(cursor, staged.path)
                items_are_grouped = staged.save(cursor, table_of(id))
                dataset = Dataset(
                    id=id,
                    kind=kind,
                    name=name.encode("utf-8", "replace").decode()[: catalogue.MAX_NAME_LENGTH],
                    columns=_list_columns(cursor, id, kind),
                    mapping=dict(mapping),
                    sha256=sha256,
                    rows_kept=report.kept,
                    rows_set_aside=report.set_aside,
                    created=created,
                    workspace=workspace,
                    replaces=replaces,
                    used=created,
                )
                catalogue.insert_dataset(cursor, dataset, None if sample is None else _sample_version(sample))
                catalogue.insert_link(cursor, id, "" if sample is None else sample.key)
                catalogue.insert_report(cursor, id, file, report, made_from)
                has_sums = sums.add(cursor, dataset, report.unrepeated, staged.rows, items_are_grouped)
                return replace(dataset, summed=has_sums)

            return self._database.change(work, cursor)

    def _add_missing_sums(self) -> None:
        """Add sums to data sets of an earlier version, one at a time; without sums, rows are read."""

        def work(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
            if id in sums.list_missing(cursor):  # another process may have been faster
                sums.add(cursor, catalogue.dataset_of(cursor, id))

        with suppress(DataError, duckdb.Error):
            for id in self._database.read(sums.list_missing):
                with suppress(DataError, duckdb.Error):
                    self._database.change(partial(work, id=id))

    @contextmanager
    def _stage_or_reopen(
        self, path: str | Path, kind: str, mapping: FileMapping, tell: ProgressCallback = ignore_progress
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, staging.Staged, str]]:
        """Yield the rows of a file as they would be saved, and their hash: from an earlier check, or read now."""
        with self.spool.expose(Path(path)) as file:
            sha256 = staging.import_hash(file, kind, mapping)
            rows = file.with_name("staged.parquet")
            cached_names = {
                file_path: f"staged-{sha256}{file_path.suffix}"
                for file_path in (rows, staging.report_path(rows))
            }
            if all(
                self.spool.link_cached(Path(path), name, file_path)
                for file_path, name in cached_names.items()
            ):
                staged = staging.reopen_staged(rows, kind, sha256)
                if staged is not None:
                    with self._database.cursor(kind="long") as cursor:
                        yield cursor, staged, sha256
                    return
            for file_path in cached_names:
                file_path.unlink(missing_ok=True)
            if self._reader is not None:  # no connection is held while waiting
                self._reader.stage(file, kind, mapping, rows, sha256, tell)
            with self._database.cursor(kind="long") as cursor:
                if self._reader is None:
                    staged = staging.stage(cursor, file, kind, mapping, rows, sha256, self.settings, tell)
                else:
                    staged = staging.reopen_staged(rows, kind, sha256)
                if staged is None:
                    raise UnreadableFile("what was read of this file is not whole; try again")
                for file_path, name in cached_names.items():
                    self.spool.cache_result(
                        Path(path), name, file_path, pattern=f"staged-*{file_path.suffix}"
                    )
                yield cursor, staged, sha256

    def _check_workspace(
        self, cursor: duckdb.DuckDBPyConnection, workspace: str | None, replaces: str | None
    ) -> None:
        """Raise an error if the workspace is full, or does not contain the version that is replaced."""
        datasets = [] if workspace is None else catalogue.list_workspace(cursor, workspace)
        limit = self.settings.datasets
        if workspace is not None and len(datasets) >= limit:
            raise OverLimit(
                f"this workspace already holds {thousands(limit)} data sets, the most that "
                f"{variable_of('datasets')} allows; delete one that is no longer needed"
            )
        if replaces is not None and replaces not in {dataset.id for dataset in datasets}:
            raise NotFound("the data set to be replaced is not there any more")

    def _check_query_names(
        self, cursor: duckdb.DuckDBPyConnection, dataset: Dataset, parameters: Mapping[str, Any]
    ) -> None:
        statement = named.names_exist(dataset, parameters)
        if statement is None:
            return
        for parameter, exists in _to_arrays(cursor.execute(statement.sql, dict(statement.values))).items():
            if not exists[0]:
                allowed = named.available_names(dataset, parameter, parameters)
                names = _to_arrays(cursor.execute(allowed.sql, dict(allowed.values)))["name"].tolist()
                raise UnknownName(
                    f"`{parameter}` must be one of {listed(names)}; got {parameters[parameter]!r}"
                )


def _sample_version(sample: Sample) -> str:
    return f"{sample.version}, importer {staging.IMPORTER_VERSION}"


def _find_sample(cursor: duckdb.DuckDBPyConnection, sample: Sample) -> Dataset | None:
    """Return the stored built-in study, None if it is missing or of another version."""
    stored = catalogue.by_key(cursor, sample.key)
    if stored is None or catalogue.sample_version(cursor, stored.id) != _sample_version(sample):
        return None
    return stored


def _list_columns(cursor: duckdb.DuckDBPyConnection, id: str, kind: str) -> tuple[Column, ...]:
    names = [str(row[0]) for row in cursor.execute(f"DESCRIBE {table_of(id)}").fetchall()]
    return tuple(Column(name, KINDS[kind].role(name)) for name in names if name != "row")


def _to_arrays(result: duckdb.DuckDBPyConnection) -> dict[str, NDArray[Any]]:
    return {name: _to_array(column) for name, column in result.fetchnumpy().items()}


def _to_array(column: Any) -> NDArray[Any]:
    """Convert a column to plain float64, int64 or str: pandas' and masked types would silently become NaN later."""
    missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    array = np.asarray(column)
    if array.dtype.kind == "O":
        texts = ["" if value is None else str(value) for value in array]
        width = max(map(len, texts), default=0)
        return np.array(texts, dtype=np.str_ if width * len(texts) < _MAX_ARRAY_CHARACTERS else np.object_)
    if array.dtype.kind == "f" or (missing is not None and missing.any()):
        numbers = array.astype(np.float64, copy=False)
        if missing is not None:
            numbers[missing] = np.nan
        return numbers
    return array.astype(np.int64, copy=False)
