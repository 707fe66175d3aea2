"""Tables that belong to a workspace, for the tests of joined data sets."""

from collections.abc import Callable
from pathlib import Path

import pytest

from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.store.store import Store
from tests.pages.metrics.summaries import WORKSPACE


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies."""
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: WORKSPACE)


@pytest.fixture
def add_table(database: Path, tmp_path: Path) -> Callable[..., str]:
    """Save rows as a data set of any kind and return its reader's key."""

    def add(
        kind: str, header: str, rows: list[tuple[object, ...]], name: str, workspace: str | None = None
    ) -> str:
        file = tmp_path / f"{kind}.csv"
        lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with Store() as store:
            mapping = propose(sniff(file), kind).mapping
            return store.link(store.add(file, kind, mapping, name, workspace).id)

    return add
