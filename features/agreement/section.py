"""Section of "Agreement": the blocks that its page, the card of the overview and the report show."""

from collections.abc import Iterator, Sequence
from functools import partial

from analysis.agreement.kappas import FEWEST_SHARED, RaterPairs
from features.agreement import findings
from features.agreement.results import (
    TENTATIVE,
    Agreements,
    AgreementSpec,
    agreement_stages,
    compute_coefficients,
    correlations_of,
    measure_of,
    pair_raters,
    summarize_agreement,
)
from features.assessments import of_group
from features.blocks import Block, Figure, Heading, Note, Text, card_of, in_stages, method_of
from features.plotting.panels import at_top_right, vertical_line
from features.plotting.series import dots_by_group
from features.plotting.shades import correlation_cells, matrix_layout
from features.plotting.theme import Look, PlotlyFigure, count, decimal, escape, share, short_names
from features.program import computed_by
from features.study import Scenario, Study, query

NO_PAIRS: Text = (
    "Raters are not identified, so there are no rater pairs and no coefficients of crossed raters.",
    {},
)
ALPHA_AXIS = "One rating (Krippendorff's alpha)"
MEAN_AXIS = "Mean of an item's ratings (ICC)"
_MOST_WITH_NUMBERS = 16
_TOP_MARGIN = 28
"""Pixels that the label of a line at the top needs."""


