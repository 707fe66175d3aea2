"""A database that cannot be opened gives a sentence on every page, without a traceback."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from data.engines.schema import table_of
from data.samples import SAMPLES
from data.store.store import Store
from server.arrivals import Arrival
from tests.data.damage import damage_table
from tests.pages.conftest import FRAME, forget_everything, sentences


def every_twentieth_row() -> dict[str, Any]:
    return {name: column[::20] for name, column in SAMPLES[0].generate().items()}


FEW = (replace(SAMPLES[0], generate=every_twentieth_row),)
"""All samples would be imported, and these tests look at one figure of one."""


@pytest.mark.usefixtures("empty_overview")
def test_a_file_that_is_no_database_gets_a_sentence(
    tmp_path: Path, known_pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "raterscope.duckdb"
    broken.write_bytes(b"no database at all" * 1000)
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(broken))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setattr(Store, "ensure_samples", partialmethod(Store.ensure_samples, FEW))
    forget_everything()
    app = AppTest.from_file(FRAME, default_timeout=60)
    app._registered_pages = known_pages
    for page in ("overview.py", "datasets.py"):
        app = app.switch_page(page).run()
        assert not app.exception
        assert "cannot be opened on this server" in sentences(app)
        assert str(tmp_path) not in sentences(app)
    forget_everything()


HOLD = """
import duckdb, sys
held = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def unopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A database with a saved data set, which is not open yet."""
    monkeypatch.setenv("RATERSCOPE_DATABASE", str(tmp_path / "raterscope.duckdb"))
    monkeypatch.setenv("RATERSCOPE_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setattr("data.engines.database._ATTACH_SECONDS", 0.1)
    monkeypatch.setattr(Store, "ensure_samples", partialmethod(Store.ensure_samples, FEW))
    forget_everything()
    yield tmp_path / "raterscope.duckdb"
    forget_everything()


def distributions(known_pages: Any, **address: str) -> AppTest:
    """A page with little to compute."""
    app = AppTest.from_file(FRAME, default_timeout=120)
    app._registered_pages = known_pages
    for name, value in address.items():
        app.query_params[name] = value
    return app.switch_page("distributions.py").run()


def everything(app: AppTest) -> str:
    return sentences(app) + " ".join(text.value for text in app.text) + str(app._tree)


@pytest.mark.storage
def test_a_locked_database_shows_the_samples_and_no_path_or_process(
    unopened: Path, known_pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.store.shared.RETRY_AFTER", 0.0)
    Store().close()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(unopened)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        app = distributions(known_pages)
        assert not app.exception
        assert "Saved data sets cannot be opened on this server" in sentences(app)
        assert "samples can be looked at" in sentences(app)
        assert app.title[0].value == "Distributions"
        assert app.get("plotly_chart")
        assert str(unopened.parent) not in everything(app)
        assert str(other.pid) not in everything(app)
        of_a_link = distributions(known_pages, d="0123456789abcdef" * 2)
        assert "Not found" not in [title.value for title in of_a_link.title], "nobody can tell now"
        other.communicate("")
    app.run()
    assert "cannot be opened" not in sentences(app), "it is tried again"


@pytest.fixture
def becomes_read_only(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Make the test's folder read-only: as a separate disk where root runs the tests, else by its rights."""
    if os.getuid() != 0:
        yield lambda: tmp_path.chmod(0o555)
        tmp_path.chmod(0o755)
        return
    mounted = subprocess.run(["mount", "-t", "tmpfs", "none", tmp_path], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"root may not mount a disk here, and rights do not bind root: {mounted.stderr.strip()}")
    yield lambda: subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True) and None
    forget_everything()
    gc.collect()
    subprocess.run(["umount", "-l", tmp_path], check=True)


