"""Records one study: its report, made as on the command line, and its pages, opened as by their addresses."""

import contextlib
import io
import json
import logging
import lzma
import os
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from data.errors import DataError
from data.samples import SAMPLES
from data.store.store import Store
from report.__main__ import main as report
from tests.golden.content import Block, Names, figure, figure_in, table
from tests.golden.sources import ROOT, Source, names_in
from tests.golden.views import REPORT_DRAWS, SMALL, View, views_of

Recording = dict[str, list[Block]]
"""The tables and figures of each view of a study."""
FRAME = str(ROOT / "pages" / "_frame.py")
NOBODY = "of-nobody"
"""A key that opens no data set: a page that is quick to run."""
REPORT = "report"
FAILED = "failed with an error"
UNREADABLE = "not read as a study"
PROSE = ("heds",)
"""Sections of the report whose tables hold sentences."""


def use_new_database(parent: str) -> None:
    """Have this process use a new database, and one thread, since sums depend on their order; called once, first."""
    for name in [name for name in os.environ if name.startswith("RATERSCOPE_")]:
        del os.environ[name]
    folder = tempfile.mkdtemp(dir=parent)
    os.environ["RATERSCOPE_DATABASE"] = f"{folder}/raterscope.duckdb"
    os.environ["RATERSCOPE_SPOOL"] = f"{folder}/spool"
    os.environ["RATERSCOPE_THREADS"] = "1"
    tempfile.tempdir = folder
    logging.disable(logging.WARNING)  # no browser is connected, as Streamlit says at each call


def record_to(out: Path, source: Source, views: Sequence[str] = ()) -> str:
    """Record a study into its file; return a line that says so."""
    started = time.monotonic()
    recording = record(source, views)
    save(recording, out, source.name)
    defects = [view for view, blocks in recording.items() if any(one["name"] == FAILED for one in blocks)]
    told = f", {FAILED}: {', '.join(defects)}" if defects else ""
    return f"{source.name}: {len(recording)} views in {time.monotonic() - started:.0f} s{told}"


def record(source: Source, only: Sequence[str] = ()) -> Recording:
    """Return what a study's report and pages show, or `only` some of the views."""
    names = Names(names_in(source))
    try:
        kind, key = _opened(source)
    except DataError:
        return {UNREADABLE: []}
    views = views_of(kind, source.name, every=source.has_all_views)
    if not views:
        return {UNREADABLE: []}
    recorded = record_report(source, names) if not only or REPORT in only else {}
    for view in views:
        if not only or view.name in only:
            recorded[view.name] = record_view(view, key, names)
    return recorded


def record_report(source: Source, names: Names) -> Recording:
    """Return the tables of results.json and the figures of a report; none where the report is refused."""
    with tempfile.TemporaryDirectory() as out:
        file = source.name if source.path is None else str(source.path)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                refused = report([file, "--out", out, "--draws", str(REPORT_DRAWS)])
        except Exception as error:  # a defect is recorded, so that the other studies are, too
            return {REPORT: [failed(type(error).__name__)]}
        if refused:
            return {REPORT: []}
        told = json.loads(Path(out, "results.json").read_text(encoding="utf-8"))
        blocks = [
            table(f"table {one['name']}", zip(one["columns"], _columns(one), strict=True), names)
            for section in told["sections"]
            if section["name"] not in PROSE
            for one in section["tables"]
        ]
        pages = sorted(Path(out, "figures").glob("*.html"))
        figures = [
            figure_in(f"figure {page.stem}", page.read_text(encoding="utf-8"), names) for page in pages
        ]
    return {REPORT: numbered([*blocks, *figures])}


def record_view(view: View, key: str, names: Names) -> list[Block]:
    """Return the tables and figures of a page under one address."""
    app = AppTest.from_file(FRAME, default_timeout=600)
    app.query_params["d"] = NOBODY
    app.run()  # an AppTest knows the pages from a run
    for name, value in {**SMALL, **view.parameters, "d": key}.items():
        app.query_params[name] = value
    app.switch_page(view.script).run()
    if app.exception:
        return [failed(app.exception[0].proto.type)]
    charts = [(key_of(chart.proto.id), json.loads(chart.proto.spec)) for chart in app.get("plotly_chart")]
    figures = [figure(f"figure {name}", spec, names) for name, spec in charts]
    frames = [(shown.proto.alt, shown.value) for shown in app.dataframe]
    tables = [
        table(f"table {alt}", [(str(head), frame.iloc[:, at]) for at, head in enumerate(frame)], names)
        for alt, frame in frames
    ]
    return numbered([*figures, *tables])


def failed(error: str) -> Block:
    """Return what stands for a page or report that ended with an error."""
    return {"name": FAILED, "parts": [["error", {"type": error}]]}


def numbered(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks with different names: the second of a name is called so."""
    seen: dict[str, int] = {}
    made = []
    for block in blocks:
        seen[block["name"]] = count = seen.get(block["name"], 0) + 1
        made.append(block if count == 1 else {**block, "name": f"{block['name']} ({count})"})
    return made


def save(recording: Recording, folder: Path, name: str) -> None:
    """Write a recording; equal recordings give equal bytes."""
    text = json.dumps(recording, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    path = folder / file_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def load(folder: Path, name: str) -> Recording:
    """Read a recording."""
    recorded: Recording = json.loads(lzma.decompress((folder / file_of(name)).read_bytes()))
    return recorded


def file_of(name: str) -> str:
    """Return the file of a study's recording in its folder."""
    return f"{name}.json.xz"


def _opened(source: Source) -> tuple[str, str]:
    """Return the kind of a study and the key that opens it."""
    with Store() as store:
        if source.path is None:
            store.ensure_samples()
            return next(sample.kind for sample in SAMPLES if sample.key == source.name), source.name
        dataset = store.add(source.path)
        return dataset.kind, store.link(dataset.id)


def _columns(told: dict[str, Any]) -> list[list[Any]]:
    return [[row[at] for row in told["rows"]] for at in range(len(told["columns"]))]


def key_of(id: str) -> str:
    """Return the key that the page gave a chart, the end of its id, without the part that says what it shows."""
    return re.sub(" [0-9a-f]{8}$", "", id.split("-", 2)[-1])
