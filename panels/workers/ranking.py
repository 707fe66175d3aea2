"""Who is reliable: each worker's agreement with the others and with known answers, and how methods agree."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.assessors.consistency import agreement_with_others
from analysis.assessors.rater_estimates import estimates
from analysis.correlation.two_columns import Correlation
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.workers import worker_ranking
from analysis.workers.polls import ALL_TOGETHER, Poll
from analysis.workers.worker_ranking import WorkerRanking
from charts.parts.numbers import count, decimal, interval, share
from charts.workers.reliability import Worker, ranking, scatter
from findings.study import Study
from findings.words import Sentence
from panels.crowd_vs_lab import comparisons
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result
from panels.parts.store import query, ratings
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.visit.scenario import MOST_BY_HAND, leave_out_by_hand
from panels.workers.polls import polls, pooled

DRAWS = 1000
FEW_ITEMS = 10
"""Items below which a worker is ranked in the table only, unless that leaves nobody to compare."""
_R, _MAJORITY, _GLAD, _SKENE = "r_w", "With the majority", "GLAD ability", "Dawid-Skene accuracy"
_EXACT = partial(decimal, digits=3)
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys((_R, _GLAD, "r with the reference"), _EXACT),
    **dict.fromkeys((_MAJORITY, _SKENE, "e_w, expert", "e_w, gold"), partial(share, digits=1)),
    **dict.fromkeys(("Items", "Votes", "Ratings", "Items shared", "Items known"), count),
    "Seconds": partial(decimal, digits=1),
}


@dataclass(frozen=True, eq=False)
class Shown:
    """What the panel shows of either kind of study: workers in the order of the table, and all their figures.

    `items` decides who is looked at; `methods` hold what is compared by rank; `known` names what is known of the
    items, in a sentence ("the expert") and on an axis; none where nothing is.
    """

    workers: Sequence[Worker]
    items: Sequence[int]
    table: pd.DataFrame
    methods: Mapping[str, Any]
    intervals: str
    r_title: str
    known: tuple[str, str] | None = None
    person: str = "worker"

    def among(self, least: int) -> "list[Worker]":
        """Workers with at least that many items."""
        return [w for w, items in zip(self.workers, self.items, strict=True) if items >= least]


def show(study: Study) -> None:
    """Finding, controls, ranking with intervals, known answers, table, methods against each other, remarks."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        compute = _choices(study) if study.holds_choices else _ratings(study)
        closed = compute(BootstrapSpec(draws=0))
        if closed is None:
            return
        least = _fewest_items(closed)
    picture = st.empty()
    _say_finding(finding, closed, least)
    _draw(picture, closed, least, "closed")
    let_it_be_drawn(f"workers {study.key} {study.candidate} {closed.r_title} {least}")
    shown = compute(BootstrapSpec(draws=DRAWS)) or closed
    if shown is not closed:
        _say_finding(finding, shown, least)
        _draw(picture, shown, least, "with intervals")
    if shown.intervals:
        note("Intervals: {how}.", how=shown.intervals)
    _show_known(shown, least)
    st.subheader(f"All {shown.person}s")
    _show_table(study, shown)
    _show_methods(shown, least)
    for template, values in _remarks(shown, least):
        warn(template, **values)
    downloads("workers", lambda: shown.table, lambda: figure(shown, least))


def at_a_glance(study: Study) -> Shown | None:
    """All workers over all comparisons, without intervals and without controls; None while stopped."""
    poll, of_item = pooled(study)
    known = next((name for name in ("expert", "gold") if (getattr(poll, name) >= 0).any()), "")
    found = _ranked(study, poll, of_item, known)
    return None if found is None else _of_choices(poll, found, known)


def _ranked(study: Study, poll: Poll, of_item: Any, known: str) -> WorkerRanking | None:
    """Workers by every method, without intervals; None while stopped."""
    answers = getattr(poll, known) if known else None
    return long_result(
        key_of(study.dataset, "workers", study.candidate, poll.name, known),
        "Ranking of the workers",
        lambda on_progress: worker_ranking.rank_workers(
            poll.votes, answers, poll.seconds, of_item, on_progress=on_progress
        ),
    )


