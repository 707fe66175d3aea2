"""What the Repetitions page says of choices: how many votes per item are enough for the answer, and what fewer cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.repetitions.cost import CostSpec, costs
from analysis.repetitions.fitted_curves import FittedCurves, by_knee
from analysis.resampling.intervals import wilson
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.names import shorten
from analysis.values.votes import Votes
from features.blocks import Finding
from features.plotting.numbers import count, percent, share, share_saved
from features.plotting.panels import MOST
from features.study import Study
from features.verdicts import not_applicable, not_enough_data, uncertain
from features.words import Sentence, counted
from findings.repetitions.cost import Wording
from findings.repetitions.knee_table import SHUFFLES, Intervals
from findings.repetitions.needed import FEWEST_ITEMS

GOLD, EXPERT, ALL_VOTES = "gold answer", "expert's answer", "answer of all votes"
AGAINST = (GOLD, EXPERT, ALL_VOTES)
"""What an item's answer can be held against, the best first."""
GIVES = {"majority": "majority gives", "PCC-H": "majority by PCC-H weights gives"}
STOPPED = not_applicable("The curves are not computed: they were stopped.")


@dataclass(frozen=True)
class ChoiceView:
    """What is looked at: how answers come about, what they are held against, and how the knee is found."""

    spec: ChoiceRepetitionSpec
    against: str
    sensitivity: float


