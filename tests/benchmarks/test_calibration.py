"""The rows of docs/calibration.csv: each figure that a page shows has one with enough studies."""

import ast
import csv
from pathlib import Path

import pytest

from benchmarks.calibration.__main__ import DOCUMENT, SIMULATIONS, TABLE
from benchmarks.calibration.document import Row, as_csv, as_markdown, rows
from benchmarks.calibration.exceptions import EXCEPTIONS, KnownException
from benchmarks.calibration.figures import FIGURES, NOT_SIMULATED
from benchmarks.calibration.headings import HEADINGS
from benchmarks.calibration.simulation import BLOCK, LIMITS, MIN_STUDIES, load_results

NAMES = {name for names in FIGURES.values() for name in names}
SIMULATED = {name for simulation in SIMULATIONS for name in simulation.figures}


RESULTS = {simulation.page: load_results(simulation.page) for simulation in SIMULATIONS}


def counted(name: str) -> int:
    """The studies of its largest row; in some of them a figure may be undefined."""
    blocks = [
        RESULTS[simulation.page].get(simulation.name, {}).get("blocks", 0)
        for simulation in SIMULATIONS
        if name in simulation.figures
        and RESULTS[simulation.page].get(simulation.name, {}).get(name, [0, 0])[1]
    ]
    return BLOCK * max(blocks, default=0)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_figure_that_is_shown_has_a_row(name: str) -> None:
    assert counted(name) >= MIN_STUDIES, (
        "it has no row of enough studies; run python -m benchmarks calibration"
    )


def test_every_figure_that_is_simulated_is_shown() -> None:
    assert SIMULATED <= NAMES, "name them in benchmarks/calibration/figures.py"


def test_pages_name_figures_that_have_rows_or_wait_for_one() -> None:
    on_pages = {name for headings in HEADINGS.values() for names in headings.values() for name in names}
    assert on_pages <= NAMES | set(NOT_SIMULATED)
    assert set(NOT_SIMULATED) <= on_pages, "what no page shows waits for nothing"


@pytest.mark.parametrize("name", NOT_SIMULATED)
def test_what_waits_for_a_row_has_none(name: str) -> None:
    assert name not in SIMULATED, "it has a row now: move its name to FIGURES"


def test_names_of_simulations_are_unique_and_results_belong_to_one() -> None:
    named = [(simulation.page, simulation.name) for simulation in SIMULATIONS]
    assert len(set(named)) == len(named)
    for page in {page for page, _ in named}:
        assert set(load_results(page)) <= {name for of, name in named if of == page}


def test_counts_are_counts() -> None:
    for simulation in SIMULATIONS:
        results = load_results(simulation.page).get(simulation.name, {})
        for figure, kind in simulation.figures.items():
            hits, studies = results.get(figure, [0, 0])
            assert 0 <= hits <= studies <= BLOCK * results.get("blocks", 0)
            assert kind in LIMITS


def test_the_documents_are_what_the_results_give() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == as_markdown(SIMULATIONS)
    assert TABLE.read_text(encoding="utf-8") == as_csv(SIMULATIONS)


def test_the_summary_counts_the_rows_of_the_table() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        verdicts = [line["within"] for line in csv.DictReader(file)]
    bound = len(verdicts) - verdicts.count("no limits")
    assert f"**{bound:,} rows have limits: {verdicts.count('yes'):,} are within them" in DOCUMENT.read_text()


ROWS = list(rows(SIMULATIONS))


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
    assert not row(1800, 2000).is_within  # 90.0%, standard error 0.7
    assert row(394, 400).is_within
    assert not row(2000, 2000).is_within


def test_what_no_exception_is_about_is_reported() -> None:
    assert row(1800, 2000).verdict == "no"
    assert row(1900, 2000).verdict == "yes"
    one = next(each for each in EXCEPTIONS if not each.designs and each.high == 1.0)
    assert row(2000, 2000, one.figures[0]).verdict == "exception"


DETAILS = Path("docs", "computation.md")
"""Document with the details for which "How this is computed" is too short."""


def texts_of(module: str) -> list[str]:
    """Return the texts in a module, those on methods in its folder, and the details of all methods."""
    path = Path(*module.split(".")).with_suffix(".py")
    written = (node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
               if isinstance(node, ast.Constant))  # fmt: skip
    methods = [file.read_text(encoding="utf-8") for file in path.parent.glob("methods/*.md")]
    methods.append(DETAILS.read_text(encoding="utf-8"))
    return [*(text for text in written if isinstance(text, str)), *methods]


def test_every_exception_is_about_some_row() -> None:
    used = {row.exception for row in ROWS if row.verdict != "yes"}
    assert [one.words for one in EXCEPTIONS if one not in used] == []


@pytest.mark.parametrize("one", EXCEPTIONS, ids=lambda one: one.words)
def test_a_page_or_its_details_have_the_warning_of_an_exception(one: KnownException) -> None:
    assert any(one.words in " ".join(text.split()) for text in texts_of(one.module))
    assert set(one.figures) <= NAMES


def test_every_row_has_enough_studies() -> None:
    assert [each for each in ROWS if each.studies < MIN_STUDIES] == []
