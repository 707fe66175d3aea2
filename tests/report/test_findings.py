"""A finding with evidence and warnings in each file of a report, and hostile text in them."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pytest

from features.blocks import Finding, Status
from report.blocks import Report, Section
from report.files import SMALL, TEMPLATES, html, results_json, word

HOSTILE = "</p><script>alert(1)</script> {0} {name} & \"quoted\" 'text' {{ 7 * 7 }} {% raw %}"
ESCAPED = (
    "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt; {0} {name} &amp; &#34;quoted&#34; &#39;text&#39; "
    "{{ 7 * 7 }} {% raw %}"
)
GRADES = {
    Status.NOT_TESTED: "not tested",
    Status.CLEAR: "clear",
    Status.UNCERTAIN: "uncertain",
    Status.NOT_ENOUGH_DATA: "not enough data",
    Status.NOT_APPLICABLE: "",
}


def finding(status: Status = Status.UNCERTAIN) -> Finding:
    return Finding(
        ("<b>{rater}</b> rates higher.", {"rater": HOSTILE}),
        ("95% CI {low} to <b>{high}</b> · {name}", {"low": "−0.1", "high": "0.4", "name": HOSTILE}),
        status,
        [("Few raters, such as {rater}.", {"rater": HOSTILE})],
    )


def report(*findings: Finding, kind: str = "findings") -> Report:
    last = Finding(("The last finding.", {}))
    section = Section("s", "S", **{kind: [*findings, last]}, warnings=[("A warning of the section.", {})])
    return Report("T", "", [section], [])


def paragraphs_of_page(made: Report) -> list[tuple[str, str]]:
    """Return the class and the content of each paragraph of the section."""
    return re.findall(r'<p class="(\w+)">(.*?)</p>', html(made).partition("</nav>")[2], flags=re.DOTALL)


def paragraphs_of_word(made: Report) -> list[Any]:
    """Return the paragraphs from the section's title on."""
    paragraphs = docx.Document(BytesIO(word(made))).paragraphs
    return paragraphs[[(one.text, one.style.name) for one in paragraphs].index(("S", "Heading 1")) :]


@pytest.mark.parametrize(("kind", "style"), [("findings", "finding"), ("details", "small")])
def test_the_page_prints_evidence_grade_and_warnings_below_the_headline(kind: str, style: str) -> None:
    told = paragraphs_of_page(report(finding(), kind=kind))
    expected = [
        (style, f"<b>{ESCAPED}</b> rates higher."),
        ("evidence", f"95% CI −0.1 to <b>0.4</b> · {ESCAPED} · <b>uncertain</b>"),
        ("warning", f"Few raters, such as {ESCAPED}."),
        (style, "The last finding."),
    ]
    warning = [("warning", "A warning of the section.")]
    assert told == (expected + warning if kind == "findings" else warning + expected)


@pytest.mark.parametrize("kind", ["findings", "details"])
def test_the_word_file_prints_evidence_grade_and_warnings_below_the_headline(kind: str) -> None:
    paragraphs = paragraphs_of_word(report(finding(), kind=kind))
    texts = [one.text for one in paragraphs]
    evidence = f"95% CI −0.1 to 0.4 · {HOSTILE} · uncertain"
    at = texts.index(f"{HOSTILE} rates higher.")
    assert texts[at : at + 4] == [
        f"{HOSTILE} rates higher.",
        evidence,
        f"Few raters, such as {HOSTILE}.",
        "The last finding.",
    ]
    assert [run.text for run in paragraphs[at + 1].runs if run.bold] == ["0.4", "uncertain"]
    assert {run.font.size for run in paragraphs[at + 1].runs} == {SMALL}
    assert {run.font.size for run in paragraphs[at].runs} == {None}


@pytest.mark.parametrize(
    ("kind", "evidence", "statuses"),
    [
        ("findings", "finding_evidence", "finding_statuses"),
        ("details", "detail_evidence", "detail_statuses"),
    ],
)
def test_the_numbers_hold_the_evidence_and_the_status_apart(kind: str, evidence: str, statuses: str) -> None:
    (section,) = json.loads(results_json(report(finding(), kind=kind)))["sections"]
    assert section[evidence] == [f"95% CI −0.1 to 0.4 · {HOSTILE}", ""]
    assert section[statuses] == ["uncertain", "clear"]
    assert section[evidence.replace("evidence", "warnings")] == [[f"Few raters, such as {HOSTILE}."], []]


@pytest.mark.parametrize("status", Status)
def test_each_status_has_its_grade_beside_the_evidence(status: Status) -> None:
    [evidence] = [
        content for style, content in paragraphs_of_page(report(finding(status))) if style == "evidence"
    ]
    grade = f" · <b>{GRADES[status]}</b>" if GRADES[status] else ""
    assert evidence == f"95% CI −0.1 to <b>0.4</b> · {ESCAPED}{grade}"


def test_a_finding_without_evidence_is_its_headline_alone() -> None:
    assert paragraphs_of_page(report()) == [
        ("finding", "The last finding."),
        ("warning", "A warning of the section."),
    ]
    texts = [one.text for one in paragraphs_of_word(report())]
    assert texts[1:3] == ["The last finding.", "A warning of the section."]


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.jinja")), ids=lambda path: path.name)
def test_no_template_turns_escaping_off(path: Path) -> None:
    assert not re.search(r"\|\s*safe\b|\bautoescape\b", path.read_text(encoding="utf-8"))