def _choices(study: Study) -> Callable[[BootstrapSpec], Shown | None]:
    """Draws the controls of a study of choices; what comes back ranks its workers under a spec."""
    poll, of_item = _poll(study)
    known = _known_answers(poll)

    def compute(spec: BootstrapSpec) -> Shown | None:
        found = _ranked(study, poll, of_item, known)
        if found is not None and spec.draws:
            closed = found
            found = long_result(
                key_of(study.dataset, "workers with intervals", study.candidate, poll.name, known, spec),
                "Intervals of r_w",
                lambda on_progress: worker_ranking.with_intervals(
                    closed, poll.votes, of_item, spec, study.raters_are_persons, on_progress
                ),
            )
        return None if found is None else _of_choices(poll, found, known)

    return compute


def _poll(study: Study) -> tuple[Poll, Any]:
    """One comparison, or all together, and the poll of each item."""
    there = {poll.name: poll for poll in polls(study)}
    chosen = ALL_TOGETHER
    if len(there) > 1:
        chosen = st.selectbox(
            "Comparison",
            [ALL_TOGETHER, *there],
            key="ranked_comparison",
            bind="query-params",
            width=320,
            help="All together: r_w is worked out within each comparison and averaged by the worker's items there.",
        )
    if chosen == ALL_TOGETHER:
        return pooled(study)
    return there[chosen], np.zeros(there[chosen].votes.items, dtype=np.int64)


def _known_answers(poll: Poll) -> str:
    """Whose answers the workers' are held against: "expert", "gold", or "" where none are known."""
    there = [name for name in ("expert", "gold") if (getattr(poll, name) >= 0).any()]
    if len(there) < 2:
        return there[0] if there else ""
    return st.selectbox("Known answers", there, key="known_answers", bind="query-params", width=160)


def _of_choices(poll: Poll, found: WorkerRanking, known: str) -> Shown:
    order = _best_first(found.r)
    e = [found.known[at] for at in order] if known else None
    r = [found.r[at] for at in order]
    names = poll.rater_names[order].tolist()
    columns: dict[str, Any] = {"Worker": names, "Items": found.items[order]}
    if (found.votes != found.items).any():
        columns["Votes"] = found.votes[order]
    columns |= {
        _R: [one.value for one in r],
        "r_w, 95 %": [interval(one) for one in r],
        _MAJORITY: found.majority[order],
        _GLAD: found.ability[order],
        _SKENE: found.accuracy[order],
    }
    methods = {_R: columns[_R], **{name: columns[name] for name in (_MAJORITY, _GLAD, _SKENE)}}
    if e is not None:
        name = f"e_w, {known}"
        columns |= {
            name: [one.value for one in e],
            f"{name}, 95 %": [interval(one) for one in e],
            "Items known": [one.n for one in e],
        }
        methods[name] = columns[name]
    if not np.isnan(found.seconds).all():
        columns["Seconds"] = found.seconds[order]
    whose = {"expert": "the expert", "gold": "the gold answers"}
    axis = {"expert": "Agreement with the expert, e_w", "gold": "Share of gold answers given, e_w"}
    return Shown(
        _workers(names, r, e),
        found.items[order].tolist(),
        pd.DataFrame(columns),
        methods,
        found.intervals,
        "Agreement with the others, r_w",
        (whose[known], axis[known]) if known else None,
    )


def _ratings(study: Study) -> Callable[[BootstrapSpec], Shown | None]:
    """Draws the controls of a study of ratings; what comes back ranks its raters under a spec."""
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = st.selectbox(
            "Measure", study.measures, key="ranked_measure", bind="query-params", width=320
        )
    given = ratings(study.dataset, measure, study.candidate)

    def compute(spec: BootstrapSpec) -> Shown | None:
        found = long_result(
            key_of(study.dataset, "raters", measure, study.candidate, spec),
            "Intervals of all raters" if spec.draws else "Ranking of the raters",
            lambda on_progress: agreement_with_others(given, spec, on_progress),
        )
        if found is None:
            return None
        method = found.method if spec.draws else ""
        return _of_ratings(study, measure, given, estimates(found), method)

    return compute


