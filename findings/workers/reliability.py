"""Reliability of workers: agreement with the others and with known answers, and how far methods agree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.correlation.two_columns import Correlation
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from analysis.workers import worker_agreement
from analysis.workers.polls import Poll
from analysis.workers.worker_agreement import known_against_r
from analysis.workers.worker_ranking import WorkerRanking, best_first
from charts.workers.reliability import Worker
from features.blocks import Finding, Status
from features.evidence import confidence_interval, evidence, for_raters
from features.plotting.numbers import count, decimal, interval, p_value, percent, share
from features.raters.naming_findings import ADJUSTED, TYPICAL, ComparedRaters, naming_finding, verdicts
from features.tables import Shown
from features.verdicts import excludes
from features.words import Sentence, counted

FEW_ITEMS = 10
"""Items shared with others below which nobody is drawn, unless the reader sets another number."""
KNOWN = "known answers"
"""Name of the finding on agreement with known answers."""
RATERS_ARE_SLOTS: Sentence = (
    "Rater ids are only slots here, not persons: what is said of a worker holds for a column of the file, and "
    "intervals over workers do not show chance over persons.",
    {},
)
_R, _MAJORITY, _GLAD, _SKENE = "r_w", "With the majority", "GLAD ability", "Dawid-Skene accuracy"
_EXACT = partial(decimal, digits=3)
_WHOSE = {"expert": "the expert", "gold": "the gold answers"}
_AXIS = {"expert": "Agreement with the expert, e_w", "gold": "Share of gold answers given, e_w"}
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys((_R, _GLAD, "r with the reference"), _EXACT),
    **dict.fromkeys((_MAJORITY, _SKENE, "e_w, expert", "e_w, gold"), partial(share, digits=1)),
    **dict.fromkeys(("Items", "Votes", "Ratings", "Items shared", "Items known"), count),
    "Seconds": partial(decimal, digits=1),
    ADJUSTED: p_value,
}
RankCorrelations = Mapping[tuple[str, str], Estimate]
"""Of each two methods."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Workers of a study of choices, or raters of numbers, the most reliable first, and all their figures.

    `items` that others judged, too, decide who is looked at; `compared` holds the tests against the typical rater;
    `methods` hold what is compared by rank; `known` names what is known of the items, in a sentence ("the expert") and
    on an axis; none where nothing is. `intervals` says how they were made.
    """

    workers: Sequence[Worker]
    items: Sequence[int]
    columns: pd.DataFrame
    methods: Mapping[str, NDArray[np.float64]]
    intervals: str
    r_title: str
    compared: ComparedRaters
    known: tuple[str, str] | None = None
    person: str = "worker"

    @property
    def table(self) -> Shown:
        """All figures, a row per worker."""
        return self.columns, _WRITTEN

    def among(self, least: int) -> list[Worker]:
        """Workers with at least that many items."""
        return [w for w, items in zip(self.workers, self.items, strict=True) if items >= least]

    def pictured(self, least: int) -> list[Worker]:
        """The same, or everybody where that leaves no two to compare."""
        among = self.among(least)
        return among if sum(w.r.defined for w in among) > 1 else list(self.workers)

    def correlation(self, least: int) -> tuple[Correlation, Correlation]:
        """Agreement with known answers against r_w, Pearson's and Spearman's."""
        among = self.among(least)
        return known_against_r(
            [w.r.value for w in among], [w.known.value if w.known else np.nan for w in among]
        )

    def rank_correlations(self, least: int) -> RankCorrelations:
        """Spearman's rho of each two methods."""
        kept = np.array(self.items) >= least
        return worker_agreement.rank_correlations(
            {name: values[kept] for name, values in self.methods.items()}
        )


def of_choices(poll: Poll, ranking: WorkerRanking, compared: ComparedRaters, known: str) -> Reliability:
    """Workers of a poll; `known` says whose answers theirs are held against, "expert", "gold" or "" for none."""
    order = best_first(ranking.r)
    e = [ranking.known[at] for at in order] if known else None
    r = [ranking.r[at] for at in order]
    names = poll.rater_names[order].tolist()
    methods = {
        _R: np.array([one.value for one in r]),
        _MAJORITY: ranking.majority[order],
        _GLAD: ranking.ability[order],
        _SKENE: ranking.accuracy[order],
    }
    columns: dict[str, Any] = {"Worker": names, "Items": ranking.items[order]}
    if (ranking.votes != ranking.items).any():
        columns["Votes"] = ranking.votes[order]
    columns |= {
        _R: methods[_R],
        "r_w, 95 %": [interval(one) for one in r],
        **_verdicts(compared, names),
        **methods,
    }
    if e is not None:
        name = f"e_w, {known}"
        methods[name] = np.array([one.value for one in e])
        columns |= {
            name: methods[name],
            f"{name}, 95 %": [percent(one, 1) for one in e],
            "Items known": [one.n for one in e],
        }
    if not np.isnan(ranking.seconds).all():
        columns["Seconds"] = ranking.seconds[order]
    return Reliability(
        _workers(names, r, e, compared),
        [one.n for one in r],
        pd.DataFrame(columns),
        methods,
        ranking.intervals,
        "Agreement with the others, r_w",
        compared,
        (_WHOSE[known], _AXIS[known]) if known else None,
    )


