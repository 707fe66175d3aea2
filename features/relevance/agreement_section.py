"""Sections of "Relevance" on judgments: which summaries suffice, raters, differences between surrogates, order."""

from collections.abc import Iterator, Mapping
from functools import partial

from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, card_of, in_stages
from features.methods import method_of
from features.program import study_program
from features.relevance import accuracy_findings, differences_findings, order_findings, raters_findings
from features.relevance import agreement_figures as figures
from features.relevance import agreement_results as results
from features.relevance.agreement_results import (
    Accuracy,
    AccuracySpec,
    Differences,
    DifferencesSpec,
    Kappas,
    OrderSpec,
    RatersSpec,
)
from features.study import Scenario, Study
from features.verdicts import largest_change

CLOSED = BootstrapSpec(draws=0)


def accuracy_section(study: Study, scenario: Scenario, spec: AccuracySpec) -> Iterator[Block]:
    """Yield which summaries let readers decide as with the full text: first without intervals, the events last."""
    found = yield from in_stages(
        results.accuracy_stages(study, spec), partial(_accuracy_blocks, study, scenario, spec)
    )
    if not found.sides:
        yield from accuracy_findings.accuracy_warnings(found)
        return
    yield accuracy_findings.accuracy_table(found)
    yield from accuracy_findings.accuracy_warnings(found)
    yield from accuracy_findings.accuracy_notes(found)
    if len(found.sides) > 1:
        yield Heading("Relevance Prediction and LDC Agreement")
        difference = accuracy_findings.difference_finding(found)
        if difference is not None:
            yield difference
        yield accuracy_findings.difference_table(found)
        yield from accuracy_findings.difference_warnings(found)
    if found.by_event:
        yield Heading("Event by event")
        yield accuracy_findings.events_table(found)
    bootstrap = spec.bootstrap
    sources = ["hobson2007", "cameron2011"]
    yield method_of("relevance", "accuracy", sources, draws=bootstrap.draws, seed=bootstrap.seed)


def _accuracy_blocks(
    study: Study, scenario: Scenario, spec: AccuracySpec, found: Accuracy
) -> Iterator[Block]:
    if study.dataset.without:
        before = results.sides_at_once(study.everyone, spec.full_text)
        changes = accuracy_findings.accuracies(before), accuracy_findings.accuracies(found)
        yield largest_change(scenario, "agreement on", *changes)
    yield accuracy_findings.accuracy_finding(found)
    if not found.sides:
        return
    name = accuracy_findings.FIGURE_NAMES[spec.figure]
    caption = (
        "{figure} of each surrogate, compared with gold and with the rater's own full text, with 95% CI."
    )
    draw = partial(figures.agreement_dots, found, spec.figure)
    yield Figure("relevance-agreement", (caption, {"figure": name}), draw)
    if any(e.defined for e in found.both.seconds_saved):
        caption = "Seconds saved by each surrogate and the agreement that is lost for it, with 95% CI."
        yield Figure("speed", (caption, {}), partial(figures.speed_figure, found))


def accuracy_card(study: Study, scenario: Scenario, full_text: str) -> list[Block]:
    """Return the finding and the agreements without intervals for the overview."""
    spec = AccuracySpec(bootstrap=CLOSED, by_event=False, full_text=full_text)
    return card_of(accuracy_section(study, scenario, spec))


def accuracy_program(study: Study, spec: AccuracySpec) -> str:
    """Return a program that compares judgments with both truths without a browser."""
    return study_program(study, None, results.judge_accuracy, spec, ["results = found.figures"])


def raters_section(study: Study, scenario: Scenario, spec: RatersSpec) -> Iterator[Block]:
    """Yield how far raters agree with each other, with gold and with their own full text."""
    found = yield from in_stages(
        results.rater_stages(study, spec), partial(_raters_blocks, study, scenario, spec)
    )
    yield raters_findings.kappa_table(found)
    yield from raters_findings.raters_warnings(found)
    yield from raters_findings.raters_notes(found)
    yield method_of("relevance", "raters", ["cohen1960", "hobson2007"], chance=spec.chance)