def _of_ratings(
    study: Study, measure: str, given: Ratings, agreement: Sequence[Estimate], method: str
) -> Shown:
    order = _best_first(agreement)
    codes, count_of = np.unique(given.rater, return_counts=True)
    r = [agreement[at] for at in order]
    names = query(study.dataset, "rater_names")["name"][codes[order]].tolist()
    columns: dict[str, Any] = {
        "Rater": names,
        "Ratings": count_of[order],
        "Items shared": [one.n for one in r],
        _R: [one.value for one in r],
        "r_w, 95 %": [interval(one) for one in r],
    }
    e = None
    if study.comparable:
        of = _with_reference(study, measure, given)
        e = [of[at] for at in order]
        columns |= {
            "r with the reference": [one.value for one in e],
            "r with the reference, 95 %": [interval(one) for one in e],
            "Items known": [one.n for one in e],
        }
    return Shown(
        _workers(names, r, e),
        columns["Items shared"],
        pd.DataFrame(columns),
        {},
        method,
        "Correlation with the mean of the others, r_w",
        (study.reference_name, "Correlation with the reference, e_w") if e is not None else None,
        "rater",
    )


def _with_reference(study: Study, measure: str, given: Ratings) -> tuple[Estimate, ...]:
    def compute() -> tuple[Estimate, ...]:
        shared = comparisons.pairs(study, measure).shared()
        values = dict(zip(np.asarray(shared.item).tolist(), shared.mos_reference.tolist(), strict=True))
        return worker_ranking.agreement_with_reference(given, values)

    reference = study.reference, study.reference_column
    return result(
        key_of(study.dataset, "raters with reference", measure, study.candidate, reference), compute
    )


def _best_first(r: Sequence[Estimate]) -> Any:
    """Places from the highest to the lowest, undefined ones last."""
    return np.argsort([-one.value if one.defined else np.inf for one in r], kind="stable")


def _workers(names: Sequence[str], r: Sequence[Estimate], e: Sequence[Estimate] | None) -> list[Worker]:
    return [Worker(name, r[at], None if e is None else e[at]) for at, name in enumerate(names)]


def usually_fewest(shown: Shown) -> int:
    """From how many items on a worker is looked at, at first: so that two can be compared, if any two can."""
    items = sorted((n for w, n in zip(shown.workers, shown.items, strict=True) if w.r.defined), reverse=True)
    return max(min([FEW_ITEMS, *items[1:2]]), 1)


def _fewest_items(shown: Shown) -> int:
    usual = usually_fewest(shown)
    return int(
        st.number_input(
            "Fewest items",
            1,
            max([usual, *(n for w, n in zip(shown.workers, shown.items, strict=True) if w.r.defined)]),
            usual,
            key="fewest_items",
            bind="query-params",
            width=140,
            help="Who judged fewer items than this stands in the table only: an agreement over few items says little.",
        )
    )


def _say_finding(place: Any, shown: Shown, least: int) -> None:
    with place:
        template, values = finding_of(shown, least)
        say(template, **values)


def finding_of(shown: Shown, least: int) -> Sentence:
    """Who agrees best and least with the others, and whether that goes with knowing the answers."""
    known = [w for w in shown.among(least) if w.r.defined]
    if len(known) < 2:
        reasons = {w.r.reason for w in shown.workers} - {""}
        few = f"only {len(known)} with {least} items or more"
        if len(shown.workers) < 2:
            few = "there is only one" if shown.workers else "nobody is left"
        return "No two {person}s can be ranked: {why}.", {
            "person": shown.person,
            "why": "; ".join([few, *sorted(reasons)]),
        }
    first, last = known[0], known[-1]
    template = (
        "<b>{first}</b> agrees best with the others (r = <b>{high}</b>{high_between}), <b>{last}</b> least "
        "(<b>{low}</b>{low_between})"
    )
    values: dict[str, object] = {
        "first": first.name,
        "last": last.name,
        "high": decimal(first.r.value),
        "low": decimal(last.r.value),
        "high_between": _between(first.r),
        "low_between": _between(last.r),
        "person": shown.person,
    }
    if shown.known is not None:
        pearson = _correlation(shown, least)[0].estimate
        if pearson.defined:
            template += f"; {_direction(pearson)}: r = <b>{{e_r}}</b> over {{n}} {{person}}s"
            values |= {"whose": shown.known[0], "e_r": decimal(pearson.value), "n": count(pearson.n)}
    return template + ".", values


