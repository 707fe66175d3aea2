"""Sections of "Planning": the blocks that its page shows and its report prints, their cards and programs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from analysis.planning.collection import STRATEGIES
from data.dataset import Dataset
from features.blocks import Block, Figure, Heading, Progress, in_stages, method_of
from features.planning import collection_findings, power_findings, precision, stopping
from features.planning.collection_results import (
    CollectionFound,
    CollectionSpec,
    collection_stages,
    compare_promise,
    plan_collection,
)
from features.planning.figures import Axes, curve_chart
from features.planning.power_results import (
    MOST_CELLS,
    BudgetSpec,
    PowerFound,
    PowerSpec,
    power_stages,
    simulate_power,
    spend_budget,
)
from features.planning.precision import MOS, PrecisionFound, PrecisionSpec, precision_stages
from features.planning.specs import BUDGET, COLLECT, POWER, PRECISION, Address, Spec, ask_plan, questions
from features.planning.stopping import StoppingSpec, check_enough
from features.planning.variances import loads_notes, no_variances, stand_in_finding, variances_blocks
from features.planning.votes import (
    LabelsSpec,
    PreferenceFound,
    PreferenceSpec,
    labels_finding,
    labels_table,
    plan_labels,
    plan_preference,
)
from features.plotting.theme import PERCENT_ONE_DIGIT, chance, share
from features.program import computed_by, section_program
from features.study import Study

CURVES = "curves"
"""Name of each question's figure, in which a click on a point takes the plan there."""
CLICK = "Click a point to move the plan there."
NO_PRICE = " Enter the price of a rating under Settings to see what the plan costs."


def plan_section(
    study: Study, spec: Spec, simulation_seed: int | None = None, before: Dataset | None = None
) -> Iterator[Block]:
    """Return the section of a plan: of power with simulated studies, of further judgments with the version before."""
    if isinstance(spec, PowerSpec):
        return power_section(study, spec, simulation_seed)
    if isinstance(spec, CollectionSpec):
        return collection_section(study, spec, before)
    return _SECTIONS[type(spec)](study, spec)


@computed_by(power_stages, "results = found.alternatives")
def power_section(study: Study, spec: PowerSpec, simulation_seed: int | None = None) -> Iterator[Block]:
    """Yield the power of a planned comparison of systems; with a seed, that of simulated studies too."""
    found = yield from in_stages(power_stages(study, spec), partial(_power_blocks, study))
    if found.variances.reason:
        return
    if simulation_seed is not None:
        yield from _simulation(study, found, simulation_seed)
    yield from variances_blocks(found.variances)
    yield method_of("planning", "power", ["westfall2014"])


def _power_blocks(study: Study, found: PowerFound) -> Iterator[Block]:
    if found.variances.reason:
        yield no_variances(found.variances, POWER)
        return
    yield replace(power_findings.power_finding(found), is_of_data=found.variances.is_of_data)
    if found.power.value == found.power.value:
        axes = Axes("Items", "Power", marked=chance(found.power.value), wanted=found.spec.wanted)
        chosen = found.per_item, found.spec.items
        yield _priced_figure("Power by the number of items and ratings per item.", found, chosen, axes)
        yield power_findings.alternatives_table(found, "Ratings per item", found.variances.tabulate_half)
    yield from stand_in_finding(study, found.spec.variances)
    yield from power_findings.power_notes(found)
    yield from loads_notes(found.plan)


def _simulation(study: Study, found: PowerFound, seed: int) -> Iterator[Block]:
    yield Heading("Check by simulation")
    if found.plan.cells > MOST_CELLS:
        yield power_findings.too_large_finding(found.plan)
        return
    yield Progress("Simulated studies")
    simulated = simulate_power(study, found.plan, seed)
    if simulated is not None:
        yield replace(power_findings.simulation_finding(found, simulated, seed), is_of_data=False)


