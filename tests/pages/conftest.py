"""Every page test runs the whole app from its frame, on a database of its own."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner, require_widgets_deltas

import ui.render
from analysis.assessors.exclusion import ExclusionSpec
from analysis.systems.preference import PreferenceSpec
from analysis.values.estimate import BootstrapSpec
from data.formats.readers import sniff
from data.importing.spool import Spool
from data.mapping.proposal import propose
from data.settings import from_environment
from data.store import sums
from data.store.shared import SHARED_STORE
from data.store.store import Store
from features import cache
from features.blocks import MAIN, Finding
from server.arrivals import Arrival
from tests.findings_rules import faults_of
from tests.sample_database import sample_database

LastFinding = Callable[..., Finding]
FRAME = str(Path(__file__).resolve().parents[2] / "pages" / "_frame.py")


def forget_everything() -> None:
    """Have this process open its store anew and compute all results anew, as a new server would."""
    st.cache_resource.clear()
    SHARED_STORE.reset()
    cache.CACHE.clear()


def script_has_ended(runner: LocalScriptRunner, timeout: float = 3) -> None:
    """AppTest asks a thousand times a second whether its script has ended, which slows the script down."""
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    if runner._script_thread.is_alive():
        require_widgets_deltas(runner, 0)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store that the app under test opens; tests may add data sets through `ui.elements.store()`."""
    folder = tmp_path_factory.mktemp("database")
    (folder / "raterscope.duckdb").write_bytes(sample_database())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RATERSCOPE_DATABASE", str(folder / "raterscope.duckdb"))
        patch.setenv("RATERSCOPE_SPOOL", str(folder / "spool"))
        patch.setenv("RATERSCOPE_THREADS", "1")  # studies of tests are too short to be shared out
        patch.setattr("data.store.shared.READ_IN_PROCESSES", False)  # starting processes takes time
        # every AppTest reads what all installed packages say about themselves, in search of components: we have none
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        patch.setattr("streamlit.testing.v1.local_script_runner.require_widgets_deltas", script_has_ended)
        forget_everything()
        yield folder
        forget_everything()


@pytest.fixture
def empty_overview(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the cards and tiles of the overview out: a data set that is saved or opened leads there."""
    monkeypatch.setattr("features.overview.section.answering_cards", lambda _: iter(()))
    monkeypatch.setattr("features.overview.section.rating_tiles", lambda _: [])


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that programs run in and keep their temporary databases in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True)
def arriving(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server stands before an AppTest's uploader: what is uploaded goes to the spool here."""

    def arrived(file: UploadedFile) -> Arrival:
        path = Spool(from_environment()).keep(file.name, file)
        return Arrival(path, file.name, file.size)

    monkeypatch.setattr("ui.screens.upload._spooled_file", arrived)


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use 50 draws: pages describe intervals as after the usual 1,000."""
    for spec in (BootstrapSpec, ExclusionSpec, PreferenceSpec):
        usual = inspect.signature(spec).parameters
        fewer = tuple(50 if name == "draws" else one.default for name, one in usual.items())
        monkeypatch.setattr(spec.__init__, "__defaults__", fewer)


@pytest.fixture(autouse=True)
def shown_findings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Finding]]:
    """Return the findings that pages draw while a test runs; every one follows the rules for findings."""
    faults, shown = dict[str, None](), list[Finding]()
    show = ui.render.show_finding

    def check_and_show(finding: Finding) -> None:
        faults.update(dict.fromkeys(faults_of(finding)))
        shown.append(finding)
        show(finding)

    monkeypatch.setattr(ui.render, "show_finding", check_and_show)
    yield shown
    assert not faults, list(faults)


@pytest.fixture
def last_finding(shown_findings: list[Finding]) -> LastFinding:
    """Return the finding of a name that the page opened last has drawn last, by default the main one."""

    def find(name: str = MAIN) -> Finding:
        return next(finding for finding in reversed(shown_findings) if finding.name == name)

    return find


@pytest.fixture(scope="session")
def known_pages(database: Path) -> Any:
    """The pages that the frame names; a run for a data set of nobody computes nothing."""
    app = AppTest.from_file(FRAME, default_timeout=120)
    app.query_params["d"] = "of nobody"
    app.run()
    return app._registered_pages


@pytest.fixture
def open_page(known_pages: Any, shown_findings: list[Finding]) -> Callable[..., AppTest]:
    """Open a page as an address would: `open_page("repetitions.py", d=key, shuffles="10")`."""

    def open_(page: str = "overview.py", **address: str | list[str]) -> AppTest:
        shown_findings.clear()
        app = AppTest.from_file(FRAME, default_timeout=120)
        app._registered_pages = known_pages  # an AppTest opens only pages that it knows from a run
        for name, value in address.items():
            app.query_params[name] = value
        app.switch_page(page).run()
        assert not app.exception, app.exception
        return app

    return open_


@pytest.fixture(scope="session")
def saved_studies(database: Path) -> dict[tuple[object, ...], str]:
    """The readers' keys of what tests saved, by everything that it depends on."""
    return {}


@pytest.fixture
def add_study(saved_studies: dict[tuple[object, ...], str]) -> Callable[..., str]:
    """Save a file in the app's store under what is proposed for it, and return its reader's key; once for all tests
    of a process that save the same."""

    def add(file: Path, kind: str = "ratings", **corrected: object) -> str:
        of = (
            file.read_bytes(),
            file.stem,
            kind,
            repr(corrected),
            sums.MIN_ROWS,
            from_environment().database,
        )
        with Store() as store:
            if of not in saved_studies or store.by_key(saved_studies[of]) is None:
                mapping = dict(propose(sniff(file), kind).mapping) | corrected
                saved_studies[of] = store.link(store.add(file, kind, mapping, file.stem).id)
        return saved_studies[of]

    return add


@pytest.fixture
def add_rows(add_study: Callable[..., str], tmp_path: Path) -> Callable[..., str]:
    """Save rows given as a header and tuples, for the states that real studies do not show."""

    def add(header: str, rows: list[tuple[object, ...]], kind: str = "ratings") -> str:
        file = tmp_path / "rows.csv"
        lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return add_study(file, kind)

    return add


def sentences(app: AppTest) -> str:
    """All sentences of a page, without their markup."""
    return " ".join(sentences_of(app))


def sentences_of(app: AppTest) -> list[str]:
    """The same, one by one, without what their terms mean."""
    said = [body for body in bodies(app) if not body.startswith(("<button", "<dl"))]
    return [re.sub(r"<span popover.*?</span>|<[^>]*>", "", body) for body in said]


def statuses(app: AppTest) -> list[str]:
    """Return the status of each finding on the page that has one, in words."""
    chips = (re.search(r'border-radius:1rem">([^<]*)</span></p>$', body) for body in bodies(app))
    return [chip.group(1) for chip in chips if chip is not None]


def page_links(app: AppTest) -> list[str]:
    """Return the labels of the links to other pages."""
    return [link.proto.label for link in app.get("page_link")]


def copied(app: AppTest) -> list[str]:
    """Texts of the tables' copy buttons."""
    return [unescape(text) for body in bodies(app) for text in re.findall('data-copies="([^"]*)"', body)]


def bodies(app: AppTest) -> list[str]:
    """The page's own HTML."""
    return [element.proto.body for element in app.get("html")]


def after_doubts(said: str) -> str:
    """Return a finding without its prefix of doubts about the data (tests/pages/test_doubts.py)."""
    return re.sub(r"^Doubtful, since .*?: ", "", said)


def figures(app: AppTest) -> list[dict[str, Any]]:
    """The page's figures, as the browser gets them."""
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]
