"""The summary of a report: the headlines of its first page, and numbered figures and tables."""

import json
from io import BytesIO

import docx
import pandas as pd
import pytest

from features.blocks import Finding, Status
from report.blocks import MAX_IN_SUMMARY, Report, Section, Table
from report.files import html, results_json, word

STATUSES = (
    Status.UNCERTAIN,
    Status.NOT_ENOUGH_DATA,
    Status.CLEAR,
    Status.NOT_APPLICABLE,
    Status.UNCERTAIN,
    Status.CLEAR,
    Status.UNCERTAIN,
    Status.UNCERTAIN,
)

NAMES = ("s0", "raters", "s2", "systems", "repetitions", "groups", "s6", "s7")
SUMMARY = ["groups", "repetitions", "s0", "s2", "s6"]


def table(name: str) -> Table:
    return Table(name, ("What {name} counts.", {"name": name}), (pd.DataFrame({"Value": [1.0]}), {}))


@pytest.fixture
def report() -> Report:
    """Sections of all statuses between one on the data and a plan, each with a table."""
    sections = [Section("data", "The data", [Finding(("Everything was kept.", {}))])]
    for at, (name, status) in enumerate(zip(NAMES, STATUSES, strict=True)):
        told = Finding((f"Headline {at}.", {}), status=status)
        sections.append(Section(name, f"Section {at}", [told], tables=[table(f"t{at}")]))
    sections.append(Section("planning", "Planning", [Finding(("A plan.", {}))]))
    return Report("Study", "", sections, [])


def test_the_summary_holds_what_is_answered_and_the_most_important_first(report: Report) -> None:
    assert [section.name for section, _ in report.summary] == SUMMARY
    assert len(report.summary) == MAX_IN_SUMMARY


def test_the_summary_opens_every_file(report: Report) -> None:
    page = html(report)
    assert page.index('id="summary"') < page.index('aria-label="Contents"') < page.index('id="s0"')
    assert [one["section"] for one in json.loads(results_json(report))["summary"]] == SUMMARY
    made = docx.Document(BytesIO(word(report)))
    headings = [one.text for one in made.paragraphs if one.style.name.startswith("Heading")]
    assert headings[:3] == ["Summary", "Section 5", "Section 4"]


def test_tables_are_numbered_in_the_word_file(report: Report) -> None:
    made = docx.Document(BytesIO(word(report)))
    captions = [one.text for one in made.paragraphs if one.style.name == "Caption"]
    assert captions == [f"Table {at + 1}. What t{at} counts." for at in range(len(STATUSES))]


def test_a_report_that_answers_nothing_has_no_summary() -> None:
    empty = Report(
        "Study", "", [Section("s", "S", [Finding(("No.", {}), status=Status.NOT_ENOUGH_DATA)])], []
    )
    assert empty.summary == []
    assert 'id="summary"' not in html(empty)
