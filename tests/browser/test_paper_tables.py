"""Tables as the authors of five studies may have kept them, each saved through the browser as it is proposed."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from data.settings import Settings
from data.store.store import Store
from tests.browser.conftest import Visitor, chromium_path, leaves, settle, start_server
from tests.browser.paths import choose_file, dataset_key
from tests.data.importing.paper_tables import PAPERS
from tests.data.importing.test_paper_tables import differences, written


@pytest.mark.slow
def test_each_table_is_saved_as_its_study_without_a_click_but_save(
    browsers: list[BrowserContext], tmp_path: Path
) -> None:
    """Every run reads all of them without a browser, and saves several files and one of two readings with one."""
    chromium_path()
    papers = {name: paper() for name, paper in PAPERS.items()}
    server = start_server(tmp_path)
    try:
        visitor = Visitor(browsers[0], browsers[0].new_page(), server.url)
        keys = {}
        for name, paper in papers.items():
            (tmp_path / name).mkdir()
            keys[name] = _save(visitor, written(tmp_path / name, paper))
        leaves(visitor)
    finally:
        server.stop()
    assert server.errors() == []
    settings = Settings(database=str(tmp_path / "raterscope.duckdb"), spool=tmp_path / "spool")
    with Store(settings=settings) as store:
        found = {name: differences(store, keys[name], paper) for name, paper in papers.items()}
        assert found == {name: [] for name in papers}


def _save(visitor: Visitor, files: list[Path]) -> str:
    """Return the key of what is saved as proposed, or what the page says where it cannot be saved."""
    choose_file(visitor, files)
    before, save = dataset_key(visitor), visitor.page.get_by_role("button", name="Save", exact=True)
    if not save.count():
        return visitor.page.get_by_test_id("stMain").inner_text()
    save.click()
    visitor.page.wait_for_function(
        "before => ![null, before].includes(new URL(location).searchParams.get('d'))",
        arg=before,
        timeout=120_000,
    )
    settle(visitor.page)  # else the overview goes on computing beside the next file
    return dataset_key(visitor)
