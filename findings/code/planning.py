"""The programs of Planning, one for each question: the chosen numbers in a call of `analysis.planning`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.study_planning.budget import StudyCosts
from features.program import PRINTED, RATINGS, literal, program
from features.repetitions.ratings_results import sampled_measures
from features.results import LARGEST_BOOTSTRAP
from features.study import Study
from features.words import plain
from findings.planning.apart import Planned
from findings.planning.basis import Basis
from findings.planning.best import Spent
from findings.planning.loads import Loads
from findings.planning.precise import AGREEMENT, CORRELATION, MOS, OF_OTHERS, SHARE, SYSTEM, Size
from findings.planning.votes import Labels, Preference

_IMPORTED = {
    MOS: "mos_half_width",
    SYSTEM: "system_half_width",
    CORRELATION: "correlation_interval",
    AGREEMENT: "icc_half_width",
    OF_OTHERS: "icc_half_width",
    SHARE: "preference_half_width",
}


def apart(one: Planned, per_item: Sequence[int]) -> str:
    """The power of a study with each of these numbers of ratings per item."""
    plan = one.plan
    return _lines(
        [
            "from analysis.planning import DifferencePlan, difference_half_width, difference_power"
            + _imported(one.loads)
        ],
        [
            *_variances(one.basis),
            *_loads(one.loads),
            f"study = dict(raters={plan.raters}, items={plan.items}, d={plan.d}, design={literal(plan.design)})",
            f"test = dict(alpha={plan.alpha}, comparisons={plan.comparisons})",
            "results = {}",
            f"for ratings_per_item in {literal(list(per_item))}:",
            f"    asked = dict(**study, **variances, **test, ratings_per_item=ratings_per_item{_given(one.loads)})",
            "    found = difference_power(**asked)",
            "    results[ratings_per_item] = {",
            '        "power": found.power,',
            '        "half of the interval": difference_half_width(DifferencePlan(**asked)),',
            *([] if one.loads.each is None else ['        "caution": found.caution,']),
            "    }",
            *PRINTED,
        ],
    )


@dataclass(frozen=True)
class Width:
    """Of what the half-width is asked, and what it rests on: variances, or numbers by name as typed."""

    what: str
    basis: Basis | None
    rest: Mapping[str, float]
    size: Size


def precise(asked: Width, drawn: Mapping[int, Sequence[int]]) -> str:
    """The half-width at each point of the picture: by ratings per item, so many items (of a MOS: ratings)."""
    return _lines(
        [
            *(["from analysis.items.rating_spread import level_degrees"] if asked.what == MOS else []),
            f"from analysis.planning import {_IMPORTED[asked.what]}{_imported(asked.size.loads)}",
        ],
        [
            *(_variances(asked.basis) if asked.basis is not None else []),
            *_loads(asked.size.loads),
            *_half(asked),
            f"points = {literal({each: list(x) for each, x in drawn.items()})}",
            "results = {(each, x): half(x, each) for each, along in points.items() for x in along}",
            *PRINTED,
        ],
    )


def best(basis: Basis, one: Spent, costs: StudyCosts, most_raters: int, loads: Loads) -> str:
    """The study with the most power for the money."""
    plan = one.plan
    if loads.each is not None:
        return _best_of_plan(basis, one, costs, most_raters, loads)
    return _lines(
        ["from analysis.planning import StudyCosts, best_design"],
        [
            *_variances(basis),
            f"costs = {literal(costs)}",
            f"study = dict(d={plan.d}, design={literal(plan.design)}, most_raters={most_raters})",
            f"test = dict(alpha={plan.alpha}, comparisons={plan.comparisons})",
            f'results = {{"best": best_design({one.budget}, costs, **study, **variances, **test)}}',
            *PRINTED,
        ],
    )


def _best_of_plan(basis: Basis, one: Spent, costs: StudyCosts, most_raters: int, loads: Loads) -> str:
    plan = one.plan
    study = f"d={plan.d}, design={literal(plan.design)}, alpha={plan.alpha}, comparisons={plan.comparisons}"
    return _lines(
        [
            "from analysis.planning import DifferencePlan, StudyCosts, best_of_plan" + _imported(loads),
        ],
        [
            *_variances(basis),
            *_loads(loads),
            f"costs = {literal(costs)}",
            "# the plan's own numbers of raters and items do not count",
            f"plan = DifferencePlan({plan.raters}, {plan.items}, {study}, **variances, loads=loads)",
            f'results = {{"best": best_of_plan({one.budget}, costs, plan, most_raters={most_raters})}}',
            *PRINTED,
        ],
    )


def enough(study: Study) -> str:
    """What the ratings so far tell, per measure."""
    return program(
        study.between_raters,
        [
            "from analysis.agreement.agreement_summary import agreement_summary",
            "from analysis.agreement.intraclass import stepped_up",
            "from analysis.agreement.reliability import one_way",
            "from analysis.estimate import Estimate",
            "from analysis.items.rating_spread import rating_spread",
            "from analysis.planning import mos_half_width",
            "from analysis.ratings import Ratings",
        ],
        [
            *RATINGS,
            *_sample_of(study),
            "results = {}",
            f"for measure in {literal(list(study.measures))}:",
            f"    rated = ratings(measure, {literal(study.candidate)}, **sample.get(measure, {{}}))",
            "    so_far = one_way(rated)",
            f"    every = ratings(measure, {literal(study.candidate)})",
            f"    one = agreement_summary(every, None, {study.raters_are_persons}).one.value",
            "    per_item = so_far.ratings_per_item",
            "    variance, degrees = rating_spread(rated).of_means",
            "    half = mos_half_width(round(per_item), variance**0.5, degrees=degrees)",
            "    results[measure] = {",
            '        "half of the interval": float(half),',
            '        "mean of ratings": stepped_up(Estimate(one), per_item).value,',
            "    }",
            *PRINTED,
        ],
    )


def _sample_of(study: Study) -> list[str]:
    """Return the line that says which measures are read from a sample of their items."""
    only: dict[str, object] = {"max_items": LARGEST_BOOTSTRAP, "seed": 0}
    if study.reference is not None:
        only["shared_with"] = study.reference
    return [f"sample = {literal(dict.fromkeys(sampled_measures(study), only))}"]


def preference(one: Preference, votes: Sequence[int]) -> str:
    """The power of a comparison by votes with each of these numbers of votes per item."""
    return _lines(
        ["from analysis.planning import preference_half_width, preference_power"],
        [
            f"share, items, item_sd, quality = {one.share}, {one.items}, {one.item_sd}, {one.quality}  # as typed",
            "seen = 0.5 + quality * (share - 0.5)  # guesses pull it towards one half",
            "results = {}",
            f"for votes in {literal(list(votes))}:",
            f"    test = dict(alpha={one.alpha}, comparisons={one.comparisons})",
            "    results[votes] = {",
            '        "power": preference_power(share, items, votes, item_sd, quality, **test).power,',
            '        "half of the interval": preference_half_width(seen, items, votes, quality * item_sd),',
            "    }",
            *PRINTED,
        ],
    )


def labels(one: Labels, votes: Sequence[int]) -> str:
    """How often the majority of each of these numbers of votes is right."""
    return _lines(
        ["from analysis.planning import accuracy_of_votes, votes_for_accuracy"],
        [
            f"accuracy, options, icc = {one.accuracy}, {one.options}, {one.icc}",
            f"votes = {literal(list(votes))}",
            f"own = {literal(list(one.own))}  # shares of right majorities of the items' own votes",
            "results = {",
            "    each: own[each - 1] if each <= len(own) else accuracy_of_votes(accuracy, each, options, icc)",
            "    for each in votes",
            "}",
            *PRINTED,
            f'print("votes for", {one.wanted}, votes_for_accuracy(accuracy, {one.wanted}, options, icc=icc))',
        ],
    )


def _half(asked: Width) -> list[str]:
    """What gives the half-width at x items and so many ratings of each."""
    rest = asked.rest
    if asked.what == MOS:
        raters, items = asked.size.study.effective_raters, asked.size.items
        compares = raters < FEWEST_RATERS
        return [
            'rater = variances["rater"] + variances["rater_slope"]',
            'residual = variances["residual"] + variances["rater_item"]',
            *(["rater = 0.0  # two raters only compare items"] if compares else []),
            "",
            "def half(x, each):",
            f"    degrees = max({items} * (x - 1) - {raters:g} + 1, 1)",
            *([] if compares else [f"    degrees = level_degrees(rater, residual, {raters!r}, degrees)"]),
            "    return float(mos_half_width(x, (rater + residual) ** 0.5, degrees=degrees))",
            "",
        ]
    if asked.what == SYSTEM:
        raters = asked.size.raters
        return [
            'rest = variances["residual"] + variances["rater_item"]',
            'rater = variances["rater"] + variances["rater_slope"]',
            'item = variances["item"] + variances["item_slope"]',
            "",
            "def half(x, each):",
            f"    each = min(each, {raters})",
            f"    return system_half_width({raters}, x, rest, rater, item, each{_given(asked.size.loads)})",
            "",
        ]
    if asked.what == CORRELATION:
        return [
            f"limit, reliability = {rest['limit']}, {rest['reliability']}  # as typed, or of the open ratings",
            "",
            "def half(x, each):",
            "    told = correlation_interval(limit, (1 - reliability) / reliability, each, x)",
            "    return (told.high - told.low) / 2",
            "",
        ]
    if asked.what == AGREEMENT:
        return [
            f"reliability = {rest['reliability']}  # of one rating: as typed, or of the open ratings",
            "",
            "def half(x, each):",
            "    return icc_half_width(reliability, max(each, 2), max(x, 2))",
            "",
        ]
    if asked.what == OF_OTHERS:
        raters = asked.size.raters
        return [
            f"reliability = {rest['reliability']}  # of one rating: as typed, or of the open ratings",
            f"severity = {rest['severity']}  # raters' share of what ratings of an item differ by: likewise",
            "",
            "def half(x, each):",
            f"    each = min(max(each, 2), {raters})",
            f"    return icc_half_width(reliability, each, max(x, 2), all_raters={raters}, severity=severity)",
            "",
        ]
    return [
        f"share, item_sd = {rest['share']}, {rest['item_sd']}  # as typed",
        "",
        "def half(x, each):",
        "    return preference_half_width(share, x, each, item_sd)",
        "",
    ]


def _variances(basis: Basis) -> list[str]:
    """The variances as numbers, below where they are from."""
    source = "Variances as typed." if basis.note is None else plain(basis.note)
    return [
        *(f"# {line}" for line in wrap(source, 110)),
        f"variances = {literal(dict(basis.pilot.estimated))}",
    ]


def _imported(loads: Loads) -> str:
    return "" if loads.busiest is None else ", loads_by_busiest"


def _given(loads: Loads) -> str:
    return "" if loads.each is None else ", loads=loads"


def _loads(loads: Loads) -> list[str]:
    """Raters' loads, where they differ."""
    if loads.each is None:
        return []
    if loads.busiest is not None:
        return [f"loads = loads_by_busiest({loads.busiest})  # by the busiest fifth of the raters"]
    numbers = [f"{one:g}" for one in loads.each]
    return [
        "loads = [  # of the open ratings' raters",
        *(f"    {one}" for one in wrap(", ".join([*numbers, ""]).strip(), 100)),
        "]",
    ]


def _lines(imports: Sequence[str], lines: Sequence[str]) -> str:
    return "\n".join([*imports, "", *lines, ""])
