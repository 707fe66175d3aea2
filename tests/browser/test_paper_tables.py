"""Tables as the authors of five studies may have kept them, each saved through the browser as it is proposed."""

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext

from analysis.agreement import krippendorff_alpha
from data.settings import Settings
from data.store.store import Store
from tests.browser.conftest import Visitor, chromium_path, leaves, settle, start_server
from tests.browser.paper_tables import PAPERS, Paper, Record
from tests.browser.paths import choose_file, dataset_key

UNIT = {
    "ratings": ("item_id", "system", "topic", "measure"),
    "choices": ("item_id",),
    "relevance": ("event_id", "document_id", "surrogate"),
    "comprehension": ("story_id", "summary_author", "question_author", "question_id"),
}
ANSWER = {"ratings": "score", "choices": "choice", "relevance": "judgment", "comprehension": "answer"}
RATER = {"comprehension": "summary_author"}


def test_each_table_is_saved_as_its_study_without_a_click_but_save(
    browsers: list[BrowserContext], tmp_path: Path
) -> None:
    chromium_path()
    papers = {name: make() for name, make in PAPERS.items()}
    server = start_server(tmp_path)
    try:
        visitor = Visitor(browsers[0], browsers[0].new_page(), server.url)
        keys = {name: _save(visitor, _written(tmp_path / name, paper)) for name, paper in papers.items()}
        leaves(visitor)
    finally:
        server.stop()
    assert server.errors() == []
    settings = Settings(database=str(tmp_path / "raterscope.duckdb"), spool=tmp_path / "spool")
    with Store(settings=settings) as store:
        assert {name: _differences(store, keys[name], paper) for name, paper in papers.items()} == {
            name: [] for name in papers
        }


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


def _written(folder: Path, paper: Paper) -> list[Path]:
    folder.mkdir()
    for name, content in paper.files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in paper.files]


def _differences(store: Store, key: str, paper: Paper) -> list[str]:
    """Return in what a saved data set is not the paper's study."""
    dataset = store.by_key(key)
    if dataset is None or dataset.kind != paper.kind:
        return [f"saved as {dataset and dataset.kind}, not {paper.kind}"]
    told = [name for at, name in enumerate(paper.fields) if any(record[at] for record in paper.answers)]
    wanted = [tuple(record[paper.fields.index(name)] for name in told) for record in paper.answers]
    rows = _rows(store, dataset.id)
    saved = [tuple(_plain(row.get(name, "")) for name in told) for row in rows]
    found = []
    if lost := Counter(wanted) - Counter(saved):
        found.append(f"{lost.total()} of {len(wanted)} answers are lost, such as {next(iter(lost))}")
    if dataset.rows_kept != len(wanted):
        found.append(f"{dataset.rows_kept} answers are kept, not {len(wanted)}")
    for what, name in {"items": UNIT[paper.kind][0], "raters": RATER.get(paper.kind, "rater_id")}.items():
        if name in told:
            numbers = [len({record[told.index(name)] for record in each}) for each in (saved, wanted)]
            found += [f"{numbers[0]} {what}, not {numbers[1]}"] if numbers[0] != numbers[1] else []
    alpha, by_hand = _alpha(paper.kind, rows), _alpha_by_hand(told, wanted, paper.kind)
    if alpha is None or by_hand is None:
        found += [f"alpha {alpha}, not {by_hand}"] if alpha != by_hand else []
    elif abs(alpha - by_hand) > 1e-9:
        found.append(f"alpha {alpha}, not {by_hand}")
    return found


def _rows(store: Store, id: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(store.files(id, "csv")) as packed:
        [table] = [name for name in packed.namelist() if name.endswith(".csv")]
        return list(csv.DictReader(io.StringIO(packed.read(table).decode("utf-8-sig"))))


def _plain(cell: str) -> str:
    return cell.removesuffix(".0")


def _alpha(kind: str, rows: Sequence[Mapping[str, str]]) -> float | None:
    """Return alpha of the saved rows by the product."""
    units = np.array(["|".join(row.get(name, "") for name in UNIT[kind]) for row in rows])
    told = [row[ANSWER[kind]] for row in rows]
    codes = {answer: float(at) for at, answer in enumerate(sorted({*told}))}
    values = np.array([float(answer) if kind == "ratings" else codes[answer] for answer in told])
    value = krippendorff_alpha(units, values, "interval" if kind == "ratings" else "nominal").value
    return None if value is None or np.isnan(value) else float(value)


def _alpha_by_hand(told: Sequence[str], answers: Sequence[Record], kind: str) -> float | None:
    """Return alpha of the study's answers by its definition: one minus observed by expected disagreement."""
    of_unit: dict[tuple[str, ...], Counter[str]] = {}
    for record in answers:
        named = dict(zip(told, record, strict=True))
        unit = tuple(named.get(name, "") for name in UNIT[kind])
        of_unit.setdefault(unit, Counter())[named[ANSWER[kind]]] += 1
    units = [counted for counted in of_unit.values() if counted.total() > 1]
    if not units:
        return None
    everything = sum(units, Counter[str]())

    def differences(counted: Counter[str]) -> float:
        return sum(
            n * m * ((float(a) - float(b)) ** 2 if kind == "ratings" else a != b)
            for a, n in counted.items()
            for b, m in counted.items()
        )

    observed = sum(differences(counted) / (counted.total() - 1) for counted in units) / everything.total()
    expected = differences(everything) / (everything.total() * (everything.total() - 1))
    return 1 - observed / expected


@pytest.mark.parametrize(("cells", "alpha"), [("AABB", 1.0), ("ABAB", -0.5)])
def test_alpha_by_hand_of_two_units(cells: str, alpha: float) -> None:
    answers = [(unit, cell) for unit, cell in zip("1122", cells, strict=True)]
    assert _alpha_by_hand(("item_id", "choice"), answers, "choices") == alpha