def of_ratings(
    compared: ComparedRaters,
    ratings: Sequence[int],
    with_reference: Sequence[Estimate] | None,
    reference: str,
    intervals: str,
) -> Reliability:
    """Raters of numbers: the number of ratings of each, and agreement with the others and with the reference."""
    order = best_first(compared.figures).tolist()
    r = [compared.figures[at] for at in order]
    names = [compared.names[at] for at in order]
    columns: dict[str, Any] = {
        "Rater": names,
        "Ratings": [ratings[at] for at in order],
        "Items shared": [one.n for one in r],
        _R: [one.value for one in r],
        "r_w, 95 %": [interval(one) for one in r],
        **_verdicts(compared, names),
    }
    e = None
    if with_reference is not None:
        e = [with_reference[at] for at in order]
        columns |= {
            "r with the reference": [one.value for one in e],
            "r with the reference, 95 %": [interval(one) for one in e],
            "Items known": [one.n for one in e],
        }
    return Reliability(
        _workers(names, r, e, compared),
        columns["Items shared"],
        pd.DataFrame(columns),
        {},
        intervals,
        "Correlation with the mean of the others, r_w",
        compared,
        (reference, "Correlation with the reference, e_w") if e is not None else None,
        "rater",
    )


def _workers(
    names: Sequence[str], r: Sequence[Estimate], e: Sequence[Estimate] | None, compared: ComparedRaters
) -> list[Worker]:
    of_each = verdicts([compared])[compared.measure]
    return [
        Worker(name, r[at], None if e is None else e[at], of_each.get(name, ("", nan))[0])
        for at, name in enumerate(names)
    ]


def _verdicts(compared: ComparedRaters, names: Sequence[str]) -> dict[str, Any]:
    of_each = verdicts([compared])[compared.measure]
    found = [of_each.get(name, ("", nan)) for name in names]
    return {TYPICAL: [verdict for verdict, _ in found], ADJUSTED: [p for _, p in found]}


def finding(reliability: Reliability) -> Finding:
    """Return who agrees clearly less or more with the others than the typical rater."""
    return naming_finding([reliability.compared])


def known_finding(reliability: Reliability, least: int) -> Finding | None:
    """Return whether raters closer to known answers also agree more with the others; None where that is undefined."""
    if reliability.known is None:
        return None
    rho = reliability.correlation(least)[1].estimate
    if not rho.defined:
        return None
    values: dict[str, object] = {"person": reliability.person.capitalize(), "whose": reliability.known[0]}
    line = evidence(
        f"ρ = {decimal(rho.value)}",
        confidence_interval(rho),
        counted(rho.n, reliability.person),
        for_raters("raters like these"),
    )
    if excludes(rho):
        more = "more" if rho.low > 0 else "less"
        headline = f"{{person}}s closer to {{whose}} also agree {more} with the others."
        return Finding((headline, values), line, name=KNOWN)
    headline = "Whether {person}s closer to {whose} agree more with the others is unclear."
    values["person"] = reliability.person
    return Finding((headline, values), line, Status.UNCERTAIN, name=KNOWN)


def _between(e: Estimate) -> str:
    """The interval behind its figure, once it is drawn."""
    return "" if isnan(e.low) else f", {interval(e)}"


def remarks(reliability: Reliability, least: int) -> list[Sentence]:
    """What is undefined, what rests on little, and what counts 0 as a weight; each reason once."""
    reasons: dict[str, list[str]] = {}
    for worker in reliability.workers:
        if not worker.r.defined:
            reasons.setdefault(worker.r.reason, []).append(worker.name)
    weight = "; as a weight it counts 0" if reliability.person == "worker" else ""
    told: list[Sentence] = [
        (
            "r_w is undefined for {who}: {reason}{weight}.",
            {
                "who": f"{count(len(names))} {reliability.person}s"
                if len(names) > 4
                else ", ".join(map(shorten, names)),
                "reason": reason,
                "weight": weight,
            },
        )
        for reason, names in reasons.items()
    ]
    few = len(reliability.workers) - len(reliability.among(least))
    if few:
        sentence = "Nobody shares {least} items with others."
        if few < len(reliability.workers):
            sentence = "Fewer than {least} items shared with others, so not drawn: {few} of {all} {person}s."
        values: dict[str, object] = {
            "few": count(few),
            "all": count(len(reliability.workers)),
            "least": least,
        }
        told.append((sentence, values | {"person": reliability.person}))
    below = sum(worker.r.value <= 0 for worker in reliability.workers if worker.r.defined)
    if below and reliability.person == "worker":
        told.append(
            (
                "{below} with an r_w of 0 or less count nothing as weights: they answer as chance would, or contrary.",
                {"below": f"{count(below)} worker{'' if below == 1 else 's'}"},
            )
        )
    return told


