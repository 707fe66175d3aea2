"""Section of "Ranking systems" that places all systems on one scale, from comparisons of pairs."""

from collections.abc import Iterator
from functools import partial

from analysis.systems.bradley_terry import Scale
from analysis.systems.scale_intervals import ScaleIntervals
from features.blocks import Block, Figure, Heading, Method, Progress
from features.program import study_program
from features.study import Study
from features.systems import scale_findings
from features.systems.scale_figures import scale_dots, win_matrix
from features.systems.scale_results import (
    Axis,
    ScaleSpec,
    SystemsOnScale,
    are_scale_intervals_kept,
    fit_scale,
    fit_scale_at_once,
)

_FROM_STRONGEST = (
    "All systems on one scale{adjusted}, the strongest on top, with intervals. Lines separate clusters."
)


def scale_section(study: Study, spec: ScaleSpec) -> Iterator[Block]:
    """Yield the scale of all systems, first without intervals; then what position and style do, and all pairs."""
    found = fit_scale_at_once(study, spec)
    if not found.has_scale:
        yield from _scale_blocks(found, spec)
        return
    if not are_scale_intervals_kept(study, spec):
        yield from _scale_blocks(found, spec)
        yield Progress("Intervals of the scale")
    found = fit_scale(study, spec)
    yield from _scale_blocks(found, spec)
    yield scale_findings.systems_table(found)
    yield from scale_findings.scale_warnings(found)
    yield from scale_findings.scale_notes(found)
    if found.position is not None:
        yield scale_findings.position_finding(found.scale, found.position, spec.bootstrap)
    if found.style is not None:
        yield from _style_blocks(found, spec)
    yield Heading("Pairs")
    yield Figure(
        "wins",
        (
            "Share of comparisons that the row's system won against the column's, in percent; a tie is half a win.",
            {},
        ),
        partial(win_matrix, found.scale, found.fit),
        hint="Click a cell to open its pair.",
    )
    yield scale_findings.pairs_table(found, spec.bootstrap)
    yield _method(spec)


def _scale_blocks(found: SystemsOnScale, spec: ScaleSpec) -> Iterator[Block]:
    yield scale_findings.scale_finding(found, spec.bootstrap)
    if found.has_scale:
        yield _dots("scale", found.scale, found.intervals, spec.axis, "")


def _dots(name: str, scale: Scale, drawn: ScaleIntervals | None, axis: Axis, adjusted: str) -> Figure:
    return Figure(name, (_FROM_STRONGEST, {"adjusted": adjusted}), partial(scale_dots, scale, drawn, axis))


def _style_blocks(found: SystemsOnScale, spec: ScaleSpec) -> Iterator[Block]:
    style = found.style
    if style is None:
        return
    yield Heading("Adjusted for style")
    yield scale_findings.style_finding(style, spec.bootstrap)
    if not style.reason:
        systems, effects = scale_findings.style_tables(style, found.unadjusted)
        yield _dots("style", style.adjusted, style.intervals, spec.axis, ", adjusted for style")
        yield systems
        yield from scale_findings.effect_findings(style, spec.bootstrap)
        yield effects
    yield from scale_findings.style_remarks(style)


def _method(spec: ScaleSpec) -> Method:
    sources, style = ["bradley1952", "davidson1970", "cameron2011"], ""
    if spec.style:
        sources.append("chiang2024")
        style = (
            " Style enters as covariates, each the difference of both outputs' counts over their sum, in units of its "
            "standard deviation, as in the style control of Chatbot Arena (Chiang et al. 2024)."
        )
    return Method(
        (
            "One strength per system comes from all pairs (Bradley and Terry 1952), with ties after Davidson (1970). "
            "Variances are clustered by items and raters (Cameron, Gelbach and Miller 2011). Whether two systems "
            "differ is adjusted for all pairs ({draws} samples, seed {seed})." + style,
            {"draws": spec.bootstrap.draws, "seed": spec.bootstrap.seed},
        ),
        sources,
        scale_findings.DETAILS,
    )


def scale_card(study: Study) -> Iterator[Block]:
    """Yield the scale of all systems for the overview, with its intervals, which take moments."""
    spec = ScaleSpec()
    yield from _scale_blocks(fit_scale(study, spec), spec)


def scale_program(study: Study, spec: ScaleSpec) -> str:
    """Return a program that places the systems on one scale without a browser."""
    parts = {"systems": "found.chances", "pairs": "found.pairs", "scale": "found"}
    if spec.style:
        parts["adjusted"] = "found.adjusted_chances"
    given = ", ".join(f"{name!r}: {value}" for name, value in parts.items())
    return study_program(study, None, fit_scale, spec, [f"results = {{{given}}}"])