def _between(e: Estimate) -> str:
    """The interval behind its figure, once it is drawn."""
    return "" if isnan(e.low) else f", {interval(e)}"


def _direction(pearson: Estimate) -> str:
    if pearson.low > 0:
        return "{person}s closer to {whose} also agree more with the others"
    if pearson.high < 0:
        return "{person}s closer to {whose} agree less with the others"
    return "whether {person}s closer to {whose} agree more with the others remains open"


def _correlation(shown: Shown, least: int) -> tuple[Correlation, Correlation]:
    among = shown.among(least)
    return worker_ranking.known_against_r(
        [w.r.value for w in among], [w.known.value if w.known else np.nan for w in among]
    )


def figure(shown: Shown, least: int) -> dict[str, Any]:
    return ranking(shown.among(least), shown.r_title, look())


def _draw(place: Any, shown: Shown, least: int, which: str) -> None:
    draw(
        place,
        figure(shown, least),
        key=f"workers {which}",
        alt=f"Agreement of each {shown.person} with the others, the highest on top",
    )


def _show_known(shown: Shown, least: int) -> None:
    """The scatter of agreement with known answers against agreement with the others."""
    if shown.known is None:
        return
    pearson, spearman = (found.estimate for found in _correlation(shown, least))
    st.subheader("Known answers against agreement with the others")
    if not pearson.defined:
        note("No correlation: {reason}.", reason=pearson.reason)
    figure = scatter(
        shown.among(least),
        shown.r_title,
        shown.known[1],
        pearson,
        spearman,
        look(),
        shares=shown.person == "worker",
    )
    if figure["data"]:
        draw(
            st,
            figure,
            key="known against r",
            alt="Agreement with known answers against r_w, a dot per worker",
        )


def _show_table(study: Study, shown: Shown) -> None:
    """The table with rows to tick, and a button that leaves the ticked ones out."""
    everyone = query(study.whole, "rater_names")["name"]
    ticked = show_table(
        shown.table,
        WRITTEN,
        alt=f"All figures per {shown.person}, the highest agreement first",
        most=12,
        key="workers" if len(everyone) <= MOST_BY_HAND else None,
    )
    if ticked:
        chosen = shown.table.iloc[ticked, 0].tolist()
        st.button(
            f"Leave out the {len(chosen)} ticked",
            on_click=leave_out_by_hand,
            args=([*st.session_state.get("without", []), *chosen],),
            type="primary",
        )


def _show_methods(shown: Shown, least: int) -> None:
    """Rank correlations of all methods, and what it means where they disagree."""
    if not shown.methods:
        return
    st.subheader("Do the methods rank workers alike?")
    kept = np.array(shown.items) >= least
    of = worker_ranking.rank_correlations(
        {name: np.asarray(values)[kept] for name, values in shown.methods.items()}
    )
    show_table(methods_table(list(shown.methods), of), {}, alt="Spearman's rho of each two methods")
    known = {pair: rho for pair, rho in of.items() if rho.defined}
    if known:
        (one, other), rho = min(known.items(), key=lambda entry: entry[1].value)
        note(
            "Spearman's ρ, in brackets the workers. {one} and {other} agree least (ρ = {rho}; {between}). Where two "
            "methods disagree, they mean different things by reliable: r_w and the majority ask who answers as the "
            "others do, GLAD also counts how hard the items were, Dawid-Skene forgives who always mixes up the same "
            "options, and only e_w looks at answers from outside. Look at a worker's votes before leaving out whom "
            "one method ranks low and another high.",
            one=one,
            other=other,
            rho=decimal(rho.value),
            between=interval(rho),
        )
    for reason in sorted({rho.reason for rho in of.values() if not rho.defined}):
        note("Undefined: {reason}.", reason=reason)


