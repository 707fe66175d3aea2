"""Two systems: verdict, the paper's tables, all pairs, items by difficulty, and the blocks of page and report."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.items.rating_spread import effective_number
from analysis.systems.preference import (
    DROPPED,
    METHODS,
    PCCH,
    Preference,
    PreferenceSpec,
    items_for_clear_preference,
    second_list_difference,
    second_list_share,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.workers.pcch import Difficulty
from analysis.workers.polls import Poll, default_dropped_raters
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
    Text,
    Warning,
    capitalized,
    clear_if,
    confidence_interval,
    in_stages,
    method_of,
    name_of,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.series import Series, series_dots
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    estimate_with_interval,
    points,
    share,
    shorten,
)
from features.program import computed_by
from features.study import Study
from features.systems import pairs_results as results
from features.systems.pairs_results import FEWEST_ITEMS, ComparedPair, PairSpec, find_designs, verdict_method
from features.words import Column, counted, estimate_columns, extent_in_words, listed, table_of, why_column

MOST_TIMES = 20
"""Multiple of its items that a study may be told to collect."""
_UNKNOWN = Estimate(np.nan)


def method_name(method: str, spec: PreferenceSpec) -> str:
    return f"least reliable {count(spec.dropped)} dropped" if method == DROPPED else method


def leading_system(poll: Poll, first: Estimate) -> tuple[str, str]:
    """Return the system with more than half of the preference, and the other; the first first where both have half."""
    return (poll.second, poll.first) if first.value < 0.5 else (poll.first, poll.second)


def _pair(poll: Poll, **more: object) -> dict[str, object]:
    return {"first": poll.first, "second": poll.second, **more}


def pair_finding(poll: Poll, preference: Preference) -> Finding:
    """Return which system is preferred, by PCC-H if that counts enough items, and whether the other methods agree."""
    method = verdict_method(preference)
    of_first = preference.shares[method]
    ahead, behind = leading_system(poll, of_first)
    shares = shares_of(poll, preference, ahead)
    share_of_first = shares[method]
    items, raters = counted(preference.items, "item"), counted(preference.raters, "rater")
    if poll.votes.weight is not None:
        items += f", effective n {count(effective_number(poll.votes.weight))} of {counted(len(poll.votes), 'choice')}"
    named = {"method": capitalized(method), "ahead": name_of(ahead), "behind": behind}
    values = _pair(poll, **named, why=of_first.reason, share=share(share_of_first.value))
    number = f"{ahead} {share(share_of_first.value)} by {method}"
    line = confidence_interval(share_of_first, share), items, raters, poll.design
    if not of_first.defined:
        headline = "{method} gives no preference between {first} and {second}: {why}."
        return not_enough_data(headline, values, *line)
    if preference.items < FEWEST_ITEMS:
        step = NextStep("Plan more items", "planning.py", {"plan": "Is one preferred?"})
        purpose = "compare {first} and {second}"
        return too_few(purpose, values, items, FEWEST_ITEMS, number, *line, next_step=step)
    known = [one.value for one in shares.values() if one.defined]
    agreement = f"{extent_in_words(sum(value > 0.5 for value in known), len(known), 'methods')} agree"
    if share_of_first.value == 0.5 or share_of_first.low <= 0.5 <= share_of_first.high:
        headline = "Neither {first} nor {second} is clearly preferred."
        needed = _items_needed(share_of_first, preference.items)
        return uncertain(headline, values, number, *line, agreement, needed)
    headline = "{ahead} is preferred over {behind} with a share of {share}."
    return clear_if(share_of_first.excludes(0.5), headline, values, *line, f"by {method}", agreement)


def _items_needed(estimate: Estimate, items: int) -> str:
    number = items_for_clear_preference(estimate, items)
    if estimate.value == 0.5:
        return ""
    if number > MOST_TIMES * items:
        return f"even {MOST_TIMES} times the items would not decide"
    digits = max(len(str(int(number))) - 2, 0)
    return f"about {count(round(number, -digits))} items like these would decide"


def shares_of(poll: Poll, preference: Preference, system: str) -> Mapping[str, Estimate]:
    """Return the share of one of two systems by each method."""
    if system == poll.first:
        return preference.shares
    return {method: second_list_share(one) for method, one in preference.shares.items()}


def methods_table(found: ComparedPair) -> Table:
    designs, poll = found.designs, found.poll
    method = verdict_method(found.preference)
    system, _ = leading_system(poll, found.preference.shares[method])
    methods = [m for m in METHODS if any(m in one.shares for one in found.preferences.values())]
    columns, every = [Column("Method", [method_name(method, found.spec) for method in methods])], []
    for each in designs:
        shares = shares_of(each, found.preferences[each.name], system)
        every.append([shares.get(method, _UNKNOWN) for method in methods])
        which = f", {each.design}" if len(designs) > 1 else ""
        columns += estimate_columns(f"Share of {system}{which}", every[-1], PERCENT_ONE_DIGIT)
    for other, between in found.differences.items():
        estimates = [second_list_difference(between.get(m, _UNKNOWN), system == poll.second) for m in methods]
        name = f"{designs[0].design} minus {other}"
        columns += estimate_columns(name, estimates, PERCENT_ONE_DIGIT, [points(one) for one in estimates])
    caption = "Share of the preference of {first} and {second} by method and design."
    undefined = why_column(zip(*every, strict=True))
    columns += [undefined] if any(undefined.values) else []
    return table_of("methods", (caption, _pair(poll)), columns)


def pair_notes(found: ComparedPair, in_first_position: Estimate) -> list[Note]:
    """Return who is dropped, and whether position matters."""
    position = Note(_position(found.poll, in_first_position))
    if not found.spec.dropped:
        return [position]
    dropped = [
        listed([str(each.rater_names[at]) for at in found.preferences[each.name].left_out])
        + (f" ({each.design})" if len(found.designs) > 1 else "")
        for each in found.designs
    ]
    text = "Dropped as least reliable on {first} and {second}: {who}."
    return [Note((text, _pair(found.poll, who="; ".join(dropped)))), position]


def _position(poll: Poll, in_first: Estimate) -> Text:
    if poll.first_shown.all() or not poll.first_shown.any():
        text = "{first} and {second} never swapped positions, so the effect of position is unknown."
        return text, _pair(poll)
    if not in_first.defined:
        text = "The effect of position on {first} and {second} is undefined: {why}."
        return text, _pair(poll, why=in_first.reason)
    verdict = "position matters" if in_first.excludes(0.5) else "no clear effect of position"
    text = f"Of {{n}} choices of {{first}} or {{second}}, {{share}} went to the one in first position: {verdict}."
    return text, _pair(poll, n=count(in_first.n), share=estimate_with_interval(in_first, share))


def pair_warnings(poll: Poll, preference: Preference, spec: PreferenceSpec) -> list[Warning]:
    """Return what counts as 0, or is based on little."""
    texts: list[Text] = []
    most, lone = results.QUICK_VOTES, poll.votes.raters == 1
    if len(poll.votes) > most:
        texts.append((f"GLAD has no interval above {count(most)} votes: it would take too long.", {}))
    if preference.flagged:
        flagged_names = listed([str(poll.rater_names[rater]) for rater in preference.flagged])
        text = "r_w is undefined, and counts as 0, for {who}: no variation, or no item shared."
        texts.append((text, {"who": flagged_names}))
    if preference.below_minimum:
        light = counted(preference.below_minimum, "item")
        texts.append((f"PCC-H gives no weight to {light} with fewer than {spec.min_votes} votes.", {}))
    if preference.equally_weighted:
        equal = counted(preference.equally_weighted, "item")
        texts.append((f"Votes count equally on {equal} that no rater with positive r_w judged.", {}))
    if preference.no_item_weights:
        texts.append(("PCC-H weighs all items equally: none has a clear majority and enough votes.", {}))
    if not preference.resampled:
        texts.append(("Intervals need two items.", {}))
    elif preference.resampled != "items and raters":
        why = "there is one rater" if lone else "rater ids are slots"
        texts.append((f"Intervals cover other items only, since {why}.", {}))
    return [Warning(("{poll}: " + text, {**values, "poll": poll.name})) for text, values in texts]


def pairs_table(found: Sequence[tuple[Poll, Preference]]) -> Table:
    """Return per comparison the system ahead, by a method that counts enough items of each, and all shares."""
    by = min((verdict_method(one) for _, one in found), key=METHODS.index, default=PCCH)
    ahead = [leading_system(poll, one.shares[by])[0] for poll, one in found]
    shares_of_pairs = [shares_of(poll, one, system) for (poll, one), system in zip(found, ahead, strict=True)]
    first = [shares[by] for shares in shares_of_pairs]
    named = [system if e.defined else "" for system, e in zip(ahead, first, strict=True)]
    others = [
        method for method in METHODS if method != by and any(method in shares for shares in shares_of_pairs)
    ]
    columns = [
        Column("Comparison", [poll.name for poll, _ in found]),
        Column(f"Ahead by {by}", named),
        *estimate_columns(f"Share by {by}", first, PERCENT_ONE_DIGIT),
        *(
            Column(m, [shares.get(m, _UNKNOWN).value for shares in shares_of_pairs], PERCENT_ONE_DIGIT, False)
            for m in others
        ),
        Column("Items", [one.items for _, one in found], count),
        Column("Raters", [one.raters for _, one in found], count),
        Column("Votes", [one.votes for _, one in found], count),
    ]
    caption = f"Comparisons: the system ahead by {by}, and its share by each method."
    return table_of("comparisons", caption, columns)


def items_table(poll: Poll, hard: Difficulty, fitted: NDArray[np.float64] | None) -> Table:
    """Return one row per item, the hardest first; `fitted` holds GLAD's difficulties."""
    order = np.lexsort([-hard.entropy] if fitted is None else [-fitted, -hard.entropy])
    columns = [
        Column("Item", poll.item_names[order]),
        *(Column(f"{name}: votes", hard.chosen[order, at]) for at, name in enumerate(poll.options)),
        Column("Entropy", hard.entropy[order], THREE_DIGITS),
        Column("Weight (W_q)", hard.weight[order], THREE_DIGITS),
    ]
    if fitted is not None:
        columns.append(Column("Difficulty (GLAD)", fitted[order], THREE_DIGITS))
    for name, answers in (("Expert", poll.expert), ("Gold", poll.gold)):
        if (answers >= 0).any():
            columns.append(Column(name, np.append(poll.options, "")[answers[order]]))
    caption = "Items of {first} and {second} from the hardest to the easiest, with their votes."
    return table_of("difficulty", (caption, _pair(poll)), columns, fold="Items by difficulty")


