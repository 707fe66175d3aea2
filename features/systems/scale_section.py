"""Section of "Ranking systems" that places all systems on one scale, from comparisons of pairs."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from analysis.systems.bradley_terry import Scale
from analysis.systems.covariates import StyleEffects
from analysis.systems.scale_intervals import ScaleIntervals
from features.blocks import Block, Figure, Heading, Method, in_stages
from features.methods import method_of
from features.program import study_program
from features.study import Study
from features.systems import scale_findings as findings
from features.systems.scale_figures import scale_dots, win_matrix
from features.systems.scale_results import Axis, ScaleSpec, SystemsOnScale, fit_scale, scale_stages


def scale_section(study: Study, spec: ScaleSpec) -> Iterator[Block]:
    """Yield the scale of all systems, first without intervals; then what position and style do, and all pairs."""
    found = yield from in_stages(scale_stages(study, spec), partial(_scale_blocks, spec))
    if not found.has_scale:
        return
    yield findings.systems_table(found)
    yield from findings.scale_warnings(found)
    yield from findings.scale_notes(found)
    if found.position is not None:
        yield findings.position_finding(found.scale, found.position, spec.bootstrap)
    if found.style is not None:
        yield from _style_blocks(found.style, found.unadjusted, spec)
    yield Heading("Pairs")
    caption = "Share of comparisons that the row's system won against the column's, in percent; a tie is half a win."
    draw = partial(win_matrix, found.scale, found.fit)
    yield Figure("wins", (caption, {}), draw, hint="Click a cell to open its pair.")
    yield findings.pairs_table(found, spec.bootstrap)
    yield _method(spec)


def _scale_blocks(spec: ScaleSpec, found: SystemsOnScale) -> Iterator[Block]:
    yield findings.scale_finding(found, spec.bootstrap)
    if found.has_scale:
        yield _dots("scale", found.scale, found.intervals, spec.axis, "")


def _dots(name: str, scale: Scale, drawn: ScaleIntervals | None, axis: Axis, adjusted: str) -> Figure:
    caption = (
        "All systems on one scale{adjusted}, the strongest on top, with intervals. Lines separate clusters."
    )
    return Figure(name, (caption, {"adjusted": adjusted}), partial(scale_dots, scale, drawn, axis))


def _style_blocks(style: StyleEffects, unadjusted: ScaleIntervals | None, spec: ScaleSpec) -> Iterator[Block]:
    yield Heading("Adjusted for style")
    yield findings.style_finding(style, spec.bootstrap)
    if not style.reason:
        yield _dots("style", style.adjusted, style.intervals, spec.axis, ", adjusted for style")
        yield findings.style_table(style, unadjusted)
        yield from findings.effect_findings(style, spec.bootstrap)
        yield findings.effects_table(style)
    yield from findings.style_remarks(style)


def _method(spec: ScaleSpec) -> Method:
    sources, bootstrap = ["bradley1952", "davidson1970", "cameron2011"], spec.bootstrap
    if spec.style:
        sources.append("chiang2024")
    method = method_of("systems", "scale", sources, draws=bootstrap.draws, seed=bootstrap.seed)
    style = (
        " Style enters as covariates, each the difference of both outputs' counts over their sum, in units of its "
        "standard deviation, as in the style control of Chatbot Arena (Chiang et al. 2024)."
    )
    return replace(method, text=(method.text[0] + style, method.text[1])) if spec.style else method


def scale_card(study: Study) -> Iterator[Block]:
    """Yield the scale of all systems for the overview, with its intervals, which take moments."""
    yield from _scale_blocks(ScaleSpec(), fit_scale(study, ScaleSpec()))


def scale_program(study: Study, spec: ScaleSpec) -> str:
    """Return a program that places the systems on one scale without a browser."""
    adjusted = ", 'adjusted': found.adjusted_chances" if spec.style else ""
    results = f"{{'systems': found.chances, 'pairs': found.pairs, 'scale': found{adjusted}}}"
    return study_program(study, None, fit_scale, spec, [f"results = {results}"])