def _raters_blocks(study: Study, scenario: Scenario, spec: RatersSpec, found: Kappas) -> Iterator[Block]:
    if study.dataset.without:
        closed = RatersSpec(spec.chance, CLOSED, spec.full_text)
        before = results.compare_raters(study.everyone, closed)
        yield largest_change(scenario, "the share of equal judgments on", before.alike, found.alike)
    yield raters_findings.raters_finding(found)
    caption = "Kappa of each surrogate, between raters, with gold and with the own full text, with 95% CI."
    yield Figure("kappa", (caption, {}), partial(figures.kappa_dots, found))
    if any(e.defined for e in found.alike.values()):
        caption = "Share of pairs of judgments of the same document that are alike, with 95% CI."
        yield Figure("alike", (caption, {}), partial(figures.alike_dots, found))


def raters_card(study: Study, scenario: Scenario, full_text: str) -> list[Block]:
    """Return the finding and the kappas without intervals for the overview."""
    return card_of(raters_section(study, scenario, RatersSpec(bootstrap=CLOSED, full_text=full_text)))


def raters_program(study: Study, spec: RatersSpec) -> str:
    """Return a program that compares raters without a browser."""
    return study_program(study, None, results.compare_raters, spec, ["results = found.figures"])


def differences_section(study: Study, scenario: Scenario, spec: DifferencesSpec) -> Iterator[Block]:
    """Yield whether surrogates differ in a measure by more than raters, or events, do."""
    if not spec.measure:
        yield differences_findings.nothing_to_compare()
        return
    found = results.compare_surrogates(study, spec)
    if study.dataset.without:
        before = results.compare_surrogates(study.everyone, spec)
        measure, _ = differences_findings.measure_name(spec.measure)
        changes = f"mean {measure} of", before.means, found.means
        yield largest_change(scenario, *changes, differences_findings.write_of(found))
    yield differences_findings.differences_finding(found)
    if found.test.k > 1:
        caption = (
            "Mean {measure} of each surrogate with its within-subject 95% CI, the best on top. Surrogates that share a "
            "letter do not clearly differ."
        )
        draw = partial(figures.mean_dots, found)
        yield Figure("differences", (caption, {"measure": spec.measure}), draw)
        yield differences_findings.means_table(found)
    yield from differences_findings.differences_warnings(found)
    yield from differences_findings.differences_notes(found)
    yield from _tests(found)
    yield method_of("relevance", "differences", ["hobson2007"])


def _tests(found: Differences) -> Iterator[Block]:
    if found.test.defined:
        yield Heading("The test")
        yield differences_findings.test_table(found)
    if found.pairs.defined:
        yield Heading("Pair by pair")
        yield differences_findings.pairs_table(found)


def differences_program(study: Study, spec: DifferencesSpec) -> str:
    """Return a program that compares surrogates without a browser."""
    return study_program(study, None, results.compare_surrogates, spec, ["results = found.figures"])


def order_section(study: Study, scenario: Scenario, spec: OrderSpec) -> Iterator[Block]:
    """Yield whether judgments of a document change with the order of presentation."""
    lacking = results.missing_order_columns(study)
    if lacking is not None:
        yield order_findings.no_order(lacking)
        return
    found = yield from in_stages(results.order_stages(study, spec), partial(_order_blocks, study, scenario))
    if found.pairs:
        yield order_findings.order_table(found)
    yield from order_findings.order_warnings(found)
    yield from order_findings.order_notes(found)
    yield method_of("relevance", "order", ["hobson2007"])


def _order_blocks(study: Study, scenario: Scenario, order: OrderStudy) -> Iterator[Block]:
    if study.dataset.without:
        before = results.compare_presentations(study.everyone, OrderSpec(CLOSED))
        yield largest_change(scenario, "the share of equal judgments in", _shares(before), _shares(order))
    yield order_findings.order_finding(order)
    if order.pairs:
        caption = "Share of equal judgments by order label and pair of presentations, with 95% CI."
        yield Figure("order", (caption, {}), partial(figures.order_dots, order))


def _shares(order: OrderStudy) -> Mapping[str, Estimate]:
    return {order_findings.pair_title(pair): same.share for pair, same in order.pairs.items()}


def order_program(study: Study, spec: OrderSpec) -> str:
    """Return a program that compares presentations without a browser."""
    return study_program(study, None, results.compare_presentations, spec, ["results = found.pairs"])
