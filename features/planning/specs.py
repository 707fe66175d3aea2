"""Parameters of a plan, with their ranges and usual values: told by controls, or by the address of a kept view."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import inf, isfinite, isnan, nan
from typing import Any

from analysis.planning.collection import RATERS_ASKED, STRATEGIES, Strategy
from analysis.planning.difference import PRESETS, Design
from analysis.values.estimate import SCOPES, Scope, default_scope
from features.assessments import fewest_raters, is_pairs, names
from features.notices import has_repeated_ratings, holding_of
from features.planning import precision
from features.planning.collection_results import (
    CONSISTENCY,
    ITEMS,
    LABELS_RIGHT,
    RELIABILITY,
    SCALE,
    TWO_ON_SCALE,
    TWO_SYSTEMS,
    CollectionSpec,
    current_sizes,
    goals,
    is_settled,
    repeating_raters,
    usual_goal,
)
from features.planning.power_findings import DESIGNS
from features.planning.power_results import BudgetSpec, PowerSpec, Prices
from features.planning.precision import PrecisionSpec
from features.planning.stopping import RELIABLE, StoppingSpec, usual_half
from features.planning.variances import (
    ALIKE,
    AS_OPEN,
    BUSIEST,
    CALLED,
    KINDS,
    OPEN,
    TYPED,
    USUAL,
    LoadsSpec,
    VariancesSpec,
    scale_points,
    supplied_measures,
    usual_difference,
)
from features.planning.votes import (
    LabelsSpec,
    PreferenceSpec,
    open_quality,
    open_votes,
    usual_item_sd,
    usual_labels,
    usual_quality,
)
from features.study import Study, query

COLLECT = "What to collect next"
POWER, PRECISION, BUDGET = "Do systems differ?", "How precise?", "Best use of a budget"
PREFERENCE, LABELS, STOPPING = "Is one preferred?", "Are labels right?", "Are ratings enough?"
RENAMED = {
    "Which systems can be told apart?": POWER,
    "Is it enough already?": STOPPING,
    "as so far": STRATEGIES[0],
}
"""Questions and options by the names that old addresses have."""
Spec = PowerSpec | PrecisionSpec | BudgetSpec | PreferenceSpec | LabelsSpec | StoppingSpec | CollectionSpec
TARGETED: Strategy = "targeted"
LARGEST_SEED = 2**31 - 1
_TINY = 1e-9
"""Points of a scale on which all ratings are equal."""


class Address:
    """Parameters of a plan from an address; missing and invalid ones take their defaults.

    Each has a label, its name in the address and its usual value. Controls that draw them override the methods.
    """

    def __init__(self, parameters: Mapping[str, Sequence[str]]) -> None:
        self._parameters = parameters

    def row(self) -> AbstractContextManager[Any]:
        """Return the context of the parameters that decide."""
        return nullcontext()

    def placeholder(self) -> AbstractContextManager[Any]:
        """Return the context of parameters that decide, drawn here though they are asked for later."""
        return nullcontext()

    def popover(self, label: str) -> AbstractContextManager[Any]:
        """Return the context of rarer parameters."""
        return nullcontext()

    def text(self, label: str, key: str, usual: str) -> str:
        return next(iter(self._parameters.get(key, ())), usual)

    def number(
        self, label: str, key: str, usual: float, least: float, most: float, step: float, help: str = ""
    ) -> float:
        """Return a number within its range."""
        try:
            number = float(self.text(label, key, ""))
        except ValueError:
            return usual
        return min(max(number, least), most) if isfinite(number) else usual

    def whole(
        self, label: str, key: str, usual: int, least: int, most: int, step: int = 1, help: str = ""
    ) -> int:
        return int(self.number(label, key, usual, least, most, step))

    def slide(self, label: str, key: str, usual: int, least: int, most: int) -> int:
        """Return a whole number that is often changed by small steps."""
        return self.whole(label, key, usual, least, most)

    def percent(self, label: str, key: str, usual: int, least: int, most: int = 99, help: str = "") -> float:
        """Return a share that is told in percent."""
        return self.number(label, key, usual, least, most, 1) / 100

    def amount(self, label: str, key: str, least: float, step: float, none: str) -> float | None:
        """Return an amount of money; None, described by `none`, where nobody entered one."""
        amount = self.number(label, key, nan, least, inf, step)
        return None if isnan(amount) else amount

    def option(self, label: str, key: str, options: Sequence[str], help: str = "") -> str:
        """Return one of the options, the first by default."""
        option = self.text(label, key, options[0])
        option = RENAMED.get(option, option)
        return option if option in options else options[0]

    def seed(self, key: str = "seed") -> int:
        """Return the seed of what is left to chance."""
        try:
            return min(max(int(self.text("", key, "0")), 0), LARGEST_SEED)
        except ValueError:
            return 0

    def scope(self, raters: int, raters_are_persons: bool) -> Scope:
        """Return the raters that intervals hold for."""
        usual, named = default_scope(raters, raters_are_persons), self.text("", "generalize", "")
        return next((scope for scope in SCOPES if scope == named and raters_are_persons), usual)


def questions(study: Study) -> list[str]:
    """Return the questions of the page, those first that fit the open data set.

    What to collect next is first unless no item was rated twice, by two raters or by the same one, which leaves nothing
    to judge precision by.
    """
    of_ratings, of_choices = [POWER, PRECISION, BUDGET], [PREFERENCE, LABELS]
    if not study.holds_choices:
        of_ratings += [STOPPING, *of_choices]
        can_collect = has_repeated_ratings(holding_of(study.whole)) or goals(study)[0] == CONSISTENCY
        return [COLLECT, *of_ratings] if can_collect else [*of_ratings, COLLECT]
    return [COLLECT, *(of_choices if is_pairs(study) else reversed(of_choices)), *of_ratings]


def usual_question(study: Study, parameters: Collection[str]) -> str:
    """Return the question of an address that names none: the second one where it has parameters of a plan.

    Before there was the first question, addresses of the second left it out.
    """
    first, second, *_ = questions(study)
    planned = {name for name in parameters if name.startswith("plan_")} - {"plan_measure", "plan_half"}
    return second if first == COLLECT and (planned or "power" in parameters) else first


def ask_plan(study: Study, question: str, ask: Address) -> Spec:
    """Return the spec of a question with the parameters that are told."""
    asks: dict[str, Callable[[Study, Address], Spec]] = {
        POWER: _ask_power,
        PRECISION: _ask_precision,
        BUDGET: _ask_budget,
        PREFERENCE: _ask_preference,
        LABELS: _ask_labels,
        STOPPING: _ask_stopping,
        COLLECT: _ask_collection,
    }
    with ask.row():
        return asks[question](study, ask)


def _ask_power(study: Study, ask: Address) -> PowerSpec:
    variances = _ask_variances(study, ask)
    difference = _ask_difference(study, ask, variances)
    raters, per_item, items = _ask_raters(ask), _ask_per_item(ask, "Raters per item"), _ask_items(ask)
    with ask.popover("Settings"):
        design, loads, test = _ask_design(ask), _ask_loads(study, ask, variances), _ask_test(ask)
        return PowerSpec(
            variances, difference, items, raters, per_item, design, loads, *test, _ask_prices(ask)
        )


def _ask_precision(study: Study, ask: Address) -> PrecisionSpec:
    help = "Half of the width of the 95% interval."
    spec = PrecisionSpec(ask.option("How precise is", "plan_precise", precision.WHAT))
    is_of_items, given = spec.what == precision.MOS, dict[str, Any]()
    if spec.is_of_means:
        given["variances"] = _ask_variances(study, ask, about_systems=False)
        points = 0.06 * scale_points(study, given["variances"])
    else:
        given |= _ask_figures(study, ask, spec.what)
        points = 0.05
    given["wanted"] = _ask_half(ask, points, help)
    per_item = "Raters per item" if spec.counts_raters else "Ratings per item"
    given["raters"] = given["per_item"] = _ask_per_item(ask, per_item)
    if spec.what == precision.OF_OTHERS:
        given["raters"] = _ask_raters(ask)
    if not is_of_items:
        given["items"] = _ask_items(ask)
    if spec.is_of_means:
        with ask.popover("Settings"):
            given["raters"] = _ask_raters(ask)
            if is_of_items:
                given["items"] = _ask_items(ask)
            else:
                given["loads"] = _ask_loads(study, ask, given["variances"])
    return replace(spec, **given)


def _ask_budget(study: Study, ask: Address) -> BudgetSpec:
    budget = ask.number("Budget", "plan_money", 100.0, 1.0, inf, 10.0)
    rating, item = _ask_price(ask, "rating"), _ask_price(ask, "item")
    variances = _ask_variances(study, ask)
    difference = _ask_difference(study, ask, variances)
    with ask.popover("Settings"):
        most = ask.whole("Raters at most", "plan_most_raters", 60, 4, 200)
        design, loads, test = _ask_design(ask), _ask_loads(study, ask, variances), _ask_test(ask)
        prices = _ask_other_prices(ask, rating, item)
    return BudgetSpec(PowerSpec(variances, difference, 4, 4, 1, design, loads, *test, prices), budget, most)


def _ask_preference(study: Study, ask: Address) -> PreferenceSpec:
    guesses = "The other votes are random. As in the open choices where answers are known."
    share = ask.percent("Preference to find", "plan_preference", 60, 51)
    votes, items = ask.whole("Votes per item", "plan_votes", 5, 1, 100), _ask_items(ask)
    with ask.popover("Settings"):
        sd, usual = _ask_item_sd(study, ask), usual_quality(open_quality(study))
        judged = ask.percent("Votes that are not guesses", "plan_quality", usual, 10, 100, guesses)
        return PreferenceSpec(share, items, votes, sd, judged, *_ask_test(ask), _ask_prices(ask))


def _ask_labels(study: Study, ask: Address) -> LabelsSpec:
    known = open_votes(study)
    usual = LabelsSpec() if known is None else usual_labels(known)
    help = "0: all items are equally hard; near 1: each is easy or hard for everybody."
    accuracy = ask.percent("One vote is right in", "plan_accuracy", round(100 * usual.accuracy), 5)
    wanted = ask.percent("Wanted", "plan_wanted", 90, 50)
    with ask.popover("Settings"):
        icc = ask.number("ICC of right votes", "plan_icc", usual.icc, 0.0, 0.95, 0.05, help)
        options = ask.whole("Options", "plan_options", usual.options, 2, 20)
        items, prices = _ask_items(ask), _ask_prices(ask, with_budget=False)
    return LabelsSpec(accuracy, icc, options, wanted, items, prices)


def _ask_stopping(study: Study, ask: Address) -> StoppingSpec:
    help = "Half of the width of the 95% interval of an item's mean."
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = ask.option("Measure", "plan_measure", study.measures)
    half = _ask_half(ask, usual_half(study, measure), help)
    of = "Reliability of the mean of an item's ratings that is wanted."
    reliability = ask.number("Reliability", "reliability", RELIABLE, 0.5, 0.99, 0.01, of)
    scope = ask.scope(fewest_raters(study, study.candidate), study.raters_are_persons)
    with ask.popover("Settings"):
        prices = _ask_prices(ask, with_budget=False)
    return StoppingSpec(measure, half, reliability, scope, prices)


def _ask_collection(study: Study, ask: Address) -> CollectionSpec:
    goal = ask.option("Goal", "collect_goal", goals(study))
    measure = "" if study.holds_choices else study.measures[0]
    if len(study.measures) > 1:
        measure = ask.option("Measure", "plan_measure", study.measures)
    given: dict[str, Any] = {"goal": goal, "measure": measure}
    if goal in (TWO_SYSTEMS, TWO_ON_SCALE):
        given["systems"] = _ask_two_systems(study, ask)
    if goal == CONSISTENCY:
        raters = [*repeating_raters(study, measure)]
        given["rater"] = ask.option("Rater", "collect_rater", raters) if raters else ""
    given["wanted"] = _ask_goal(study, ask, CollectionSpec(**given))
    placeholder, settings = ask.placeholder(), None
    if not study.holds_choices and goal not in (ITEMS, CONSISTENCY):
        settings = ask.popover("Settings")
        with settings:
            given["scope"] = ask.scope(fewest_raters(study, study.candidate), study.raters_are_persons)
    if is_settled(study, CollectionSpec(**given)):
        return CollectionSpec(**given)
    one = "votes" if goal == LABELS_RIGHT else "comparisons" if study.holds_choices else "ratings"
    items, per_rater = current_sizes(study, measure)
    with placeholder:
        most = min(max(items, 10), 300)
        given["further"] = ask.whole(f"Further {one}", "collect_more", most, 1, 5000, 10)
        strategies = [TARGETED, *(each for each in STRATEGIES if each != TARGETED)]
        given["strategy"] = ask.option("Collected", "collect_how", strategies)
    with settings or ask.popover("Settings"):
        if goal == CONSISTENCY:
            return CollectionSpec(**given, seed=ask.seed())
        if study.raters_are_persons:
            given["raters"] = ask.option("Judged by", "collect_by", RATERS_ASKED)
        help = f"Further {one} of one rater, new or not."
        given["cap"] = ask.whole("Per rater at most", "collect_cap", per_rater, 1, 100_000, 1, help)
        given["new"] = ask.whole("New raters at most", "collect_new", 20, 0, 1000)
        given["seed"] = ask.seed()
    return CollectionSpec(**given)


def _ask_goal(study: Study, ask: Address, spec: CollectionSpec) -> float:
    """Return what is wanted of the goal: a reliability, a share of right labels, or a half-width."""
    usual = usual_goal(study, spec)
    if spec.goal == RELIABILITY:
        help = "Reliability of the mean of an item's ratings that is wanted."
        return ask.number("Reliability", "reliability", usual, 0.5, 0.99, 0.01, help)
    if spec.goal == LABELS_RIGHT:
        return ask.percent("Right labels wanted", "collect_right", round(100 * usual), 50)
    if spec.goal in (SCALE, TWO_ON_SCALE):
        help = "Half of the 95% interval of a chance to win near 50%, in percentage points."
        return ask.number("Wanted: ± points", "collect_points", usual, 0.1, 50.0, 0.5, help)
    return _ask_half(ask, usual, "Half of the width of the 95% interval.")


def _ask_two_systems(study: Study, ask: Address) -> tuple[str, ...]:
    systems = query(study.whole, "options")["name"] if study.holds_choices else names(study, "system")
    every = systems.tolist()
    first = ask.option("System", "collect_first", every)
    return first, ask.option("Other system", "collect_second", [one for one in every if one != first])


def _ask_half(ask: Address, usual: float, help: str) -> float:
    at = float(f"{max(usual, _TINY):.2g}")
    return ask.number("Wanted: ±", "plan_half", at, min(0.001, at / 10), inf, 0.01, help)


def _ask_variances(study: Study, ask: Address, about_systems: bool = True) -> VariancesSpec:
    """Return the source of the variances; the open ratings only where they supply them."""
    measures = supplied_measures(study, about_systems)
    own = [OPEN] if measures else []
    help = "How far ratings differ, by raters, items and residual: of a pilot or a study of the same kind."
    source = ask.option("Variances of", "plan_variances", [*own, *KINDS, TYPED], help)
    if source == OPEN:
        measure = ask.option("Measure", "plan_measure", measures) if len(measures) > 1 else measures[0]
        return VariancesSpec(OPEN, measure)
    if source != TYPED:
        return VariancesSpec(source)
    usual = PRESETS[KINDS[USUAL]].variances
    with ask.popover("Variances"):
        points = ask.number("Points from end to end of the scale", "plan_points", 4.0, 0.1, inf, 0.1)
        typed = tuple(
            (name, ask.number(label, f"plan_var_{name}", usual[name], 0.0, inf, 0.01))
            for name, label in CALLED.items()
        )
    return VariancesSpec(TYPED, "", typed, points)


def _ask_difference(study: Study, ask: Address, variances: VariancesSpec) -> float:
    usual = usual_difference(scale_points(study, variances))
    help = "The smallest difference of two systems' means, in points of the scale, that matters to you."
    return ask.number("Difference to find", "plan_difference", usual, 0.0, inf, usual / 3, help)


def _ask_items(ask: Address) -> int:
    return ask.slide("Items", "plan_items", 40, 4, 500)


def _ask_raters(ask: Address) -> int:
    return ask.whole("Raters", "plan_raters", 24, 2, 1000)


def _ask_per_item(ask: Address, label: str) -> int:
    return ask.whole(label, "plan_ratings", 8, 1, 200)


def _ask_design(ask: Address) -> Design:
    help = "Where every rater rates every item under both systems, fewest ratings are needed."
    return DESIGNS[ask.option("Design", "plan_design", list(DESIGNS), help)]


def _ask_loads(study: Study, ask: Address, variances: VariancesSpec) -> LoadsSpec:
    own = [] if study.holds_choices else [AS_OPEN]
    help = "On platforms a few raters do most of the ratings, and count for fewer than they are."
    kind = ask.option("Raters' loads", "plan_loads", [ALIKE, *own, BUSIEST], help)
    if kind == AS_OPEN:
        return LoadsSpec(kind, variances.measure or study.measures[0])
    if kind != BUSIEST:
        return LoadsSpec()
    help = "Percent of all ratings by the busiest fifth of the raters; 20 where all do as much."
    percent = ask.whole("By the busiest fifth, %", "plan_busiest", 50, 20, 95, 5, help)
    return LoadsSpec(kind, "", percent / 100)


def _ask_figures(study: Study, ask: Address, what: str) -> dict[str, float]:
    """Return the numbers that a correlation, an agreement or a share of votes depends on."""
    if what == precision.SHARE:
        return {
            "item_sd": _ask_item_sd(study, ask),
            "share": ask.percent("Share expected", "plan_share", 60, 1),
        }
    usual = min(max(round(precision.reliability_of(study).value, 2), 0.01), 0.99)
    help = "How far single ratings of an item agree, ICC(1,1)."
    figures = {
        "reliability": ask.number(
            "Reliability of one rating", "plan_reliability", usual, 0.01, 0.99, 0.01, help
        )
    }
    if what == precision.CORRELATION:
        help = "Correlation that endless ratings would give: the limit on the Repetitions page."
        figures["limit"] = ask.number("Correlation without noise", "plan_limit", 0.9, -0.99, 0.99, 0.01, help)
    elif what != precision.AGREEMENT:
        known = precision.severity_of(study).value
        at = round(100 * known) if known == known else 25
        help = "Percent of the variance of an item's ratings that is due to severe and lenient raters."
        figures["severity"] = ask.whole("Severity's share, %", "plan_severity", at, 0, 100, 5, help) / 100
    return figures


def _ask_item_sd(study: Study, ask: Address) -> float:
    help = "How far the items' own shares differ: 0.1 where most lie within 0.2 of the mean."
    return ask.number("Items differ by (SD)", "plan_item_sd", usual_item_sd(study), 0.0, 0.5, 0.01, help)


def _ask_test(ask: Address) -> tuple[float, int, float]:
    """Return the level of the test, over how many comparisons, and the power that is wanted."""
    level = ask.number("Level (alpha)", "plan_alpha", 0.05, 0.001, 0.5, 0.01)
    help = "Tests by which the level of each is divided. 5 systems have 10 pairs."
    comparisons = ask.whole("Comparisons", "plan_comparisons", 1, 1, 100000, 1, help)
    return level, comparisons, ask.percent("Power wanted", "power", 80, 50)


def _ask_price(ask: Address, of: str) -> float | None:
    key = "plan_price" if of == "rating" else f"plan_{of}_price"
    return ask.amount(f"Price per {of}", key, 0.0, 0.1, "none")


def _ask_prices(ask: Address, with_budget: bool = True) -> Prices:
    """Return all prices, and the budget where it matters."""
    prices = _ask_other_prices(ask, _ask_price(ask, "rating"), _ask_price(ask, "item"))
    if not with_budget:
        return prices
    none = "as much as the chosen plan costs"
    return replace(prices, budget=ask.amount("Budget", "plan_budget", 1.0, 10.0, none))


def _ask_other_prices(ask: Address, rating: float | None, item: float | None) -> Prices:
    """Return prices with those of a rating and an item."""
    rater, fixed = _ask_price(ask, "rater") or 0.0, ask.number("Fixed cost", "fixed", 0.0, 0.0, inf, 0.1)
    currency = ask.text("Currency", "currency", "€")[:8]
    seconds = ask.number("Seconds per rating", "plan_seconds", 15.0, 0.0, inf, 0.1)
    return Prices(rating, item or 0.0, rater, fixed, currency, seconds)
