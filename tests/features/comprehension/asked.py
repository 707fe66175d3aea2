"""A small study of comprehension: two people and a machine, three stories."""

from analysis.comprehension.answers import Answers, encode_answers
from analysis.values.estimate import BootstrapSpec
from features.blocks import Finding
from features.words import Sentence

CLOSED = BootstrapSpec(draws=0)
NAMES = ["A", "B", "M"]
ROWS = [
    (story, wrote, asked, answer)
    for story in "stu"
    for wrote, asked, answer in (
        ("A", "B", "R"),
        ("A", "B", "P"),
        ("B", "A", "R"),
        ("B", "A", "N"),
        ("M", "A", "R"),
        ("M", "A", "N"),
        ("A", "A", "R"),
    )
]


def answers(rows: list[tuple[str, str, str, str]] = ROWS, judge: list[str] | None = None) -> Answers:
    return encode_answers(*(list(column) for column in zip(*rows, strict=True)), judge=judge)[0]


def said(sentence: Finding | Sentence) -> str:
    """Return a headline or sentence as text."""
    template, values = sentence.headline if isinstance(sentence, Finding) else sentence
    return template.replace("<b>", "").replace("</b>", "").format_map(values)


def evidence(finding: Finding) -> list[object]:
    """Return the parts of an evidence line."""
    return list(finding.evidence[1].values())