def methods_table(methods: Sequence[str], rho: RankCorrelations) -> Shown:
    """Methods by methods, "ρ (workers)" in the cells."""

    def cell(one: str, other: str) -> str:
        of_both = rho.get((one, other), rho.get((other, one)))
        if of_both is None:
            return ""
        return f"{decimal(of_both.value) if of_both.defined else '–'} ({count(of_both.n)})"

    rows = [{"Method": one, **{other: cell(one, other) for other in methods}} for one in methods]
    return pd.DataFrame(rows), {}


def methods_notes(rho: RankCorrelations) -> list[Sentence]:
    """Which two methods agree least among these workers, what that means, and why some have no correlation."""
    told: list[Sentence] = []
    known = {pair: of_both for pair, of_both in rho.items() if of_both.defined}
    if known:
        (one, other), lowest = min(known.items(), key=lambda entry: entry[1].value)
        highest = max(of_both.value for of_both in known.values())
        told.append(
            (
                "Spearman's ρ, in brackets the workers. "
                + (
                    "Of these workers' figures those by {one} and {other} agree least (ρ = {rho}{between}); whether "
                    "other workers' would is not worked out here. "
                    if lowest.value < highest
                    else ""
                )
                + "Where "
                "two methods disagree, they mean different things by reliable: r_w and the majority ask who answers as "
                "the others do, GLAD also counts how hard the items were, Dawid-Skene forgives who always mixes up the "
                "same options, and only e_w looks at answers from outside. Look at a worker's votes before leaving out "
                "whom one method ranks low and another high.",
                {"one": one, "other": other, "rho": decimal(lowest.value), "between": _between(lowest)},
            )
        )
    reasons = sorted({of_both.reason for of_both in rho.values() if not of_both.defined})
    return told + [("A dash: {reason}.", {"reason": reason}) for reason in reasons]


EXPLANATION = r"""
**r_w** (PCC-H): for each option, Pearson's correlation over the items between *the worker chose it* (1 or 0) and
the share of all other workers who did; the mean over the options where both vary. It takes items that someone else
judged, too. The paper prints a sum over options; divided by their number it stays within −1 … 1, as its Table 1
does. Several comparisons: within each, then averaged by the worker's items there. Undefined (always the same option,
no shared item) is not 0: nobody knows. As a weight it counts 0.

**Intervals** of $r_w$ are on Fisher's z. Their variance adds two parts: *items* (the larger of $1 / (n - 3)$ and what
each item's pull on $r_w$ shows) and *the other workers* (what each of them pulls $r_w$ by, summed over items, less
what single votes do by chance), with Student's *t* where few colleagues matter. In simulated studies they covered the
truth 92 to 98 of 100 times, over items alone only 76 to 96 (docs/calibration.md). Up to three items, and for an $r_w$
of 1, there is none. Diamonds are workers whose interval holds 0 or less.

**Order**: workers stand in the order of the lower end of the interval (until it is drawn, of Fisher's z over the
items shared with others), so that nobody leads by a handful of votes. The order names nobody.

**Workers clearly below or above the typical one**: each r_w, on Fisher's z, is compared with the weighted median of
all. The error is one jackknife variance for all workers, without the chance that they share by judging the same items.
5 workers need 10 items each that others judged too, and 50 to be named above: by luck r_w reaches 1 with 20 to 25.
p values are adjusted for all workers (Holm); above 50 workers there is a screening list instead (Benjamini and
Hochberg), of which about 1 in 20 is listed by chance. In simulated studies of equally good workers somebody was named
in 0 to 4 of 100 (docs/calibration.md). The power is low with few items.

**With the majority**: share of votes that agree with the majority of the *others* (of t options with equally many
votes each counts 1/t). **GLAD ability** (Whitehill et al. 2009): the higher, the surer the worker is right about an
item of usual difficulty; 0 is guessing, below 0 is contrary. **Dawid-Skene accuracy**: chance of a right answer by
the worker's confusion matrix. Both are fitted to each comparison by itself. **e_w**: share of items with a known
answer (expert or gold) on which the worker gives it, with Wilson's interval over the items.

**Over workers**: Spearman's $\rho$ of two figures, with an interval on Fisher's z from the larger of Bonett and
Wright's error and the jackknife's (each worker left out in turn). Pearson's *r*, the paper's figure, hangs on single
workers far from the others: its intervals covered 76 to 96 of 100 times and are not given.

**Repeats**: a worker who judged an item more than once has one vote, the most frequent, the last of equally frequent
ones.

All but e_w measure agreement: where most are wrong alike, who is right comes last.

Sources: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, and Table 1; Whitehill et al. 2009; Holm 1979;
Efron and Stein 1981; Dawid and Skene
1979; Wilson 1927; Fisher 1921; Cameron, Gelbach and Miller 2011 (items and workers); Bonett and Wright 2000.
"""