@computed_by(
    precision_stages,
    "results = {",
    "    (each, at): e.value for each, (x, es) in found.curves().items() for at, e in zip(x, es)",
    "}",
)
def precision_section(study: Study, spec: PrecisionSpec) -> Iterator[Block]:
    """Yield how precisely a planned study measures a figure."""
    found = yield from in_stages(precision_stages(study, spec), _precision_blocks)
    if found.variances is not None:
        if found.variances.reason:
            return
        yield from variances_blocks(found.variances)
    yield method_of("planning", "precision", [])


def _precision_blocks(found: PrecisionFound) -> Iterator[Block]:
    spec, variances = found.spec, found.variances
    if variances is not None and variances.reason:
        yield no_variances(variances, PRECISION)
        return
    is_of_data = variances is not None and variances.is_of_data
    yield replace(precision.precision_finding(found), is_of_data=is_of_data)
    here = found.here.value
    if here == here:
        curves = found.curves()
        named = "item's mean" if spec.what == MOS else "{} per item"
        marked, highest = f"± {found.write_half(here)}", 3 * max(here, spec.wanted)
        axes = Axes(spec.along, "± (half-width of the 95% CI)", named, False, marked, spec.wanted, highest)
        axes = replace(axes, digits=found.half_digits)
        draw = partial(curve_chart, curves, (spec.per_item, spec.x), axes)
        yield _figure("Half-width of the 95% interval.", draw, CLICK)
        yield precision.precision_table(found, curves)
    yield from precision.precision_notes(found)


@computed_by(spend_budget, "results = {'best': found.best}")
def budget_section(study: Study, spec: BudgetSpec) -> Iterator[Block]:
    """Yield the best study for a budget, and all that the money buys."""
    if not spec.study.prices.are_known:
        yield power_findings.NO_PRICE
        return
    found = spend_budget(study, spec)
    if found.variances.reason:
        yield no_variances(found.variances, BUDGET)
        return
    yield replace(power_findings.budget_finding(found), is_of_data=found.variances.is_of_data)
    if not found.best.reason:
        best = found.best
        axes = Axes("Raters", "Power", marked=chance(best.power), wanted=spec.study.wanted)
        draw = partial(curve_chart, found.curves(), (best.ratings_per_item, best.raters), axes)
        yield _figure("Power by the number of raters, all for the same money.", draw)
        yield power_findings.budget_table(found)
        yield from stand_in_finding(study, spec.study.variances)
        yield power_findings.budget_note(found)
        yield from loads_notes(found.plan)
        yield from variances_blocks(found.variances)
    yield method_of("planning", "budget", ["westfall2014"])


@computed_by(plan_preference, "results = found.alternatives")
def preference_section(study: Study, spec: PreferenceSpec) -> Iterator[Block]:
    """Yield the power of a planned comparison of two systems by votes."""
    found = plan_preference(study, spec)
    axes = Axes("Items", "Power", "{} votes", marked=chance(found.power), wanted=spec.wanted)
    yield replace(power_findings.preference_finding(found), is_of_data=False)
    chosen = spec.votes, spec.items
    yield _priced_figure("Power by the number of items and votes per item.", found, chosen, axes)
    yield power_findings.alternatives_table(found, "Votes per item", PERCENT_ONE_DIGIT)
    yield from power_findings.preference_notes(found)
    yield method_of("planning", "preference", ["cochran1977"])


@computed_by(
    plan_labels, "results = {votes: found.majority.right(votes) for votes in range(1, found.most + 1)}"
)
def labels_section(study: Study, spec: LabelsSpec) -> Iterator[Block]:
    """Yield the votes per item that make labels right."""
    found = plan_labels(study, spec)
    here, votes = round(100 * spec.accuracy), found.votes
    is_reached = votes < float("inf")
    marked = share(found.majority.right(int(votes))) if is_reached else ""
    axes = Axes("Votes per item", "Majority right", "one vote {}%", marked=marked, wanted=spec.wanted)
    yield replace(labels_finding(found), is_of_data=found.known is not None)
    caption = "How often the majority is right, by how often one vote is."
    yield _figure(caption, partial(curve_chart, found.curves(), (here, votes), axes))
    yield labels_table(found)
    if is_reached:
        price = spec.prices.of_votes(spec.items, int(votes))
        yield spec.prices.effort(spec.items * int(votes), price, what="votes")
    yield method_of("planning", "labels", ["dawid1979"])


