"""Significant differences: do surrogates differ by more than raters, or events, do among themselves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import pandas as pd

from analysis.relevance.anova import RepeatedMeasures
from analysis.relevance.tukey import Tukey
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval, p_phrase, p_value, percent, share
from features.tables import Shown
from features.verdicts import clear, not_enough_data, uncertain
from features.words import Sentence, listed
from findings.relevance.surrogates import LDC, PREDICTION, Surrogates

SECONDS = "Seconds"
FIGURES = {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F": "f_score"}
SIDES = {"LDC": LDC, "RP": PREDICTION}
UNEVEN = 0.75
"""Huynh and Feldt's epsilon below which Tukey's test is said to find too much (Girden 1992)."""
FEW_SUBJECTS = 5
"""Subjects below which the test is said to find large differences only."""
NOTHING: Sentence = (
    "There is nothing to compare: a column <b>gold</b>, judgments of the <b>full text</b>, or a column "
    "<b>seconds</b> would open this panel.",
    {},
)


@dataclass(frozen=True, eq=False)
class Compared:
    """One measure's analysis of variance, Tukey's test after it, and the surrogates' names by code."""

    measure: str
    subjects: str
    test: RepeatedMeasures
    pairs: Tukey
    names: Mapping[int, str]
    full_text: str

    @property
    def is_share(self) -> bool:
        return self.measure != SECONDS

    @property
    def conditions(self) -> list[str]:
        return [self.names[code] for code in self.test.conditions.tolist()]

    @property
    def best_first(self) -> list[int]:
        """Places of the conditions, the best mean first; of seconds the fewest."""
        way = 1 if self.measure == SECONDS else -1
        known = [at for at, mean in enumerate(self.test.means) if mean.defined]
        unknown = [at for at, mean in enumerate(self.test.means) if not mean.defined]
        return sorted(known, key=lambda at: way * self.test.means[at].value) + unknown

    def written(self, value: float) -> str:
        return share(value, 1) if self.is_share else decimal(value)


def measures(surrogates: Surrogates) -> list[str]:
    """What can be compared: figures of either agreement, and seconds."""
    named = [
        f"{figure} ({short})"
        for short, side in SIDES.items()
        if side in surrogates.sides
        for figure in FIGURES
    ]
    return named + ([SECONDS] if surrogates.has_seconds else [])


