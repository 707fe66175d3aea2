"""Do raters agree: with each other, and with gold or themselves beyond chance, for every surrogate."""

from dataclasses import dataclass
from functools import partial
from math import isnan

import pandas as pd

from analysis.relevance.kappa import paper_kappa
from analysis.relevance.rater_pairs import RaterAgreement
from analysis.relevance.side_by_side import SideBySide
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval, percent, share
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, listed
from findings.relevance.surrogates import Surrogates

BETWEEN, BEYOND, WITHIN = "Between raters", "With gold", "With own full text"
KAPPAS = (BETWEEN, BEYOND, WITHIN)
CHANCE = 0.5
"""The agreement that the paper expects by chance between two answers."""


@dataclass(frozen=True, eq=False)
class Kappas:
    """Agreement of pairs of raters, and of each rater with gold and the own full text."""

    pairs: RaterAgreement
    both: SideBySide

    def of(self, name: str, surrogate: int, chance: float) -> Estimate:
        """One of `KAPPAS`, that with gold beyond an agreement by `chance`."""
        if name == BETWEEN:
            return self.pairs.surrogates[surrogate].kappa
        if name == BEYOND:
            return paper_kappa(self.both.ldc[surrogate].accuracy, chance)
        return self.both.prediction[surrogate].kappa


def finding_of(surrogates: Surrogates, pairs: RaterAgreement) -> Finding:
    """How far raters decide alike, from the surrogate with the most agreement to that with the least."""
    by_surrogate = [(at, pairs.surrogates[at]) for at in surrogates.there]
    known = sorted(
        ((at, between) for at, between in by_surrogate if between.agreement.defined),
        key=lambda each: -each[1].agreement.value,
    )
    if not known:
        why = sorted({between.agreement.reason for _, between in by_surrogate} - {""})
        return not_enough_data(
            "Whether raters agree cannot be told: {why}.", {"why": "; ".join(why) or "nobody judged"}
        )
    (first, best), (last, least) = known[0], known[-1]
    template = (
        "Two raters decide alike on <b>{high}</b> of the documents{between} with <b>{first}</b>{beyond}"
    )
    values: dict[str, object] = {
        "first": surrogates.names[first],
        "high": share(best.agreement.value),
        "between": "" if isnan(best.agreement.low) else f" ({percent(best.agreement)})",
        "beyond": _kappa_told(best.kappa),
    }
    if len(known) > 1:
        template += ", on <b>{low}</b> with <b>{last}</b>{least}"
        values |= {
            "last": surrogates.names[last],
            "low": share(least.agreement.value),
            "least": _kappa_told(least.kappa),
        }
    is_clear = all(excludes(between.kappa) for _, between in known)
    return clear_if(is_clear, f"{template}.", values)


def _kappa_told(kappa: Estimate) -> str:
    return f", kappa {decimal(kappa.value)}" if kappa.defined else ""


def notes(pairs: RaterAgreement) -> list[Sentence]:
    """What intervals draw."""
    if pairs.resampled in ("", "nothing"):
        return []
    return [("Intervals draw {what}.", {"what": pairs.resampled})]


def remarks(surrogates: Surrogates, kappas: Kappas) -> list[Sentence]:
    """What is undefined and why, and what was set aside."""
    made: list[Sentence] = []
    if not surrogates.has_gold:
        made.append(("A column gold would open the paper's kappa, agreement with gold beyond chance.", {}))
    if not surrogates.has_full_text:
        made.append(("Judgments of the full text would open kappa with the rater's own full text.", {}))
    undefined: dict[str, list[str]] = {}
    for at in surrogates.there:
        name, between = surrogates.names[at], kappas.pairs.surrogates[at]
        if not between.kappa.defined:
            undefined.setdefault(between.kappa.reason, []).append(name)
        elif between.undefined_pairs:
            made.append(
                (
                    "{n} of {of} pairs of raters have no kappa on {name}: both gave one answer throughout.",
                    {"n": count(between.undefined_pairs), "of": count(between.pairs), "name": name},
                )
            )
        within = kappas.both.prediction[at].kappa
        if at != surrogates.full_text and surrogates.has_full_text and not within.defined:
            made.append(
                (
                    "Kappa with the own full text is undefined for {name}: {why}.",
                    {"name": name, "why": within.reason},
                )
            )
        if between.repeated:
            made.append(
                (
                    "{n} repeated judgments of a rater on {name} were set aside; the first counts.",
                    {"n": count(between.repeated), "name": name},
                )
            )
    return made + [
        ("Kappa between raters is undefined for {names}: {why}.", {"names": listed(names), "why": why})
        for why, names in undefined.items()
    ]


def kappa_table(surrogates: Surrogates, kappas: Kappas, chance: float) -> Shown:
    """The paper's Table 2, with Cohen's kappa in two forms beside the paper's."""
    rows = []
    for at in surrogates.there:
        between = kappas.pairs.surrogates[at]
        row: dict[str, object] = {"Surrogate": surrogates.names[at]}
        for name in KAPPAS:
            kappa = kappas.of(name, at, chance)
            row |= {name: kappa.value, f"{name}, 95 %": interval(kappa)}
        rows.append(
            row
            | {
                "Pairs of judgments alike": between.agreement.value,
                "95 %": percent(between.agreement, 1),
                "Pairs of raters": between.pairs,
                "Pairs of judgments": between.agreement.n,
                "Repeated": between.repeated,
            }
        )
    table = pd.DataFrame(rows)
    unknown = [name for name in (BEYOND, WITHIN) if table[name].isna().all()]
    unknown += [f"{name}, 95 %" for name in unknown]
    if not table["Repeated"].any():
        unknown.append("Repeated")
    return table.drop(columns=unknown), {
        **dict.fromkeys(KAPPAS, partial(decimal, digits=3)),
        "Pairs of judgments alike": partial(share, digits=1),
        **dict.fromkeys(("Pairs of raters", "Pairs of judgments", "Repeated"), count),
    }