def preference_dots(found: ComparedPair, look: Look) -> PlotlyFigure:
    """Draw the share of the system ahead by each method: a series per design, and a line at one half."""
    system, _ = leading_system(found.poll, found.preference.shares[verdict_method(found.preference)])
    shares = {
        each.design or each.name: shares_of(each, found.preferences[each.name], system)
        for each in found.designs
    }
    return share_dots(shares, system, look, found.spec)


def share_dots(
    by_design: Mapping[str, Mapping[str, Estimate]], system: str, look: Look, spec: PreferenceSpec
) -> PlotlyFigure:
    """Draw a row per method with a system's share of the preference under each design."""
    methods = [method for method in METHODS if any(method in shares for shares in by_design.values())]
    names = [method_name(method, spec) for method in methods]
    series = [Series(name, [shares.get(one) for one in methods]) for name, shares in by_design.items()]
    title = f"Share of the preference for {shorten(system, 40)}"
    return series_dots(names, series, title, look, guide=0.5, guide_name="one half")


def default_spec(study: Study, poll: Poll, bootstrap: BootstrapSpec) -> PairSpec:
    """Return the spec of a comparison with as many raters dropped as by default."""
    dropped = default_dropped_raters(find_designs(study, poll.name)[1])
    return PairSpec(poll.name, PreferenceSpec(dropped, draws=bootstrap.draws, seed=bootstrap.seed))