def alpha_dots(found: Agreements, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw the alpha of single ratings, a row per measure and a dot with its interval per group."""
    cells = [(each.measure, each.group, each.alpha) for each in found]
    return mark_usual_minimum(dots_by_group(cells, groups, ALPHA_AXIS, look), look)


def mark_usual_minimum(made: PlotlyFigure, look: Look) -> PlotlyFigure:
    """Return a chart of alphas with a line at the usual minimum, if the axis reaches it."""
    if made["layout"]["xaxis"]["range"][1] > TENTATIVE:
        layout = made["layout"]
        layout["shapes"].append(vertical_line(TENTATIVE, look.faint))
        name = f"usual minimum {decimal(TENTATIVE)}"
        layout["annotations"].append(at_top_right(name, look, x=TENTATIVE, xref="x"))
        missing = max(_TOP_MARGIN - layout["margin"]["t"], 0)
        layout["margin"]["t"] += missing
        layout["height"] += missing
    return made


def mean_dots(found: Agreements, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw the reliability of the mean of an item's ratings, in the same rows."""
    cells = [(each.measure, each.group, each.summary.mean) for each in found]
    return dots_by_group(cells, groups, MEAN_AXIS, look, guide=None)


def pair_matrix(pairs: RaterPairs, names: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw Pearson's r of each rater pair; pairs with too few shared items are grey."""
    number = len(names)
    labels = short_names(names, 10)
    height = min(130 + 26 * max(number, 4), 640)
    made = matrix_layout(labels, labels, look, height=height, remark="highest mean r first")
    if look.narrow:
        made["xaxis"]["tickangle"] = -90
    if look.narrow and number > _MOST_WITH_NUMBERS:
        made["xaxis"]["showticklabels"] = False  # they would overlap; the order is that of the rows
    r = [[value if value == value else None for value in row] for row in pairs.correlation.tolist()]
    hovers = [[_hover(pairs, names, x, y) for x in range(number)] for y in range(number)]
    return {
        "data": correlation_cells(r, hovers, look, with_numbers=number <= _MOST_WITH_NUMBERS),
        "layout": made,
    }


def _hover(pairs: RaterPairs, names: Sequence[str], x: int, y: int) -> str:
    shared = int(pairs.items[y, x])
    if x == y:
        return f"{escape(names[x])}: {count(shared)} items"
    text = f"{escape(names[y])} and {escape(names[x])}<br>"
    r = float(pairs.correlation[y, x])
    if r != r:
        why = f"fewer than {FEWEST_SHARED}" if shared < FEWEST_SHARED else "no variation on them"
        return f"{text}no r: {count(shared)} shared items, {why}"
    equal = share(float(pairs.equal[y, x]), 1)
    return f"{text}r = {decimal(r, 3)}, equal values {equal}, {count(shared)} shared items"


def _is_anything_defined(found: Agreements) -> bool:
    return any(each.alpha.defined for each in found)


def agreement_section(study: Study, scenario: Scenario, spec: AgreementSpec) -> Iterator[Block]:
    """Yield the agreement of single ratings and of means by measure and group, first without split halves."""
    if summarize_agreement(study, spec) is None:
        return
    yield from in_stages(agreement_stages(study, spec), partial(_agreement_blocks, study, scenario, spec))
    yield method_of("agreement", "agreement", ["krippendorff2011", "mcgraw1996", "spearman1910"])


def _agreement_blocks(
    study: Study, scenario: Scenario, spec: AgreementSpec, found: Agreements
) -> Iterator[Block]:
    everyone = summarize_agreement(study.everyone, spec) if study.dataset.without else None
    changes = findings.changed_alphas(everyone or (), found)
    several = len({each.group for each, _ in changes}) > 1
    if changes:
        yield findings.exclusion_finding(scenario, changes, several)
    yield findings.agreement_finding(study, found)
    if not _is_anything_defined(found):
        return
    caption = "Agreement of single ratings: Krippendorff's alpha by measure and group, with its 95% CI."
    yield Figure("alpha", (caption, {}), partial(alpha_dots, found, study.groups))
    yield findings.agreement_table(study, found)
    yield from findings.sampled_note(found)
    caption = "Reliability of the mean of an item's ratings: ICC by measure and group, with its 95% CI."
    yield Figure("reliability-of-means", (caption, {}), partial(mean_dots, found, study.groups))
    if changes:
        yield findings.exclusion_table(changes, several)


def pairs_section(study: Study, spec: AgreementSpec) -> Iterator[Block]:
    """Yield how rater pairs of the candidate correlate on one measure, then every coefficient where asked for."""
    if study.raters_are_persons:
        yield from _pair_blocks(study, spec)
    else:
        yield Note(NO_PAIRS)
    measure = measure_of(study, spec)
    if spec.coefficients and (found := compute_coefficients(study, spec)) is not None:
        yield Heading("All coefficients")
        if found.differences:
            here = measure if spec.compared in study.all_measures else f"group {study.candidate}"
            yield findings.difference_finding(found.differences, here, spec.compared)
        yield findings.coefficients_table(found)
        yield from findings.coefficients_warnings(found)


def _pair_blocks(study: Study, spec: AgreementSpec) -> Iterator[Block]:
    measure = measure_of(study, spec)
    pairs, names = pair_raters(study, measure), query(study.dataset, "rater_names")["name"]
    raters = of_group(study, measure, study.candidate, spec.scope).raters
    yield Heading("Rater pairs")
    yield findings.pairs_note(pairs, measure, raters, study.candidate if len(study.groups) > 1 else "")
    if len(correlations_of(pairs)) >= len(pairs.raters):  # else nearly all of the figure would be grey
        caption = (
            "Pearson's r of each rater pair on {measure}, the raters with the highest mean r first. Grey: too few "
            "shared items."
        )
        draw = partial(pair_matrix, pairs, names[pairs.raters].tolist())
        yield Figure("rater-pairs", (caption, {"measure": measure}), draw)


@computed_by(summarize_agreement, "results = {(each.measure, each.group): each.summary for each in found}")
def agreement_page(study: Study, scenario: Scenario, spec: AgreementSpec) -> Iterator[Block]:
    """Yield the whole section, with rater pairs where there is any agreement to show."""
    yield from agreement_section(study, scenario, spec)
    found = summarize_agreement(study, spec)
    if found is not None and _is_anything_defined(found):
        yield from pairs_section(study, spec)


def agreement_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    spec = AgreementSpec()
    if (found := summarize_agreement(study, spec)) is not None:
        yield from card_of(_agreement_blocks(study, scenario, spec, found))
