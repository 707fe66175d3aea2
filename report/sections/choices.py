"""A study of choices: who wins, who is reliable, and how many votes are enough."""

from collections.abc import Iterator

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.systems.paired_votes import design_of
from analysis.systems.preference import CLOSED, GLAD, PreferenceSpec
from analysis.workers.polls import usually_dropped
from charts.repetitions.curves import repetitions
from charts.systems.scale import scale_dots
from charts.workers.reliability import ranking
from features.plotting.numbers import share
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS
from features.polls import is_pairs, polls, pooled
from features.results import LARGEST_BOOTSTRAP
from features.study import Scenario, Study
from findings.repetitions import choice_curves, choice_tables
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES
from findings.repetitions.vote_curves import fitted_votes, intervals_of_votes, is_known, range_of_votes
from findings.systems import preference, scale, style
from findings.systems.one_scale import (
    fit_of,
    intervals_of,
    paired_of,
    plain_intervals_of,
    position_effect_of,
    scale_of,
    style_of,
)
from findings.systems.preference_figures import at_hand, put_in_cache
from findings.workers.ranked import ranked_workers
from findings.workers.reliability import FEW_ITEMS, finding, of_choices, remarks
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given
from report.parts.without import what_changes

MOST_PAIRS = 12
"""Pairs of systems up to which each is looked at for itself; the scale says more of so many."""
_OF_WORKERS = (
    "Worker",
    "Items",
    "r_w",
    "r_w, 95 %",
    "With the majority",
    "GLAD ability",
    "Dawid-Skene accuracy",
)
DRAWS = 100
"""Of the intervals of knees, as on the page."""


def systems(study: Study, asked: Asked) -> Iterator[Section]:
    """All systems on one scale where there are more than two, then each pair."""
    if not is_pairs(study):
        return
    there = polls(study)
    if len({system for poll in there for system in (poll.first, poll.second)}) > 2:
        yield _scale(study, asked)
        if study.whole.told_of_options:
            yield _without_style(study, asked)
    if len(there) <= MOST_PAIRS:
        yield _pairs(study, asked)


def _scale(study: Study, asked: Asked) -> Section:
    designs, spec = tuple(dict.fromkeys(design_of(poll) for poll in polls(study))), asked.bootstrap()
    paired = paired_of(study, designs)
    fitted = scale_of(study, designs, paired)
    drawn = intervals_of(study, designs, paired, spec)
    effect = position_effect_of(study, designs, paired, spec)
    fit = fit_of(study, designs, paired, fitted)
    return Section(
        "systems",
        "Systems on one scale",
        findings=[scale.finding(fitted, drawn, spec)],
        pictures=[
            Picture("scale", ("All systems on one scale, the strongest on top.", {}),
                    lambda look: scale_dots(fitted, look, drawn))
        ],
        tables=[
            Table(
                "scale",
                ("All systems from the strongest to the weakest.", {}),
                scale.systems_table(fitted, drawn, spec, effect),
                ("System", "Chance", f"Chance, {share(spec.level)}", "Rank", "Comparisons"),
            ),
            Table("scale-pairs", ("All pairs that were compared.", {}), scale.pairs_table(fitted, drawn, fit, spec),
                  ("First", "Second", "Comparisons", "Share of the first", "Told apart")),
        ],
        warnings=scale.remarks(paired, fitted, drawn),
        notes=[*scale.notes(paired, fitted, drawn, fit), scale.of_position(fitted, effect)],
        methods=[
            (
                "One strength per system from all pairs (Bradley and Terry 1952), ties after Davidson (1970); the "
                "variances are clustered over items and raters (Cameron, Gelbach and Miller 2011), and telling apart "
                "is adjusted for all pairs, with {draws} draws (seed {seed}).",
                {"draws": spec.draws, "seed": spec.seed},
            )
        ],
        cited=["bradley1952", "davidson1970", "cameron2011"],
    )  # fmt: skip


def _without_style(study: Study, asked: Asked) -> Section:
    designs, spec = tuple(dict.fromkeys(design_of(poll) for poll in polls(study))), asked.bootstrap()
    paired = paired_of(study, designs)
    told = style_of(study, designs, paired, study.whole.told_of_options, spec)
    there = not told.reason
    tables = []
    if there:
        plain = plain_intervals_of(study, designs, paired, told, spec)
        first = style.seen_first(spec)
        tables = [
            Table("style", ("All systems as they are and with style taken out.", {}),
                  style.systems_table(told, plain, spec), first),
            Table("style-effects", ("What each thing told of both outputs adds.", {}),
                  style.effects_table(told, spec), first),
        ]  # fmt: skip
    return Section(
        "style",
        "Style taken out",
        findings=[style.finding(told)],
        pictures=[
            Picture("style", ("All systems on one scale with style taken out.", {}),
                    lambda look: scale_dots(told.adjusted, look, told.intervals))
        ] if there else [],
        tables=tables,
        warnings=style.remarks(told),
        notes=style.notes(told) if there else [],
        methods=[
            (
                "Style as covariates of the scale, each the difference of both counts over their sum in units of its "
                "standard deviation, as in the style control of Chatbot Arena (Chiang et al. 2024); variances alike.",
                {},
            )
        ],
        cited=["bradley1952", "davidson1970", "cameron2011", "chiang2024"],
    )  # fmt: skip


