"""Texts on how the numbers of a feature are computed: one Markdown file for each question."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from features.blocks import Method

_HERE = Path(__file__).parent


def method_of(feature: str, question: str, sources: Sequence[str], **values: object) -> Method:
    """Return the method in `features/FEATURE/methods/QUESTION.md`.

    Its first paragraph is the text of the report, a template for the values; the other paragraphs are the details.
    """
    summary, details = _read(feature, question)
    return Method((summary, values), sources, details)


@cache
def _read(feature: str, question: str) -> tuple[str, str]:
    text = (_HERE / feature / "methods" / f"{question}.md").read_text(encoding="utf-8")
    summary, details = text.split("\n\n", 1)
    return summary.replace("\n", " "), details
