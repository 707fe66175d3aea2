"""A small study of relevance: two raters, four documents, a headline, a summary and the full text."""

from analysis.relevance.judgments import Judgments
from analysis.relevance.rater_pairs import AgreementComparison, compare_agreements
from analysis.values.estimate import BootstrapSpec
from features.blocks import Finding
from features.relevance.agreement_results import Accuracy, MainStudy, Surrogates
from features.words import Sentence

CLOSED = BootstrapSpec(draws=0)
SURROGATES = Surrogates(("Headline", "Summary", "Full Text"), 2, (0, 1), True, True, True, True)
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


def main(surrogates: Surrogates = SURROGATES) -> MainStudy:
    """The study with what is known of its surrogates."""
    return MainStudy(judged(surrogates.present), 0, surrogates, ("e", "f"))


def both(surrogates: tuple[int, ...] = (0, 1, 2)) -> AgreementComparison:
    """Both agreements without intervals."""
    return compare_agreements(judged(surrogates), 2, CLOSED)


def accuracy(surrogates: Surrogates = SURROGATES) -> Accuracy:
    """Both agreements of these surrogates."""
    return Accuracy(main(surrogates), both(surrogates.present))


def said(sentence: Finding | Sentence) -> str:
    """Return a headline or sentence as text."""
    template, values = sentence.headline if isinstance(sentence, Finding) else sentence
    return template.replace("<b>", "").replace("</b>", "").format_map(values)


def evidence(finding: Finding) -> list[object]:
    """Return the parts of an evidence line."""
    return list(finding.evidence[1].values())
