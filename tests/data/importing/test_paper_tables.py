"""Tables as the authors of five studies may have kept them, each read as its study without a mapping."""

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from analysis.agreement import krippendorff_alpha
from data.settings import Settings
from data.store.store import Store
from tests.data.importing.paper_tables import PAPERS, Paper, Record

UNIT = {
    "ratings": ("item_id", "system", "topic", "measure"),
    "choices": ("item_id",),
    "relevance": ("event_id", "document_id", "surrogate"),
    "comprehension": ("story_id", "summary_author", "question_author", "question_id"),
}
ANSWER = {"ratings": "score", "choices": "choice", "relevance": "judgment", "comprehension": "answer"}
RATER = {"comprehension": "summary_author"}


@pytest.fixture(scope="module")
def papers_store(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("papers")
    settings = Settings(database=str(folder / "papers.duckdb"), spool=folder / "spool", threads=1)
    with Store(settings=settings) as store:
        yield store


@pytest.mark.parametrize("name", PAPERS)
def test_each_table_is_read_as_its_study(papers_store: Store, tmp_path: Path, name: str) -> None:
    paper = PAPERS[name]()
    files = written(tmp_path, paper)
    dataset = papers_store.add(files if len(files) > 1 else files[0])
    assert differences(papers_store, papers_store.link(dataset.id), paper) == []


def written(folder: Path, paper: Paper) -> list[Path]:
    """Write the files of a paper and return their paths."""
    for name, content in paper.files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in paper.files]


def differences(store: Store, key: str, paper: Paper) -> list[str]:
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