@pytest.mark.usefixtures("empty_overview")
@pytest.mark.parametrize("there", [True, False], ids=["a database is there", "none is there"])
def test_a_disk_that_is_read_only_at_the_start_shows_the_samples_and_takes_nothing(
    becomes_read_only: Callable[[], None], unopened: Path, known_pages: Any, there: bool
) -> None:
    if there:
        Store().close()
    becomes_read_only()
    with pytest.raises(OSError, match=r"Read-only|Permission"):
        unopened.with_name("anything").touch()
    app = distributions(known_pages)
    assert not app.exception
    assert "disk cannot be written" in sentences(app)
    assert app.get("plotly_chart")
    assert str(unopened.parent) not in everything(app)
    app.switch_page("datasets.py").run()
    with pytest.MonkeyPatch.context() as patch:
        # the server's session guard could not have put an upload into this spool; suppose that it had
        patch.setattr("ui.screens.upload._spooled_file", lambda file: Arrival(unopened, file.name, file.size))
        app.file_uploader[0].upload("ratings.csv", b"item,rater,score\na,b,1\n").run()
    assert not app.exception
    assert "nothing can be saved" in sentences(app)
    assert str(unopened.parent) not in everything(app)


def test_a_data_set_that_goes_while_it_is_looked_at_gets_a_sentence(
    unopened: Path, tmp_path: Path, known_pages: Any
) -> None:
    file = tmp_path / "study.csv"
    file.write_text(
        "item,rater,score\n" + "\n".join(f"i{i},r{r},{(i + r) % 5}" for i in range(9) for r in range(4))
    )
    with Store() as store:
        mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
        dataset = store.add(file, "ratings", mapping, "study")
        app = distributions(known_pages, d=store.link(dataset.id))
        assert not app.exception
        store.delete(dataset.id)
        app.run()
    assert not app.exception
    assert "no data set under this address" in sentences(app)
    forget_everything()


def test_a_damaged_data_set_gets_a_sentence_and_the_others_are_shown(
    unopened: Path, tmp_path: Path, known_pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATERSCOPE_OPERATOR", "a long passphrase")
    monkeypatch.setattr("ui.visit.workspace.current_workspace", lambda: "browser:of this test")
    file = tmp_path / "study.csv"
    file.write_text(
        "item,rater,score\n" + "\n".join(f"i{i},r{r},{(i + r) % 5}" for i in range(300) for r in range(4))
    )
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
    with Store() as store:
        bad, good = (store.add(file, "ratings", mapping, name) for name in ("My bad study", "My good study"))
        keys = {each.id: store.link(each.id) for each in (bad, good)}
    damage_table(unopened, table_of(bad.id))
    app = distributions(known_pages, d=keys[bad.id])
    assert not app.exception
    assert "database of this server is damaged" in sentences(app)
    assert str(unopened.parent) not in everything(app)
    app = distributions(known_pages, d=keys[good.id])
    assert not app.exception
    assert app.get("plotly_chart")
    assert "damaged" not in sentences(app)
    app = distributions(known_pages).switch_page("datasets.py").run()
    app.file_uploader[0].upload("ratings.csv", file.read_bytes()).run()
    assert not app.exception
    save = next(button for button in app.button if button.label.startswith("Save"))
    save.click().run()
    assert not app.exception
    assert "nothing new can be saved" in sentences(app)
    app = app.switch_page("operator.py").run()
    app.text_input[0].set_value("a long passphrase")
    next(button for button in app.button if button.label == "Open").click().run()
    assert not app.exception
    assert f"The database is damaged: {bad.id[:8]}… cannot be read" in sentences(app)
    assert "My bad study" not in everything(app)


def test_a_database_whose_catalogue_is_damaged_shows_the_samples(unopened: Path, known_pages: Any) -> None:
    with Store() as store:
        store.ensure_samples()
    damage_table(unopened, "links")
    app = distributions(known_pages)
    assert not app.exception
    assert "database of this server is damaged" in sentences(app)
    assert app.get("plotly_chart")
    assert str(unopened.parent) not in everything(app)
