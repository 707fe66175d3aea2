"""Imports of pages are loaded before anyone opens them; a page itself is not run."""

import sys
from pathlib import Path

import pytest

from server import start


def test_what_scripts_import_is_loaded_and_they_do_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (tmp_path / "a_room_of_panels.py").write_text("loaded = []\ndef show(): ...\n")
    (tmp_path / "another_room.py").write_text("")
    (pages / "first.py").write_text("from a_room_of_panels import loaded, show\nloaded.append('run')\n")
    (pages / "second.py").write_text('"""A page."""\nimport another_room\nraise SystemExit\n')
    monkeypatch.syspath_prepend(tmp_path)
    start.import_page_modules(pages)
    assert sys.modules.pop("a_room_of_panels").loaded == []
    assert sys.modules.pop("another_room") is not None