def finding_of(compared: Compared) -> Finding:
    """Whether at least one pair of surrogates differs, and which."""
    test, pairs, names = compared.test, compared.pairs, compared.conditions
    if not test.defined:
        return not_enough_data(
            "Whether surrogates differ in {measure} cannot be tested: {why}.",
            {"measure": _named(compared.measure), "why": test.reason},
        )
    p = corrected_p(test)
    apart = [
        (i, j) if test.means[i].value >= test.means[j].value else (j, i)
        for i, j in combinations(range(test.k), 2)
        if pairs.significant[i, j]
    ]
    values = {
        "measure": _named(compared.measure),
        "test": f"F({decimal(test.df1, 0)}, {decimal(test.df2, 0)}) = {decimal(test.f)}, {p_phrase(p)}",
        "pairs": listed([f"{names[i]} above {names[j]}" for i, j in apart], 3),
        "n": count(len(apart)),
        "of": count(test.k * (test.k - 1) // 2),
    }
    if p >= 0.05 and not apart:
        return uncertain("Surrogates do <b>not</b> differ significantly in {measure} ({test}).", values)
    if not apart:
        return clear(
            "Surrogates <b>differ</b> in {measure} ({test}), but no pair differs significantly.", values
        )
    which = "{n} of {of} pairs: <b>{pairs}</b>" if test.k > 2 else "<b>{pairs}</b>"
    if p >= 0.05:
        return uncertain(
            f"Taken together surrogates do not differ significantly in {{measure}} ({{test}}); {which}.",
            values,
        )
    return clear(f"Surrogates <b>differ</b> in {{measure}} ({{test}}); {which}.", values)


def corrected_p(test: RepeatedMeasures) -> float:
    """Greenhouse and Geisser's p where there is one."""
    corrected = test.p_greenhouse_geisser
    return corrected if corrected == corrected else test.p


def _named(measure: str) -> str:
    return measure[0].lower() + measure[1:] if measure[:2] not in ("F ", "F(") else measure


def notes(compared: Compared) -> list[Sentence]:
    """How to read letters and whiskers, and why the full text is not there."""
    made: list[Sentence] = []
    if compared.test.defined:
        made.append(
            (
                "Surrogates that share a letter do not differ significantly (Tukey's HSD, 95 %). Whiskers: 95 % "
                "within-subject intervals, without what {subjects} differ by as a whole.",
                {"subjects": compared.subjects},
            )
        )
    if compared.measure.endswith("(RP)"):
        made.append(
            (
                "{name} is what the others are held against, and has no part in the test.",
                {"name": compared.full_text},
            )
        )
    return made


def remarks(compared: Compared) -> list[Sentence]:
    """What method was taken, what is missing, and what is left out."""
    test = compared.test
    made = missing_cells(test)
    names = [compared.names[code] for code in test.empty.tolist()]
    if compared.full_text in names and compared.measure.endswith("(RP)"):
        names.remove(compared.full_text)
    if names:
        made.append(("Left out, without any value: {names}.", {"names": listed(names)}))
    if test.defined and test.n < FEW_SUBJECTS:
        made.append(
            (
                "There are only {n} {subjects}: the test can find large differences only.",
                {"n": count(test.n), "subjects": compared.subjects},
            )
        )
    if test.defined and test.huynh_feldt < UNEVEN and test.k > 2:
        made.append(
            (
                "Differences between some surrogates vary much more than between others (epsilon {epsilon}): the p and "
                "letters of Tukey's test find too many differences then; the p of Greenhouse and Geisser does not.",
                {"epsilon": decimal(test.huynh_feldt)},
            )
        )
    return made


def missing_cells(test: RepeatedMeasures) -> list[Sentence]:
    """How many cells are missing, and what was done about it."""
    if not test.missing:
        return []
    return [
        (
            "{n} of {of} cells are missing: {method}.",
            {"n": count(test.missing), "of": count(test.n * test.k), "method": test.method},
        )
    ]


def means_table(compared: Compared) -> Shown:
    """Table 1 of the paper: means with the letters of Tukey's test."""
    between = partial(percent, digits=1) if compared.is_share else interval
    subjects = compared.subjects.capitalize()
    rows = [
        {
            "Surrogate": compared.conditions[at],
            "Mean": compared.test.means[at].value,
            "95 %": between(compared.test.means[at]),
            "Letters": compared.pairs.letters[at],
            subjects: compared.test.means[at].n,
        }
        for at in compared.best_first
    ]
    return pd.DataFrame(rows), {"Mean": compared.written, subjects: count}


def test_table(compared: Compared) -> Shown:
    """F with its degrees, both corrections, and how much of the variance surrogates explain."""
    test = compared.test
    row = {
        "Method": test.method[0].upper() + test.method[1:],
        "F": test.f,
        "df 1": test.df1,
        "df 2": test.df2,
        "p": test.p,
        "ε (Greenhouse-Geisser)": test.greenhouse_geisser,
        "p (Greenhouse-Geisser)": test.p_greenhouse_geisser,
        "ε (Huynh-Feldt)": test.huynh_feldt,
        "Partial η²": test.partial_eta_squared.value,
        "Partial η², 95 %": interval(test.partial_eta_squared),
        "Generalised η²": test.generalised_eta_squared.value,
        "MS error": test.ms_error,
        "HSD": compared.pairs.hsd,
    }
    exact = ("ε (Greenhouse-Geisser)", "ε (Huynh-Feldt)", "Partial η²", "Generalised η²", "HSD")
    written: dict[str, Callable[[float], str]] = {
        **{"F": decimal, "p": p_value, "p (Greenhouse-Geisser)": p_value},
        **dict.fromkeys(("df 1", "df 2"), partial(decimal, digits=1 if test.missing else 0)),
        **dict.fromkeys(exact, partial(decimal, digits=3)),
        "MS error": partial(decimal, digits=4),
    }
    return pd.DataFrame([row]), written


def pairs_table(compared: Compared) -> Shown:
    """One row per pair of surrogates, the higher one first; none where there is no test."""
    test, pairs, names = compared.test, compared.pairs, compared.conditions
    rows = []
    for i, j in combinations(range(test.k), 2) if pairs.defined else ():
        high, low = (i, j) if pairs.differences[i, j] >= 0 else (j, i)
        ends = Estimate(pairs.differences[high, low], pairs.low[high, low], pairs.high[high, low], test.n)
        rows.append(
            {
                "Higher": names[high],
                "Lower": names[low],
                "Difference": pairs.differences[high, low],
                "95 %": percent(ends, 1) if compared.is_share else interval(ends),
                "p": pairs.p[high, low],
                "Significant": "yes" if pairs.significant[high, low] else "no",
            }
        )
    return pd.DataFrame(rows), {"Difference": compared.written, "p": p_value}
