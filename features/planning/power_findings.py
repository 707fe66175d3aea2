"""Findings and tables of a planned comparison of systems, of its simulation, and of the best study for a budget."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite, isnan

from analysis.planning.budget import items_for_power, raters_for_power
from analysis.planning.difference import Design, DifferencePlan, power_of_plan
from analysis.planning.simulated_difference import SimulatedPower
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    Note,
    Table,
    Warning,
    clear,
    clear_if,
    for_raters,
    not_applicable,
    not_enough_data,
)
from features.planning.power_results import MOST_CELLS, BudgetFound, PowerFound
from features.planning.variances import effective_raters_in_words, raters_of
from features.planning.votes import PreferenceFound
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    NumberFormat,
    as_typed,
    chance,
    chance_between,
    count,
    decimal,
    estimate_with_interval,
    p_value,
    share,
)
from features.words import Column, counted, listed, of_many, table_of

DESIGNS: dict[str, Design] = {
    "every rater and item meets both": "crossed",
    "halves swapped (counterbalanced)": "counterbalanced",
    "each item is of one system": "items within",
    "each rater meets one system": "raters within",
    "items and raters of one system each": "both within",
}
_WHO: Mapping[Design, str] = {
    "crossed": "{items}, each rated under both systems by {k} of {raters}",
    "counterbalanced": "{items} and {raters}, of whom {k} rate an item, one half of them under either system",
    "items within": "{items}, half of them of each system, each rated by {k} of {raters}",
    "raters within": "{items} and {raters}, of whom half meet each system and {k} rate an item",
    "both within": "{items} and {raters}, half of them for each system, and {k} raters per item",
}
FOR_PAPER = "For the paper or the ethics form: {told}"


def chance_of(value: float) -> str:
    """Return a chance with its article.

    >>> chance_of(0.61), chance_of(0.82), chance_of(0.999)
    ('a 61% chance', 'an 82% chance', 'a chance of more than 99%')
    """
    written = chance(value)
    if not written[0].isdigit():
        return f"a chance of {written}"
    return f"{'an' if written.startswith(('8', '11 ', '18 ')) else 'a'} {written} chance"


def interval_of_chance(power: Estimate) -> str:
    """Return the interval of a power as a pilot leaves it, "" without one."""
    return "" if isnan(power.low) else f"95% CI {chance_between(power)}, from the pilot's variances"


def power_finding(found: PowerFound) -> Finding:
    """Return the chance that the study detects the difference, and what the wanted power needs."""
    plan, power, wanted = found.plan, found.power, found.spec.wanted
    if isnan(power.value):
        headline = "Not enough raters or items to test a difference: no degrees of freedom are left."
        return not_enough_data(headline, {}, *_size(plan))
    items, raters = items_for_power(plan, wanted), raters_for_power(plan, wanted)
    enough = [of_many(items, "items")] if isfinite(items) else []
    enough += [of_many(raters, "raters")] if isfinite(raters) else []
    needs = f"for {share(wanted)}: " + (" or ".join(enough) if enough else "more raters and more items")
    if not isfinite(items):
        limit = float(power_of_plan(replace(plan, items=1e7)).power)
        needs += f" (more items alone reach {chance(limit)} at most)"
    return clear_if(
        isnan(power.low) or power.excludes(wanted),
        "This plan has <b>{chance}</b> to detect a difference of {difference}.",
        {"chance": chance_of(power.value), "difference": as_typed(plan.d)},
        interval_of_chance(power),
        f"Expected 95% CI ±\u00a0{found.variances.write_half(found.half_width)}",
        *_size(plan),
        found.variances.source,
        for_raters("raters like these"),
        needs,
    )


def _size(plan: DifferencePlan) -> list[str]:
    design = next(words for words, of in DESIGNS.items() if of == plan.design)
    return [of_many(plan.items, "items"), raters_of(plan), design if plan.design != "crossed" else ""]


def power_notes(found: PowerFound) -> Iterator[Note | Warning]:
    """Yield notes on numbers that are too large, on the effort, and on the size in published studies."""
    plan, spec = found.plan, found.spec
    if found.per_item != spec.per_item:
        most = f"{count(found.per_item)} of {of_many(plan.raters, 'raters')}"
        yield Warning(("An item can have {most} in this design, which the figures are for.", {"most": most}))
    each = f", about {count(plan.ratings / plan.raters)} by each rater"
    yield spec.prices.effort(int(plan.ratings), found.price(found.per_item), each)
    yield Note((FOR_PAPER, {"told": describe_for_paper(found)}))


def describe_for_paper(found: PowerFound) -> str:
    """Return what an application or a paper says of the size of the study."""
    plan, power = found.plan, found.power
    words = _WHO[plan.design]
    if plan.design in ("crossed", "items within") and plan.per_item == plan.raters:
        words = words.replace("{k} of {raters}", "all {raters}")
    raters = of_many(plan.raters, "raters") + effective_raters_in_words(plan)
    size = words.format(items=of_many(plan.items, "items"), raters=raters, k=count(plan.per_item))
    between = "" if isnan(power.low) else f" ({interval_of_chance(power)})"
    return (
        f"We plan {size} ({of_many(plan.ratings, 'ratings')} in all). For other raters and other items, a two-sided "
        f"test at alpha = {level(plan.alpha, plan.comparisons)} then detects a difference of {as_typed(plan.d)} scale "
        f"points between two systems with a power of {chance(power.value)}{between} (Westfall, Kenny and Judd 2014), "
        f"given {found.variances.told}."
    )


def level(alpha: float, comparisons: int) -> str:
    """Return the level of a test, and for how many comparisons it is adjusted."""
    tests = "" if comparisons == 1 else f", Bonferroni-adjusted for {count(comparisons)} comparisons"
    return p_value(alpha) + tests


def alternatives_table(
    found: PowerFound | PreferenceFound, what: str, write: NumberFormat = THREE_DIGITS
) -> Table:
    each, spec = list(found.others), found.spec
    power, half = zip(*found.alternatives.values(), strict=True)
    return table_of(
        "alternatives",
        f"The same study with other {what.lower()}.",
        [
            Column(what, each),
            Column("Power", power, PERCENT_ONE_DIGIT),
            Column("Half-width", half, write),
            *spec.prices.column([found.price(one) for one in each]),
            Column(
                f"Items for {share(spec.wanted)}", [found.items_needed(one) for one in each], written_number
            ),
        ],
    )


def written_number(value: float) -> str:
    """Return a number that is needed, or a dash where none is enough."""
    return count(value) if isfinite(value) else "–"


def simulation_finding(found: PowerFound, simulated: SimulatedPower, seed: int) -> Finding:
    """Return how often simulated studies find the difference, and whether the formula agrees."""
    agrees = abs(simulated.power - found.power.value) <= 2 * simulated.error + 0.03
    do, write = "agree" if agrees else "do not agree", found.variances.tabulate_half
    return clear_if(
        agrees,
        f"Simulated studies {do} with the formula: <b>{{power}}</b> find the difference.",
        {"power": share(simulated.power, 1)},
        f"±\u00a0{share(simulated.error, 1)}",
        f"formula {share(found.power.value, 1)}",
        f"half-width {write(simulated.half_width)}, formula {write(found.half_width)}",
        f"{count(simulated.studies)} studies, seed {seed}",
        name="simulation",
    )


def too_large_finding(plan: DifferencePlan) -> Finding:
    return not_applicable(
        "This plan is too large to simulate here, and the formula is the more exact for it.",
        {},
        f"{count(plan.cells)} pairs of a rater and an item",
        f"at most {count(MOST_CELLS)}",
        name="simulation",
    )


NO_PRICE = not_enough_data("Enter the price of a rating to see what the budget buys.")


def budget_finding(found: BudgetFound) -> Finding:
    best, plan, prices = found.best, found.plan, found.spec.study.prices
    budget = prices.written(found.spec.budget)
    if best.reason:
        headline = "The budget of {budget} buys no study: raise it or lower the prices."
        return not_enough_data(headline, {"budget": budget}, best.reason)
    one_each = " and one rater each" if best.ratings_per_item == 1 else ""
    free = [f"{name}s" for name in ("item", "rater") if not getattr(prices, name)]
    return clear_if(
        isnan(found.power.low),
        f"{{budget}} buys most with <b>{{items}}</b>{one_each}.",
        {"budget": budget, "items": of_many(best.items, "items")},
        f"Power {chance(best.power)} for {as_typed(plan.d)}",
        interval_of_chance(found.power),
        f"±\u00a0{found.variances.write_half(best.half_width)}",
        raters_of(plan),
        found.variances.source,
        for_raters("raters like these"),
        f"{listed(free)} cost nothing as entered" if free else "",
    )


def budget_note(found: BudgetFound) -> Note:
    """Return the gain of a tenth more money."""
    best = found.best
    values = {
        "more": found.spec.study.prices.written(best.more),
        "then": chance(best.next_power),
        "half": found.variances.write_half(best.next_half_width),
    }
    return Note(("{more} more would buy a power of {then}, and ±\u00a0{half}.", values))


def budget_table(found: BudgetFound) -> Table:
    every, prices = found.alternatives(), found.spec.study.prices
    return table_of(
        "budget",
        "The best study of each number of ratings per item, the one with the highest power first.",
        [
            Column("Ratings per item", [one.ratings_per_item for one in every]),
            Column("Raters", [one.raters for one in every], count),
            Column("Items", [one.items for one in every], count),
            Column("Power", [one.power for one in every], PERCENT_ONE_DIGIT),
            Column("Price", [one.cost for one in every], prices.written),
            Column(
                "Half-width",
                [one.half_width for one in every],
                found.variances.tabulate_half,
                at_first_sight=False,
            ),
        ],
    )


def template_note(plan: DifferencePlan, seed: int) -> tuple[str, dict[str, object]]:
    least, most = int(plan.ratings // plan.raters), int(-(-plan.ratings // plan.raters))
    loads = count(least) if least == most else f"{count(least)} to {count(most)}"
    return (
        "{ratings} to collect: {loads} by each rater, in random orders (seed {seed}). Fill in the scores and upload it "
        "on Data.",
        {"ratings": counted(int(plan.ratings), "rating"), "loads": loads, "seed": seed},
    )


def preference_finding(found: PreferenceFound) -> Finding:
    """Return the chance that the comparison detects the preference, and the items that the wanted power needs."""
    spec, needed = found.spec, found.items_needed(found.spec.votes)
    needs = f"{of_many(needed, 'items')}" if isfinite(needed) else "no number of items is enough"
    return clear(
        "This plan has <b>{chance}</b> to detect a preference of {share}.",
        {"chance": chance_of(found.power), "share": share(spec.share)},
        f"Expected 95% CI ±\u00a0{decimal(100 * found.half_width(spec.votes), 0)} points",
        of_many(spec.items, "items"),
        f"{counted(spec.votes, 'vote')} each",
        for_raters("these raters"),
        f"for {share(spec.wanted)}: {needs}",
    )


def preference_notes(found: PreferenceFound) -> Iterator[Note]:
    """Yield the effort, what a paper says of the size, and the power if more or fewer votes are guesses."""
    spec = found.spec
    yield spec.prices.effort(spec.items * spec.votes, found.price(spec.votes), what="votes")
    yield Note((FOR_PAPER, {"told": describe_votes(found)}))
    if found.quality is None or not found.quality.known.defined:
        return
    known = found.quality.known
    low, high = (replace(found, spec=replace(spec, quality=end)).power for end in (known.low, known.high))
    text = "{quality} of {votes} with known answers are not guesses; with either end the power is {low} or {high}."
    values = {
        "votes": of_many(known.n, "votes"),
        "quality": estimate_with_interval(known, share),
        "low": chance(low),
        "high": chance(high),
    }
    yield Note((text, values))


def describe_votes(found: PreferenceFound) -> str:
    """Return what an application or a paper says of the size of the study."""
    spec = found.spec
    return (
        f"We plan {of_many(spec.items, 'items')} with {of_many(spec.votes, 'votes')} each. A two-sided test over items "
        f"at alpha = {level(spec.alpha, spec.comparisons)} then detects a preference of {share(spec.share)} with a "
        f"power of {chance(found.power)} (items differing by an SD of {decimal(spec.item_sd)}; {share(spec.quality)} "
        f"of the votes are not guesses)."
    )
