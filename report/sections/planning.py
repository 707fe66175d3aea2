"""Planning: what a further study as large as this one would find, and a kept view's plan."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import isfinite

from analysis.planning.budget import StudyCosts
from analysis.planning.difference import DifferencePlan
from analysis.planning.presets import PRESETS
from analysis.values.errors import InputError
from charts.planning.curves import along
from features.plotting.numbers import decimal
from features.polls import is_pairs, polls
from features.study import Study
from features.verdicts import not_applicable
from features.words import Sentence
from findings.planning import apart, as_it_is, precise
from findings.planning.apart import DESIGNS, Prices, largest
from findings.planning.basis import KINDS, OPEN, TYPED, Basis, of_preset, typed, variances_table
from findings.planning.loads import (
    ALIKE,
    AS_OPEN,
    BUSIEST,
    POWER,
    Loads,
    by_busiest,
    cautions,
    of_open_ratings,
)
from findings.planning.open_ratings import USUAL, of_open
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table
from report.parts.opening import of_each_group

TITLE = "Planning a further study"
APART, PRECISE = "Which systems can be told apart?", "How precise?"
MOST = 1000
"""Raters, items and comparisons that an address may ask for."""
_CITED = ("westfall2014", "hoenig2001")
Controls = Mapping[str, Sequence[str]]


def section(study: Study, asked: Asked) -> Section | None:
    """What a study of this size finds and how precisely; None where nothing can be planned from it."""
    if study.holds_choices:
        return _of_votes(study) if is_pairs(study) else None
    each = product(of_each_group(study, asked), study.measures)
    every = (as_it_is.of_ratings(of, measure, asked.generalize) for of, measure in each)
    made = [one for one in every if one is not None]
    if not made:
        return None
    return Section(
        "planning",
        TITLE,
        findings=[*as_it_is.finding(made), not_applicable(*as_it_is.NOT_EVIDENCE)],
        tables=[
            Table(
                "planning",
                ("What a further study of this size would find, and how precisely it would tell means.", {}),
                as_it_is.table(made),
                as_it_is.few_columns(made),
                notes=as_it_is.undefined(made),
            )
        ],
        methods=[
            (
                "Half-widths come from the variances of these ratings (REML, or moments where that is slow). The "
                "difference found is that of Ranking systems: half-width of the median pair's interval, which holds "
                "for all pairs, plus the standard errors that a power of {power} adds.",
                {"power": f"{as_it_is.POWER:.2f}"},
            )
        ],
        cited=("hoenig2001",),
    )


def _of_votes(study: Study) -> Section:
    made = as_it_is.of_votes(polls(study))
    return Section(
        "planning",
        TITLE,
        findings=[as_it_is.votes_finding(made), not_applicable(*as_it_is.NOT_EVIDENCE)],
        tables=[
            Table(
                "planning",
                ("The preference that a further comparison of this size would tell from a draw.", {}),
                as_it_is.votes_table(made),
            )
        ],
        methods=[
            (
                "The smallest share that a two-sided t test over items at .05 tells from one half with a power of "
                "{power} (two-stage sampling, Cochran 1977, section 10.3), alone and with the level divided by the "
                "number of comparisons. Items differ by what their shares spread beyond the chance of so few votes; "
                "it holds for these workers.",
                {"power": f"{as_it_is.POWER:.2f}"},
            )
        ],
        cited=["cochran1977", "hoenig2001"],
    )


def of_view(study: Study, controls: Controls) -> Section | None:
    """The plan that a kept view of the page Planning holds; None where its question has no figure in a report."""
    question = _text(controls, "plan", "" if study.holds_choices else APART)
    try:
        if question == APART:
            return _apart(study, controls)
        if question == PRECISE:
            return _precise(study, controls)
    except InputError:  # an address that somebody typed
        return None
    return None


def _apart(study: Study, controls: Controls) -> Section:
    basis = _basis(study, controls, about_systems=True)
    design = DESIGNS.get(_text(controls, "plan_design", ""), "crossed")
    raters, each = _whole(controls, "plan_raters", 24), _whole(controls, "plan_ratings", 8)
    loads = _loads(study, controls)
    plan = DifferencePlan(
        raters,
        _whole(controls, "plan_items", 40),
        _number(controls, "plan_difference", basis.difference),
        **basis.pilot.estimated,
        design=design,
        ratings_per_item=min(each, largest(raters, design)),
        alpha=_number(controls, "plan_alpha", 0.05),
        comparisons=_whole(controls, "plan_comparisons", 1, 100_000),
        loads=loads.each,
    )
    wanted = _number(controls, "power", 80) / 100
    one = apart.planned(plan, basis, Prices(StudyCosts(0.0), "", 0.0), wanted, loads)
    curves = apart.curves(one, apart.reach(int(plan.items)))
    return Section(
        "planning",
        TITLE,
        findings=apart.finding(one),
        pictures=[
            Picture(
                "power",
                ("Power along the number of items, by ratings per item.", {}),
                lambda look: along(
                    curves, (one.each, one.plan.items), ("Items", "Power"), look, wanted=wanted
                ),
            )
        ],
        tables=_variances(basis),
        notes=[basis.note] if basis.note is not None else [],
        warnings=[*_of(basis), *cautions(one.plan, POWER)],
        methods=[("{sentence}", {"sentence": apart.for_the_paper(one)})],
        cited=["westfall2014"],
    )


def _precise(study: Study, controls: Controls) -> Section | None:
    what = _text(controls, "plan_precise", precise.MOS)
    basis = _basis(study, controls, about_systems=False)
    if what not in (precise.MOS, precise.SYSTEM):
        return None
    size = precise.Size(
        _whole(controls, "plan_items", 40),
        _whole(controls, "plan_raters", 24),
        _whole(controls, "plan_ratings", 8),
        _number(controls, "plan_half", float(f"{0.06 * basis.points:.2g}")),
        _loads(study, controls),
    )
    one = (precise.of_mos if what == precise.MOS else precise.of_system)(basis, size)
    return Section(
        "planning",
        TITLE,
        findings=precise.finding(one),
        tables=_variances(basis),
        notes=[basis.note] if basis.note is not None else [],
        warnings=[*_of(basis), *precise.cautions(one)],
        methods=[
            (
                "Half of the 95 % interval by Student's t: of an item's mean over its raters, of a system's over "
                "raters and items, both drawn by chance.",
                {},
            )
        ],
    )


def _of(basis: Basis) -> list[Sentence]:
    return [] if basis.warning is None else [basis.warning]


def _variances(basis: Basis) -> list[Table]:
    told: Sentence = (
        "Variances that the plan rests on, of ratings from end to end of {points} points.",
        {"points": decimal(basis.points, 1)},
    )
    return [Table("variances", told, variances_table(basis))]


def _basis(study: Study, controls: Controls, about_systems: bool) -> Basis:
    """What the variances of a view are of."""
    own = OPEN if not study.holds_choices else next(iter(KINDS))
    chosen = _text(controls, "plan_variances", own)
    if chosen == TYPED:
        usual = PRESETS[KINDS[USUAL]].variances
        given = {name: max(_number(controls, f"plan_var_{name}", usual[name]), 0.0) for name in usual}
        return typed(given, max(_number(controls, "plan_points", 4.0), 0.1))
    if chosen in KINDS:
        return of_preset(KINDS[chosen])
    measure = _text(controls, "plan_measure", study.measures[0])
    return of_open(study, measure if measure in study.measures else study.measures[0], about_systems)


def _loads(study: Study, controls: Controls) -> Loads:
    """How unequal raters' loads are in a view."""
    chosen = _text(controls, "plan_loads", ALIKE)
    if chosen == AS_OPEN and not study.holds_choices:
        measure = _text(controls, "plan_measure", study.measures[0])
        return of_open_ratings(study, measure if measure in study.measures else study.measures[0])
    if chosen == BUSIEST:
        return by_busiest(min(max(_number(controls, "plan_busiest", 50), 20), 95) / 100)
    return Loads()


def _text(controls: Controls, name: str, usual: str) -> str:
    return next(iter(controls.get(name, ())), usual)


def _whole(controls: Controls, name: str, usual: int, most: int = MOST) -> int:
    return int(min(max(_number(controls, name, usual), 1), most))


def _number(controls: Controls, name: str, usual: float) -> float:
    try:
        told = float(_text(controls, name, ""))
    except ValueError:
        return usual
    return told if isfinite(told) else usual
