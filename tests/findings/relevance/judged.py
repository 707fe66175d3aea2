"""A small study of relevance: two raters, four documents, a headline, a summary and the full text."""

import numpy as np

from analysis.relevance.judgments import Judgments
from analysis.relevance.side_by_side import SideBySide, side_by_side
from analysis.values.estimate import BootstrapSpec
from features.blocks import Finding
from features.words import Sentence
from findings.relevance.surrogates import Surrogates

CLOSED = BootstrapSpec(draws=0)
SURROGATES = Surrogates(("Headline", "Summary", "Full Text"), 2, (0, 1), True, True, True)
GOLD = [1, 0, 1, 0]
SAID = {
    ("r", 0): [1, 1, 0, 0],
    ("r", 1): [1, 0, 1, 1],
    ("r", 2): [1, 0, 1, 1],
    ("q", 0): [1, 0, 0, 0],
    ("q", 1): [1, 0, 1, 0],
    ("q", 2): [1, 1, 1, 0],
}
SECONDS = (2.0, 5.0, 10.0)


def judged(surrogates: tuple[int, ...] = (0, 1, 2)) -> Judgments:
    """Two raters on four documents of two events, from a headline, a summary and the full text."""
    rows = [
        (rater, "ef"[at // 2], "abcd"[at], surrogate, said[at], GOLD[at], SECONDS[surrogate] + (rater == "q"))
        for (rater, surrogate), said in SAID.items()
        if surrogate in surrogates
        for at in range(4)
    ]
    return Judgments(*zip(*rows, strict=True), surrogates=[0, 1, 2])


def both(surrogates: tuple[int, ...] = (0, 1, 2)) -> SideBySide:
    return side_by_side(judged(surrogates), 2, CLOSED)


def told(sentence: Finding | Sentence) -> str:
    template, values = sentence.headline if isinstance(sentence, Finding) else sentence
    return template.replace("<b>", "").replace("</b>", "").format_map(values)


MEANS = np.array([[0.5, 0.9, 0.7], [0.4, 0.8, 0.75], [0.45, 0.95, 0.6], [0.5, 0.85, 0.7]])
