"""A file as it is saved where nobody corrects anything."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from data.formats import Recognised, recognise
from data.importing import staging
from data.importing.report import ImportReport


class Saved(NamedTuple):
    """Recognized format, import report, and stored rows as dictionaries."""

    found: Recognised
    report: ImportReport
    rows: list[dict[str, Any]]

    @property
    def kept(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if not row.get("check")]


Save = Callable[..., Saved]


@pytest.fixture
def save(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Save]:
    """Recognises a file, or text, and stages it, with `corrected` over what was proposed."""
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    number = 0
    with connection.cursor() as cursor:

        def saved(file: Path | str | bytes, **corrected: str) -> Saved:
            nonlocal number
            number += 1
            folder = tmp_path / f"file {number}"
            folder.mkdir()
            content = file.read_bytes() if isinstance(file, Path) else file
            path = folder / "upload"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            found = recognise(path)
            mapping = {**found.mapping, **{f"@{name}": value for name, value in corrected.items()}}
            target = folder / "rows.parquet"
            staged = staging.stage(cursor, path, found.kind, mapping, target, "")
            stored = cursor.execute(f'SELECT * FROM {staged.rows} ORDER BY "row"')
            names = [column[0] for column in stored.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in stored.fetchall()]
            return Saved(found, staged.report, rows)

        yield saved