def _pairs(study: Study, asked: Asked) -> Section:
    there, bootstrap = polls(study), asked.bootstrap()
    found = {}
    for poll in there:
        spec = PreferenceSpec(usually_dropped([poll]), 3, bootstrap.draws, bootstrap.seed)
        for methods in (CLOSED, (GLAD,)):
            put_in_cache(study, [poll], spec, methods)
        found[poll.name] = at_hand(study, poll, spec)
    return Section(
        "pairs-of-systems",
        "Each two systems",
        findings=[preference.finding(poll, found[poll.name]) for poll in there],
        tables=[
            Table(
                "preferences",
                (
                    "Per comparison the system ahead by PCC-H, and its share by each method, with intervals.",
                    {},
                ),
                preference.pairs_table(there, found),
            )
        ],
        methods=[
            (
                "Shares of the preference by majority, by PCC-H weights (each rater as much as he agrees with the "
                "others, each item as much as its votes agree), without the least reliable, and by GLAD (Habibi and "
                "Popescu-Belis 2012). Intervals: {draws} draws (seed {seed}).",
                {"draws": bootstrap.draws, "seed": bootstrap.seed},
            )
        ],
        cited=["habibi2012"],
    )


def workers(study: Study, scenario: Scenario) -> Section:
    """Who agrees with the others, over all comparisons."""
    poll, poll_of_item = pooled(study)
    known = next(iter(poll.known_answers), "")
    without, tables = what_changes(study, scenario)
    reliability = of_choices(poll, given(ranked_workers(study, poll, poll_of_item, known)), known)
    return Section(
        "workers",
        "The workers",
        findings=[finding(reliability, FEW_ITEMS), *without],
        pictures=[
            Picture(
                "workers",
                ("Agreement of each worker with the others, the highest on top.", {}),
                lambda look: ranking(reliability.pictured(FEW_ITEMS), reliability.r_title, look),
            )
        ],
        tables=[Table("workers", ("All figures per worker.", {}), reliability.table, _OF_WORKERS), *tables],
        warnings=remarks(reliability, FEW_ITEMS),
        methods=[
            (
                "r_w is PCC-H's reliability: the correlation of a worker's choices with the shares of all others' "
                "(Habibi and Popescu-Belis 2012). Intervals: {how}.",
                {"how": reliability.intervals or "none"},
            )
        ],
        cited=["habibi2012"],
    )


def votes(study: Study, asked: Asked) -> Section:
    """How many votes per item are enough for the answer."""
    there, bootstrap = polls(study), asked.bootstrap(DRAWS)
    against = next(each for each in choice_curves.AGAINST if any(is_known(poll, each) for poll in there))
    spec = ChoiceRepetitionSpec(DEFAULT_SHUFFLES, range_of_votes(there, against).repetitions, bootstrap.seed)
    view = choice_curves.ChoiceView(spec, against, 1.0)
    fitted = given(fitted_votes(study, there, view))
    intervals = intervals_of_votes(study, there, fitted, view, bootstrap) if bootstrap.draws else None
    every = [poll.votes for poll in there]
    drawn = fitted[:MOST]
    return Section(
        "repetitions",
        "How many votes are enough",
        findings=[choice_curves.finding(fitted, view)],
        pictures=[
            Picture(
                "curves",
                (
                    "Share of items with the {against} against the number of votes per item.",
                    {"against": against},
                ),
                lambda look: repetitions(
                    drawn, f"Share of items with the {against}", GROUP_COLOURS[0], look, "votes"
                ),
            )
        ],
        tables=[
            Table(
                "knees",
                ("Share of items after one vote, at the knee and after all; the fitted curve.", {}),
                choice_tables.shown_table(fitted, intervals),
                ("Comparison", "Knee", "Knee, 95 %", "Votes per item", "Items", *choice_tables.IN_PERCENT),
                full=choice_tables.full_table(fitted, intervals),
                notes=[choice_curves.how_drawn(study, bootstrap)] if intervals else (),
            )
        ],
        warnings=choice_curves.remarks(every, fitted, view, LARGEST_BOOTSTRAP),
        notes=choice_curves.notes(every, view),
        methods=[
            (
                "An item's answer after r votes is its most voted option among the first r; curves run over {shuffles} "
                "random orders (seed {seed}), an exponential curve is fitted and its knee found by Kneedle (Satopää et "
                "al. 2011), after Iskender, Polzehl and Möller (2020).",
                {"shuffles": spec.shuffles, "seed": spec.seed},
            )
        ],
        cited=["iskender2020", "satopaa2011"],
    )