@computed_by(
    check_enough,
    "results = {",
    "    n: {'±': found.half_at(n), 'reliability': found.reliability_at(n)} for n in found.numbers",
    "}",
)
def stopping_section(study: Study, spec: StoppingSpec) -> Iterator[Block]:
    """Yield whether the ratings so far are enough, and what further ratings would buy."""
    one = check_enough(study, spec)
    yield stopping.stopping_finding(one)
    if not one.defined:
        return
    marked = f"now ± {one.write_half(one.half_at(one.ratings))}"
    axes = Axes("Ratings per item", "± of an item's mean", "", False, marked, one.half, one.highest)
    axes = replace(axes, digits=one.half_digits)
    yield _figure("Half-width of an item's mean.", partial(curve_chart, one.curves(), (0, one.ratings), axes))
    yield stopping.further_table(one, spec.prices)
    yield stopping.RULE
    yield method_of("planning", "stopping", [])


@computed_by(collection_stages, "results = {each: found.curves[each][1][-1] for each in found.curves}")
def collection_section(study: Study, spec: CollectionSpec, before: Dataset | None = None) -> Iterator[Block]:
    """Yield whether a goal is reached, what further judgments bring, and what those since `before` have brought."""
    found = yield from in_stages(collection_stages(study, spec), _collection_blocks)
    if not found.plans:
        return
    if before is not None:
        yield Progress("Promise of the version before")
        kept = compare_promise(found, study, before)
        if kept is not None:
            yield collection_findings.promise_finding(found, kept)
    yield stopping.RULE
    yield method_of("planning", "collection", ["smyth2004", "mikhailiuk2020"])


def _collection_blocks(found: CollectionFound) -> Iterator[Block]:
    yield collection_findings.collection_finding(found)
    if not found.plans or found.is_reached:
        return
    if len(found.plan):
        place = {strategy: at for at, strategy in enumerate(STRATEGIES)}
        curves = {place[strategy]: curve for strategy, curve in found.curves.items()}
        axes = collection_findings.axes_of(found)
        chosen = place[found.spec.strategy], len(found.plan)
        caption = "Expected precision along further judgments, by how they are chosen."
        if found.after.defined:
            yield Figure("by-strategy", (caption, {}), partial(curve_chart, curves, chosen, axes))
        yield collection_findings.strategies_table(found)
        yield collection_findings.assignments_table(found)
    yield from collection_findings.collection_notes(found)


def usual_collection(study: Study) -> Iterator[Block]:
    """Yield what to collect next for the usual goal; nothing where the page would not begin with it, or cannot say."""
    if questions(study)[0] == COLLECT:
        spec = ask_plan(study, COLLECT, Address({}))
        if isinstance(spec, CollectionSpec) and plan_collection(study, spec).plans:
            yield from collection_section(study, spec)


def _figure(caption: str, draw: Callable[..., object], hint: str = "") -> Figure:
    return Figure(CURVES, (caption, {}), draw, hint=hint)  # type: ignore[arg-type]


def _priced_figure(
    caption: str, found: PowerFound | PreferenceFound, chosen: tuple[int, float], axes: Axes
) -> Figure:
    """Return the figure of a plan with the studies that the budget pays for."""
    prices = found.spec.prices
    draw = partial(
        curve_chart,
        found.curves(),
        chosen,
        axes,
        same_price=found.same_price(),
        price=prices.written(found.budget),
    )
    return _figure(caption, draw, CLICK if prices.are_known else CLICK + NO_PRICE)


_SECTIONS: dict[type, Callable[..., Iterator[Block]]] = {
    PowerSpec: power_section,
    PrecisionSpec: precision_section,
    BudgetSpec: budget_section,
    PreferenceSpec: preference_section,
    LabelsSpec: labels_section,
    CollectionSpec: collection_section,
    StoppingSpec: stopping_section,
}


def plan_program(study: Study, spec: Spec) -> str:
    """Return a program that computes a plan without a browser."""
    return section_program(_SECTIONS[type(spec)], study, spec)
