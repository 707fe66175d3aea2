"""Section on raters of choices: who agrees with the others beyond chance, and with known answers."""

from collections.abc import Iterator
from functools import partial

from features.blocks import Block, Figure, Heading, card_of
from features.methods import method_of
from features.program import study_program
from features.raters import workers_findings as findings
from features.raters.consistency_findings import undefined_notes
from features.raters.consistency_section import PROGRAM, known_blocks
from features.raters.ranking_figures import rater_dots
from features.raters.workers_results import WorkersFound, WorkersSpec, rank_workers
from features.study import Scenario, Study

_WEIGHT = "; as a weight it counts 0"


def workers_section(study: Study, scenario: Scenario, spec: WorkersSpec) -> Iterator[Block]:
    """Yield who agrees with the others, with known answers where there are some, and how far methods agree."""
    found = rank_workers(study, spec)
    if found is None:
        yield findings.STOPPED
        return
    if study.dataset.without:
        everyone = rank_workers(study.everyone, spec)
        if everyone is not None:
            yield findings.exclusion_finding(found, everyone, scenario)
    yield from _blocks(study, found)
    yield from undefined_notes(found.ranking, weight=_WEIGHT)
    yield from findings.workers_notes(found)
    yield from known_blocks(found.ranking, study.groups)
    yield Heading("Agreement of the methods")
    yield findings.methods_table(found)
    yield from findings.methods_notes(found)
    yield method_of("raters", "workers", ["habibi2012"])


def _blocks(study: Study, found: WorkersFound) -> Iterator[Block]:
    yield findings.chance_finding(found)
    if found.ranking.drawn:
        caption = "Agreement of each rater with the others with its 95% CI, the lowest on top."
        yield Figure("raters", (caption, {}), partial(rater_dots, found.ranking, study.groups, ()))
    yield findings.workers_table(found)
    if (typical := findings.typical_finding(found)) is not None:
        yield typical


def workers_card(study: Study) -> Iterator[Block]:
    """Yield who agrees with the others over all comparisons, for the overview."""
    found = rank_workers(study, WorkersSpec())
    if found is not None:
        yield from card_of(_blocks(study, found))


def workers_program(study: Study, spec: WorkersSpec) -> str:
    """Return a program that ranks the raters without a browser."""
    return study_program(study, None, rank_workers, spec, PROGRAM)