def finding(fitted: Sequence[FittedCurves], view: ChoiceView, intervals: Intervals = None) -> Finding:
    """Return the knee of votes, once its interval is known, with the savings and the loss there."""
    known = [one for one in fitted if one.curves.repetitions]
    found = dict(zip((one.measure for one in fitted), intervals or (), strict=False))
    knees = by_knee(known)
    with_knee = [one for one in knees if one.measure in found and found[one.measure].has_knee]
    if not known:
        return not_enough_data(
            "Nothing can be said about how many votes are enough: {why}.",
            {"why": "; ".join(sorted({one.curves.reason for one in fitted}))},
        )
    one = with_knee[len(with_knee) // 2] if with_knee else known[0]
    m = one.curves.repetitions
    r = (one.knee or 1) if with_knee else 1
    first, last = (one.curves.mean_at(r), one.curves.mean_at(m))
    digits = 0 if share(first) != share(last) else 1
    items = int(one.curves.items[-1])
    _, low, high = wilson(last * items, items)
    values: dict[str, object] = {
        "interval": percent(Estimate(last, float(low), float(high))),
        "items": counted(items, "item"),
        "r": r,
        "m": m,
        "of": f"on {one.measure}, " if len(fitted) > 1 else "",
        "gives": GIVES[view.spec.weights],
        "against": view.against,
        "first": share(first, digits),
        "last": share(last, digits),
        "saved": share_saved(float(costs(1, 1, m, CostSpec()).saved_of_ratings[r - 1])),
        "s": "" if m == 1 else "s",
    }
    if items < FEWEST_ITEMS:
        return not_enough_data(
            "How many votes are enough cannot be told from {items}: it takes at least {fewest}.",
            values | {"fewest": FEWEST_ITEMS},
        )
    gives = "{of}{gives} the {against} for <b>{first}</b> of the items"
    if m == 1:
        return not_enough_data(
            f"With the one vote that every item has, {gives}. How many are enough cannot be told from that.",
            values,
        )
    if knees and intervals is None:
        return uncertain(
            f"With one vote per item {gives}, with {{m}} for <b>{{last}}</b> ({{interval}} over {{items}}).",
            values,
        )
    if knees and not with_knee:
        values["share"] = share(found[knees[len(knees) // 2].measure].without_knee)
        return not_enough_data(
            f"How many votes are enough is uncertain: with one vote per item {gives}, with {{m}} for <b>{{last}}</b> "
            "({interval} over {items}), and {share} of the bootstrap samples have no knee.",
            values,
        )
    if not with_knee:
        values["why"] = "; ".join(sorted({_why_no_knee(each) for each in known}))
        return not_enough_data(
            f"How many votes are enough cannot be told: with one vote per item {gives}, with {{m}} for <b>{{last}}</b> "
            "({interval} over {items}), and no knee ({why}).",
            values,
        )
    template = (
        f"At <b>{{r}}</b> of {{m}} votes per item {gives} instead of {{last}}: <b>{{saved}}</b> of the "
    )
    template += "per-vote cost saved ({interval} after all, over {items}, for these workers)."
    if len(fitted) > 1:
        values |= {
            "low": with_knee[0].knee,
            "high": with_knee[-1].knee,
            "k": len(with_knee),
            "n": len(fitted),
        }
        where = "at <b>{low}</b>" if values["low"] == values["high"] else "from <b>{low} to {high}</b>"
        template += f" Knees lie {where} ({{k}} of {{n}} comparisons have one)."
    template += " The knee moves with how many votes were collected."
    return uncertain(template, values)


def _why_no_knee(one: FittedCurves) -> str:
    m = one.curves.repetitions
    if one.curves.reason or m <= 5:
        return one.curves.reason or f"{m} {'vote is' if m == 1 else 'votes are'} too few for a knee"
    return one.saturation.reason or "the curve after it is not flat enough"


def how_drawn(study: Study, bootstrap: BootstrapSpec) -> Sentence:
    """What the intervals rest on."""
    what = (
        "items and workers"
        if study.raters_are_persons
        else "items only, since raters are slots and not persons"
    )
    return (
        "Intervals of curve and knee: from {draws} draws of {what}, each with {shuffles} shuffles and everything "
        "fitted again; seed {seed}. The knee is a whole number, so that its interval held in 99 to 100 % of simulated "
        "studies. R² is that of the one fitted curve for each order.",
        {"draws": bootstrap.draws, "what": what, "shuffles": SHUFFLES, "seed": bootstrap.seed},
    )


def notes(votes: Sequence[Votes], view: ChoiceView) -> list[Sentence]:
    """What to know when reading the curves."""
    told: list[Sentence] = []
    if view.against == ALL_VOTES:
        told.append(
            (
                "Once all its votes are counted, an item agrees with the answer of all votes by construction (one "
                "whose options tie, by chance): this shows how soon answers stop changing, not whether they are right.",
                {},
            )
        )
    if view.spec.weights == "majority" and any(each.options == 2 for each in votes):
        told.append(
            (
                "With two options a second, fourth … vote only adds ties, so the curve rises at odd numbers; the "
                "fitted one runs between its steps.",
                {},
            )
        )
    return told


def remarks(
    votes: Sequence[Votes], fitted: Sequence[FittedCurves], view: ChoiceView, most_items: int
) -> list[Sentence]:
    """What is undefined, left out or sampled (down to `most_items`), each reason once."""
    told: dict[str, list[str]] = {}
    for of_one, one in zip(votes, fitted, strict=True):
        reasons = [one.curves.reason]
        if one.knee is None and one.curves.repetitions:
            reasons.append(_why_no_knee(one))
        items, left_out = one.curves.items, one.curves.left_out
        if left_out:
            reasons.append(f"{count(left_out)} item{_s(left_out)} without {_article(view.against)} left out")
        if len(items) and items[-1] < items[0]:
            reasons.append(
                f"items with fewer votes leave the curve: {count(items[0])} at the first vote, {count(items[-1])} at "
                "the last"
            )
        most = int(of_one.per_item.max(initial=0))
        if view.spec.repetitions is None and one.curves.repetitions < most:
            reasons.append(
                f"the curve ends at the fewest votes of an item ({one.curves.repetitions}; the most are {most}); move "
                "the largest number of votes up to see more"
            )
        if of_one.items > most_items:
            reasons.append(f"the curves rest on {count(most_items)} items drawn at random (seed 0)")
        for reason in dict.fromkeys(reasons):
            if reason:
                told.setdefault(reason, []).append(one.measure)
    return [
        ("{where}: {reason}.", {"where": ", ".join(map(shorten, where[:MOST])), "reason": reason})
        for reason, where in told.items()
    ]


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _article(against: str) -> str:
    return f"an {against} are" if against == EXPERT else f"a {against} are"


def wording(view: ChoiceView) -> Wording:
    """How the cost panel speaks of votes."""
    return Wording(
        one="vote",
        given="votes",
        of="comparison",
        figure=f"share of items with the {view.against}",
        told=f"the {view.against} for <b>{{first_r}}</b> of {{items}} instead of {{first_m}} ({{first}})",
        priced={},
        seconds_help="Time for one vote. Left empty: the median of the data's seconds.",
        written=share,
        digits=1,
        digits_in_table=1,
    )


EXPLANATION = r"""
**Curves.** An item's answer after *r* votes is its most voted option among the first *r*: a system, both, neither, a
tie, or a label. The curve is the share of items whose answer is the gold one (or the expert's, or that of all votes),
for *r* = 1 … *m*; where options tie it counts what drawing one of them gives on average. The measured order is the
`order` column's, else the time stamps', else the file's; a shuffle draws a fresh order of each item's votes without
replacement. *m* is the largest number that 9 of 10 items (and at least 10) have, unless you move it;
items with fewer leave the curve.

**Answer of all votes.** Without gold, this says how soon answers stop changing. At *m* the share is 1 by construction
where all items have *m* votes and no options tie. It is no measure of being right.

**PCC-H weights.** A vote counts as much as its worker's $r_w$, the correlation of their choices with the mean of the
others', none below 0; where all of an item's are 0, its votes count alike. At *r* the weights use only the first *r*
votes of every item in that order: weights from all votes would know answers that are not yet asked. One vote per item
tells nothing about workers, so both curves start together.

**Fit and knee.** As for ratings: $y = a\,(1 - e^{-b x}) + c$ by least squares through all points of all orders, and the
knee where Kneedle (Satopää et al. 2011) finds it on the fitted curve. **It moves with m**: it says where *this* curve
flattens. No knee where $a \le 0$, $b(m - 1) < 3$ or $m \le 5$. With two options, majority rises at odd *r* only; the
fitted curve runs between the steps. Shares in sentences and tables are means over the orders, not the fitted curve.

**Intervals** draw items and workers with replacement; each drawn item has as many votes as before, from the drawn
workers, a worker drawn twice voting twice, copies anywhere in the order and never 'others' to each other. All is
simulated, weighted and fitted again. Copies shift every drawn curve (down against gold, up against all votes), so
the draws are moved (after the arcsine of the root) until their mean is the estimate's. The band of
the shuffles only shows luck of the order *given these votes*.

Sources: Iskender, Polzehl and Möller 2020, section 4.2, for the repetitions; Habibi and Popescu-Belis 2012, section 5,
Eqs. 1 and 2, for the weights; Owen 2007 for the intervals. Bringing the two together is ours.
"""
