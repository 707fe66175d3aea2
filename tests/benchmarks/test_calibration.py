"""The rows of docs/calibration.csv: each figure that a page shows has one, with enough studies, and it is written there."""

import ast
import csv
from pathlib import Path

import pytest

from benchmarks.calibration.__main__ import DOCUMENT, EXPERIMENTS, TABLE
from benchmarks.calibration.document import Row, as_csv, as_markdown, rows
from benchmarks.calibration.exceptions import EXCEPTIONS, KnownException
from benchmarks.calibration.experiment import BLOCK, FEWEST, LIMITS, stored
from benchmarks.calibration.on_pages import ON_PAGES
from benchmarks.calibration.shown import SHOWN, WITHOUT_A_ROW

NAMES = {name for names in SHOWN.values() for name in names}
SIMULATED = {name for experiment in EXPERIMENTS for name in experiment.figures}


RESULTS = {experiment.page: stored(experiment.page) for experiment in EXPERIMENTS}


def counted(name: str) -> int:
    """The studies of its largest row; in some of them a figure may be undefined."""
    blocks = [
        RESULTS[experiment.page].get(experiment.name, {}).get("blocks", 0)
        for experiment in EXPERIMENTS
        if name in experiment.figures
        and RESULTS[experiment.page].get(experiment.name, {}).get(name, [0, 0])[1]
    ]
    return BLOCK * max(blocks, default=0)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_figure_that_is_shown_has_a_row(name: str) -> None:
    assert counted(name) >= FEWEST, "it has no row of enough studies; run python -m benchmarks calibration"


def test_every_figure_that_is_simulated_is_shown() -> None:
    assert SIMULATED <= NAMES, "name them in benchmarks/calibration/shown.py"


def test_pages_name_figures_that_have_rows_or_wait_for_one() -> None:
    on_pages = {name for headings in ON_PAGES.values() for names in headings.values() for name in names}
    assert on_pages <= NAMES | set(WITHOUT_A_ROW)
    assert set(WITHOUT_A_ROW) <= on_pages, "what no page shows waits for nothing"


@pytest.mark.parametrize("name", WITHOUT_A_ROW)
def test_what_waits_for_a_row_has_none(name: str) -> None:
    assert name not in SIMULATED, "it has a row now: move its name to SHOWN"


def test_names_of_experiments_are_unique_and_results_belong_to_one() -> None:
    named = [(experiment.page, experiment.name) for experiment in EXPERIMENTS]
    assert len(set(named)) == len(named)
    for room in {room for room, _ in named}:
        assert set(stored(room)) <= {name for of, name in named if of == room}


def test_counts_are_counts() -> None:
    for experiment in EXPERIMENTS:
        results = stored(experiment.page).get(experiment.name, {})
        for figure, kind in experiment.figures.items():
            hits, studies = results.get(figure, [0, 0])
            assert 0 <= hits <= studies <= BLOCK * results.get("blocks", 0)
            assert kind in LIMITS


def test_the_documents_are_what_the_results_give() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == as_markdown(EXPERIMENTS)
    assert TABLE.read_text(encoding="utf-8") == as_csv(EXPERIMENTS)


def test_the_summary_counts_the_rows_of_the_table() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        verdicts = [line["within"] for line in csv.DictReader(file)]
    bound = len(verdicts) - verdicts.count("no limits")
    assert f"**{bound:,} rows have limits: {verdicts.count('yes'):,} are within them" in DOCUMENT.read_text()


ROWS = list(rows(EXPERIMENTS))


def test_what_lies_outside_its_limits_is_a_known_exception() -> None:
    unknown = [row for row in ROWS if row.verdict == "no"]
    assert unknown == [], (
        "correct the figure, or warn on the page and in benchmarks/calibration/exceptions.py"
    )


def test_a_test_that_is_not_for_a_question_says_so() -> None:
    assert [row for row in ROWS if row.kind == "misused test" and row.exception is None] == []


def row(hits: int, counted: int, figure: str = "a figure without exceptions") -> Row:
    return Row(figure, "a design", "interval", hits, counted, counted, 0.0)


def test_limits_count_within_two_standard_errors() -> None:
    assert row(364, 400).is_within  # 91.0%, standard error 1.4
    assert not row(1820, 2000).is_within  # 91.0%, standard error 0.6
    assert row(396, 400).is_within and not row(2000, 2000).is_within


def test_what_no_exception_is_about_is_reported() -> None:
    assert row(1820, 2000).verdict == "no" and row(1900, 2000).verdict == "yes"
    one = next(each for each in EXCEPTIONS if not each.designs and each.high == 1.0)
    assert row(2000, 2000, one.figures[0]).verdict == "exception"


def texts_of(module: str) -> list[str]:
    """Return the texts in a module, and those on methods in its folder."""
    path = Path(*module.split(".")).with_suffix(".py")
    written = (node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
               if isinstance(node, ast.Constant))  # fmt: skip
    methods = [file.read_text(encoding="utf-8") for file in path.parent.glob("methods/*.md")]
    return [*(text for text in written if isinstance(text, str)), *methods]


@pytest.mark.parametrize("one", EXCEPTIONS, ids=lambda one: one.words)
def test_a_page_has_the_warning_of_an_exception(one: KnownException) -> None:
    assert any(one.words in " ".join(text.split()) for text in texts_of(one.module))
    assert set(one.figures) <= NAMES


def test_every_row_has_enough_studies() -> None:
    assert [each for each in ROWS if each.studies < FEWEST] == []
