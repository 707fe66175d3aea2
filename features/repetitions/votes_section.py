"""Section of repetitions of votes: curves with their knees, both ways to an answer, and costs."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import nan

from analysis.repetitions.knee import FittedCurves, KneeInterval, by_knee
from analysis.resampling.intervals import wilson
from analysis.values.estimate import Estimate
from analysis.workers.polls import Poll
from features.assessments import polls
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Note,
    Progress,
    Table,
    Warning,
    capitalized,
    card_of,
    clear,
    confidence_interval,
    in_stages,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.numbers import count, share
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.program import method_of, study_program
from features.repetitions.details_findings import Weighed, Wording, cost_blocks
from features.repetitions.figures import repetition_curves
from features.repetitions.ratings_findings import (
    FEWEST_ITEMS,
    by_reason,
    fit_columns,
    knee_columns,
    knee_interval_text,
    range_of_knees,
    why_no_knee,
    without_table,
)
from features.repetitions.ratings_results import SHUFFLES_OF_SAMPLE
from features.repetitions.ratings_section import CURVES
from features.repetitions.votes_results import (
    ALL_VOTES,
    EXPERT,
    VoteRepetitions,
    VotesSpec,
    default_votes_spec,
    fitted_votes,
    simulate_votes,
    vote_stages,
)
from features.results import LARGEST_BOOTSTRAP
from features.study import Study
from features.words import Column, counted, estimate_columns, table_of

GIVES = {"majority": "the majority", "PCC-H": "the weighted majority"}
_PERCENT = partial(share, digits=1)


def stopped_finding() -> Finding:
    """Return the finding of curves that were stopped."""
    return not_applicable("The curves are not computed: they were stopped.")


def votes_finding(found: VoteRepetitions, spec: VotesSpec) -> Finding:
    """Return where gains slow, once the knees' intervals are known; before, the share of items answered right."""
    known = [one for one in found.fitted if one.curves.repetitions]
    if not known:
        reasons = sorted({one.curves.reason for one in found.fitted})
        headline = "Not enough data to say how many votes are enough."
        return not_enough_data(headline, {}, capitalized("; ".join(reasons)))
    most = max(known, key=lambda one: int(one.curves.items[-1]))
    items = int(most.curves.items[-1])
    if items < FEWEST_ITEMS:
        step = NextStep("Plan more items", "planning.py")
        there = counted(items, "item")
        return too_few("find where gains slow", {}, there, FEWEST_ITEMS, next_step=step)
    if max(one.curves.repetitions for one in known) == 1:
        return not_enough_data(
            "This page needs at least two votes per item.",
            {},
            "Most items have one",
            *_share_line(known[0], spec),
            next_step=NextStep("Plan a pilot", "planning.py"),
        )
    intervals = dict(zip((one.measure for one in found.fitted), found.intervals or (), strict=False))
    knees = by_knee(known)
    stable = [one for one in knees if one.measure in intervals and intervals[one.measure].has_knee]
    if stable:
        one = stable[len(stable) // 2]
        several = len(found.fitted) > 1
        return clear(
            "Gains slow after about <b>{knee}</b> votes per item.",
            {"knee": one.knee},
            *range_of_knees(stable, len(found.fitted), "comparisons"),
            knee_interval_text(intervals[one.measure].knee, one.measure if several else ""),
            f"{spec.against} on {share(one.curves.mean_at(one.knee or 0))} of items instead of "
            f"{share(one.curves.mean_at(one.curves.repetitions))} after all {one.curves.repetitions}",
            counted(int(one.curves.items[-1]), "item"),
            "shift with study size" if len(stable) > 1 else "shifts with study size",
        )
    one, why = known[0], ""
    if not knees:
        why = f"no knee: {'; '.join(sorted({why_no_knee(each, 'votes') for each in known}))}"
    elif found.intervals is not None:
        unstable = knees[len(knees) // 2].measure
        why = f"{share(intervals[unstable].without_knee)} of the bootstrap samples have no knee"
    who = GIVES[spec.curves.weights]
    headline = "{who} matches the {against} on <b>{share}</b> of items."
    if len(found.fitted) > 1:
        headline = "On {comparison}, {who} matches the {against} on <b>{share}</b> of items."
    values = {
        "comparison": one.measure,
        "who": who if len(found.fitted) > 1 else capitalized(who),
        "against": spec.against,
        "share": share(one.curves.mean_at(one.curves.repetitions)),
    }
    return uncertain(headline, values, *_share_line(one, spec), why)


def _share_line(one: FittedCurves, spec: VotesSpec) -> Iterator[str]:
    m = one.curves.repetitions
    last, items = one.curves.mean_at(m), int(one.curves.items[-1])
    _, low, high = wilson(last * items, items)
    yield confidence_interval(Estimate(last, float(low), float(high)), share)
    yield counted(items, "item")
    yield f"{counted(m, 'vote')} per item"
    if m > 1:
        yield f"with one vote {share(one.curves.mean_at(1))}"
    yield "for these raters"


def exclusion_finding(
    study: Study, before: Sequence[FittedCurves], after: Sequence[FittedCurves], spec: VotesSpec
) -> Finding:
    """Return the comparison whose share of items changes most without the excluded raters."""
    gone = study.dataset.without
    pairs = []
    for old, new in zip(before, after, strict=True):
        r = min(old.curves.repetitions, new.curves.repetitions)
        pairs.append((new.measure, r, old.curves.mean_at(r), new.curves.mean_at(r)))
    known = [pair for pair in pairs if pair[2] == pair[2] and pair[3] == pair[3]]
    values: dict[str, object] = {"who": gone[0] if len(gone) == 1 else "the excluded raters"}
    if not known:
        headline = "With or without {who}, no share of items is known."
        return uncertain(headline, values, name="exclusion")
    measure, r, old_share, new_share = max(known, key=lambda pair: abs(pair[3] - pair[2]))
    values |= {"new": _PERCENT(new_share), "old": _PERCENT(old_share), "against": spec.against}
    return uncertain(
        "Without {who}, <b>{new}</b> instead of {old} of items get the {against}.",
        values,
        f"Largest change of {len(known)} comparisons: {measure}" if len(known) > 1 else capitalized(measure),
        f"after {counted(r, 'vote')} per item",
        "in these votes",
        name="exclusion",
    )


def votes_table(found: VoteRepetitions) -> Table:
    """Return the share of items after one vote, at the knee and after all votes, the knee, and the fitted curves."""
    fitted, intervals = found.fitted, found.intervals or (None,) * len(found.fitted)
    at_knee = [_at_knee(one, drawn) for one, drawn in zip(fitted, intervals, strict=True)]
    after = {
        "After 1": [one.curves.mean_at(min(1, one.curves.repetitions)) for one in fitted],
        "After all": [one.curves.mean_at(one.curves.repetitions) for one in fitted],
    }
    return table_of(
        "knees",
        "Share of items after one vote, at the knee and after all votes, and the knee of the fitted curve.",
        [
            Column("Comparison", [one.measure for one in fitted]),
            Column("After 1", after["After 1"], _PERCENT),
            *estimate_columns("At the knee", at_knee, _PERCENT),
            Column("After all", after["After all"], _PERCENT),
            *knee_columns(fitted, found.intervals, "Votes per item"),
            *fit_columns(fitted),
        ],
    )


def _at_knee(one: FittedCurves, drawn: KneeInterval | None) -> Estimate:
    if one.knee is None:
        return Estimate(nan)
    value = one.curves.mean_at(one.knee)
    if drawn is None or not drawn.draws:
        return Estimate(value)
    return Estimate(value, float(drawn.low[one.knee - 1]), float(drawn.high[one.knee - 1]))


def weights_table(
    fitted: Sequence[FittedCurves], majority: Sequence[FittedCurves], weighted: Sequence[FittedCurves]
) -> Table:
    """Return the shares by majority and by PCC-H weights at the knee of the curves shown, and after all votes."""
    at = [one.knee or one.curves.repetitions for one in fitted]
    ways = {"Majority": majority, "PCC-H weights": weighted}
    at_knee = {
        name: [one.curves.mean_at(r) for one, r in zip(of, at, strict=True)] for name, of in ways.items()
    }
    after_all = {
        name: [one.curves.mean_at(one.curves.repetitions) for one in of] for name, of in ways.items()
    }
    differences = [two - one for one, two in zip(*at_knee.values(), strict=True)]
    items = [int(one.curves.items[r - 1]) if r else 0 for one, r in zip(fitted, at, strict=True)]
    return table_of(
        "weights",
        "Share of items by majority and by PCC-H weights, at the knee (else after all votes) and after all votes.",
        [
            Column("Comparison", [one.measure for one in fitted]),
            Column("Items", items, count),
            Column("Votes", at),
            *(Column(name, values, _PERCENT) for name, values in at_knee.items()),
            Column("Difference", differences, _PERCENT),
            *(Column(f"{name}, all", values, _PERCENT) for name, values in after_all.items()),
        ],
    )


def weights_note(spec: VotesSpec) -> Note:
    """Return the limits of comparing both ways to an answer."""
    own = " Each is compared with its own answer of all votes." if spec.against == ALL_VOTES else ""
    return Note(
        (f"Majority and PCC-H weights are compared on these votes, not for other items or raters.{own}", {})
    )


def votes_notes(study: Study, spec: VotesSpec, has_intervals: bool) -> Iterator[Note]:
    """Yield how intervals are computed, and what is so by construction."""
    if has_intervals:
        what = "items and raters" if study.raters_are_persons else "items only, since rater ids are slots"
        yield Note(
            (
                "Intervals: {draws} bootstrap samples of {what}, each with {shuffles} random orders and everything "
                "fitted again; seed {seed}. R² is that of the one fitted curve for each order.",
                {
                    "draws": spec.bootstrap.draws,
                    "what": what,
                    "shuffles": SHUFFLES_OF_SAMPLE,
                    "seed": spec.bootstrap.seed,
                },
            )
        )
    if spec.against == ALL_VOTES:
        yield Note(
            (
                "Once all its votes are counted, an item has the answer of all votes by construction (one whose "
                "options tie, by chance): this shows how soon answers stop changing, not if they are right.",
                {},
            )
        )
    if spec.curves.weights == "majority" and any(poll.votes.options == 2 for poll in polls(study)):
        yield Note(
            (
                "With two options a second, fourth … vote only adds ties, so the curve rises at odd numbers; the "
                "fitted one runs between its steps.",
                {},
            )
        )


def votes_warnings(
    there: Sequence[Poll], fitted: Sequence[FittedCurves], spec: VotesSpec
) -> Iterator[Warning]:
    """Yield each reason why something is undefined, left out or sampled, with the comparisons it holds for."""
    told = dict[str, list[str]]()
    article = "an" if spec.against == EXPERT else "a"
    for poll, one in zip(there, fitted, strict=False):
        m, items, left_out = one.curves.repetitions, one.curves.items, one.curves.left_out
        reasons = [one.curves.reason]
        if one.knee is None and m:
            reasons.append(why_no_knee(one, "votes"))
        if left_out:
            reasons.append(f"{counted(left_out, 'item')} without {article} {spec.against} left out")
        if len(items) and items[-1] < items[0]:
            reasons.append(
                f"items with fewer votes leave the curve: {count(items[0])} at the first vote, {count(items[-1])} at "
                "the last"
            )
        most = int(poll.votes.per_item.max(initial=0))
        if spec.curves.repetitions is None and m < most:
            reasons.append(
                f"the curve ends at the fewest votes of an item ({m}; the most are {most}); a larger number of votes "
                "shows more"
            )
        if poll.votes.items > LARGEST_BOOTSTRAP:
            reasons.append(
                f"curves are computed from {count(LARGEST_BOOTSTRAP)} items drawn at random (seed 0)"
            )
        for reason in dict.fromkeys(filter(None, reasons)):
            told.setdefault(reason, []).append(one.measure)
    yield from by_reason(told)


def cost_wording(against: str) -> Wording:
    """Return how costs of votes are worded."""
    return Wording("vote", "comparison", f"share of items with the {against}", {}, share, 1, 1)


def votes_section(study: Study, spec: VotesSpec, panels: tuple[str, ...] | None = None) -> Iterator[Block]:
    """Yield how many votes are enough: first without intervals, unless these are there already.

    `panels` are the comparisons whose curves are drawn, None for the first nine.
    """
    found = yield from in_stages(vote_stages(study, spec), partial(_curve_blocks, study, spec, panels))
    if not found.fitted:
        yield stopped_finding()
    if not has_curves(found.fitted):
        return
    yield from votes_notes(study, spec, found.intervals is not None)
    yield from votes_warnings(polls(study), found.fitted, spec)
    yield Progress("Both ways to an answer")
    if (other := fitted_votes(study, spec.other_weights)) is not None:
        ways = (found.fitted, other) if spec.curves.weights == "majority" else (other, found.fitted)
        yield Heading("Majority and PCC-H weights")
        yield weights_table(found.fitted, *ways)
        yield weights_note(spec)
    if study.dataset.without and (everyone := fitted_votes(study.everyone, spec)) is not None:
        yield Heading("Curves without the excluded raters")
        yield exclusion_finding(study, everyone, found.fitted, spec)
        yield without_table(everyone, found.fitted, ("Comparison", "Share"))
    given = {"shuffles": spec.curves.shuffles, "seed": spec.curves.seed}
    yield method_of("repetitions", "votes", ["iskender2020", "satopaa2011"], **given)


def has_curves(fitted: Sequence[FittedCurves]) -> bool:
    """Return True where some comparison has items with two votes."""
    return max((one.curves.repetitions for one in fitted), default=0) > 1


def _curve_blocks(
    study: Study, spec: VotesSpec, panels: tuple[str, ...] | None, found: VoteRepetitions
) -> Iterator[Block]:
    if not found.fitted:
        return
    yield votes_finding(found, spec)
    if not has_curves(found.fitted):
        return
    shown = panels or tuple(one.measure for one in found.fitted[:MOST])
    intervals = found.intervals or (None,) * len(found.fitted)
    bands = [None if one is None else (one.low, one.high) for one in intervals]
    drawn = [pair for pair in zip(found.fitted, bands, strict=True) if pair[0].measure in shown]
    color = (
        group_colour(study.candidate, study.groups) if study.candidate in study.groups else GROUP_COLOURS[0]
    )
    yield Figure(
        CURVES,
        (
            "Share of items with the {against} along the number of votes per item, with fitted curve and knee.",
            {"against": spec.against},
        ),
        partial(
            repetition_curves,
            [one for one, _ in drawn],
            f"Share of items with the {spec.against}",
            color,
            given="votes",
            bands=[band for _, band in drawn],
        ),
    )
    yield votes_table(found)


def votes_cost_section(study: Study, spec: VotesSpec, weighed: Weighed) -> Iterator[Block]:
    """Yield what a number of votes per item costs, saves and gives up."""
    fitted = fitted_votes(study, spec) or ()
    if has_curves(fitted):
        yield from cost_blocks(fitted, weighed, cost_wording(spec.against))


def votes_card(study: Study) -> Iterator[Block]:
    """Yield the finding and the curves of the first comparisons for the overview, without intervals."""
    spec = default_votes_spec(study, most=MOST)
    yield from card_of(_first_stage(study, spec))


def _first_stage(study: Study, spec: VotesSpec) -> Iterator[Block]:
    fitted = fitted_votes(study, spec)
    yield from _curve_blocks(study, spec, None, VoteRepetitions(fitted or ()))


def votes_program(study: Study, spec: VotesSpec) -> str:
    """Return a program that computes curves and knees of votes without a browser."""
    lines = [
        "results = {one.measure: {'knee': one.knee, 'fitted': one} for one in found.fitted}",
        "for one, knee in zip(found.fitted, found.intervals or [None] * len(found.fitted)):",
        "    results[one.measure]['interval'] = knee",
    ]
    return study_program(study, None, simulate_votes, spec, lines)