def methods_table(methods: Sequence[str], of: Mapping[tuple[str, str], Estimate]) -> pd.DataFrame:
    """Methods by methods, "ρ (workers)" in the cells."""

    def cell(one: str, other: str) -> str:
        rho = of.get((one, other), of.get((other, one)))
        return "" if rho is None else f"{decimal(rho.value)} ({count(rho.n)})"

    rows = [{"Method": one, **{other: cell(one, other) for other in methods}} for one in methods]
    return pd.DataFrame(rows)


def _remarks(shown: Shown, least: int) -> list[Sentence]:
    """What is undefined, what rests on little, and what counts 0 as a weight; each reason once."""
    reasons: dict[str, list[str]] = {}
    for worker in shown.workers:
        if not worker.r.defined:
            reasons.setdefault(worker.r.reason, []).append(worker.name)
    weight = "; as a weight it counts 0" if shown.person == "worker" else ""
    told: list[Sentence] = [
        (
            "r_w is undefined for {who}: {reason}{weight}.",
            {
                "who": f"{count(len(names))} {shown.person}s" if len(names) > 4 else ", ".join(names),
                "reason": reason,
                "weight": weight,
            },
        )
        for reason, names in reasons.items()
    ]
    few = len(shown.workers) - len(shown.among(least))
    if few:
        sentence = "{few} of {all} {person}s judged fewer than {least} items: they stand in the table only."
        values: dict[str, object] = {"few": count(few), "all": count(len(shown.workers)), "least": least}
        told.append((sentence, values | {"person": shown.person}))
    below = sum(worker.r.value <= 0 for worker in shown.workers if worker.r.defined)
    if below and shown.person == "worker":
        told.append(
            (
                "{below} with an r_w of 0 or less count nothing as weights: they answer as chance would, or contrary.",
                {"below": f"{count(below)} worker{'' if below == 1 else 's'}"},
            )
        )
    return told


EXPLANATION = r"""
**r_w** (PCC-H): for each option, Pearson's correlation over the items between *the worker chose it* (1 or 0) and
the share of all other workers who did; the mean over the options where both vary. It takes items that someone else
judged, too. The paper prints a sum over options; divided by their number it stays within −1 … 1, as its Table 1
does. Several comparisons: within each, then averaged by the worker's items there. Undefined (always the same option,
no shared item) is not 0: nobody knows. As a weight it counts 0.

**Intervals** draw items, and workers among *the others*, 1,000 times with replacement, and work out r_w again; how
often a worker is drawn does not matter for that worker's own r_w. On Fisher's z the draws are moved to the
estimate (with copies of fewer colleagues the others' mean is noisier than it was) and widened for few items. Up to
three items there is none. Diamonds are workers whose interval
holds 0 or less.

**With the majority**: share of votes that agree with the majority of the *others* (of t options with equally many
votes each counts 1/t). **GLAD ability** (Whitehill et al. 2009): the higher, the surer the worker is right about an
item of usual difficulty; 0 is guessing, below 0 is contrary. **Dawid-Skene accuracy**: chance of a right answer by
the worker's confusion matrix. Both are fitted to each comparison by itself. **e_w**: share of items with a known
answer (expert or gold) on which the worker gives it, with Wilson's interval over the items.

**Ratings**: r_w is the correlation of a rater's scores with the mean of the others' on the same items; e_w that with
the reference chosen in the sidebar (another group's MOS or a number of the items).

All but e_w measure agreement: where most are wrong alike, who is right comes last.

Sources: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, and Table 1; Whitehill et al. 2009; Dawid and Skene
1979; Wilson 1927; Owen 2007 (bootstrap).
"""