@computed_by(results.pair_stages, "results = dict(found.preference.shares)")
def pair_section(study: Study, spec: PairSpec) -> Iterator[Block]:
    """Yield which of two systems is preferred: first with the intervals that are cached, those of GLAD last."""
    found = yield from in_stages(results.pair_stages(study, spec), _verdict)
    if found.answers:
        yield methods_table(found)
        yield from pair_notes(found, results.position_bias(study, found.poll, spec.shares))
        for each in found.designs:
            yield from pair_warnings(each, found.preferences[each.name], spec.shares)
    if spec.all_pairs:
        yield Progress("All pairs")
        yield from all_pairs_section(study, spec.shares)
    if found.answers:
        yield items_table(found.poll, *results.item_difficulty(study, found.poll, spec.shares))
    yield method_of("systems", "pairs", ["habibi2012"], draws=spec.shares.draws, seed=spec.shares.seed)


def all_pairs_section(study: Study, shares: PreferenceSpec) -> Iterator[Block]:
    every = polls(study.between_raters)
    yield Heading("All pairs")
    yield pairs_table([(each, results.shares_of_everyone(study, each, shares)) for each in every])


def _verdict(found: ComparedPair) -> Iterator[Block]:
    yield pair_finding(found.poll, found.preference)
    if found.answers:
        caption = (
            "Share of the preference of {first} and {second} by each method, for the one ahead, with 95% CI."
        )
        yield Figure("preference", (caption, _pair(found.poll)), partial(preference_dots, found))


def pair_card(study: Study) -> Iterator[Block]:
    """Yield the first comparison for the overview, with the intervals that take moments."""
    spec = default_spec(study, polls(study)[0], BootstrapSpec())
    for each in find_designs(study, spec.comparison)[1]:
        if len(each.votes) <= results.QUICK_VOTES:
            results.shares_of_everyone(study, each, spec.shares)
    yield from _verdict(results.preview_pair(study, spec))
