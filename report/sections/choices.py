"""A study of choices: who wins, and who is reliable."""

from collections.abc import Iterator

from analysis.systems.preference import PreferenceSpec
from analysis.workers.polls import on_the_same_pair
from charts.workers.reliability import ranking
from features.blocks import Finding
from features.polls import count_compared_systems, is_pairs, polls, pooled
from features.raters.naming_findings import TYPICAL
from features.study import Scenario, Study
from features.systems.pairs_section import all_pairs_section, default_spec, pair_section
from features.systems.scale_results import ScaleSpec
from features.systems.scale_section import scale_section
from findings.workers.ranked import compared_workers, ranked_workers
from findings.workers.reliability import FEW_ITEMS, finding, known_finding, of_choices, remarks
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given
from report.parts.of_blocks import section_of, together
from report.parts.without import what_changes

MOST_PAIRS = 12
"""Pairs of systems up to which each is looked at for itself; the scale says more of so many."""
_OF_WORKERS = (
    "Worker",
    "Items",
    "r_w",
    "r_w, 95 %",
    TYPICAL,
    "With the majority",
    "GLAD ability",
    "Dawid-Skene accuracy",
)


def systems(study: Study, asked: Asked) -> Iterator[Section]:
    """All systems on one scale where there are more than two, then each pair."""
    if not is_pairs(study):
        return
    there = polls(study)
    if count_compared_systems(study) > 2:
        spec = ScaleSpec(style=study.whole.told_of_options, bootstrap=asked.bootstrap())
        yield section_of("systems", "Systems on one scale", scale_section(study, spec))
    if len(there) <= MOST_PAIRS:
        yield _pairs(study, asked)


def _pairs(study: Study, asked: Asked) -> Section:
    """Return all pairs, then each: in full under the design with most items, under others its finding."""
    name, title, there = "pairs-of-systems", "Pairs of systems", polls(study)
    bootstrap = asked.bootstrap()
    shares = PreferenceSpec(draws=bootstrap.draws, seed=bootstrap.seed)
    parts = [section_of(name, title, all_pairs_section(study, shares))] if len(there) > 1 else []
    for nth, poll in enumerate(there, 1):
        blocks = pair_section(study, default_spec(study, poll, bootstrap))
        if poll is not max(on_the_same_pair(poll, there), key=lambda each: each.votes.items):
            blocks = (block for block in blocks if isinstance(block, Finding))
        parts.append(section_of(name, title, blocks, f"-{nth}"))
    return together(parts)


def workers(study: Study, scenario: Scenario) -> Section:
    """Who agrees with the others, over all comparisons."""
    study = study.between_raters
    poll, poll_of_item = pooled(study)
    known = next(iter(poll.known_answers), "")
    without, tables = what_changes(study, scenario)
    ranked = given(ranked_workers(study, poll, poll_of_item, known))
    reliability = of_choices(poll, ranked, compared_workers(study, poll, poll_of_item, ranked), known)
    of_known = known_finding(reliability, FEW_ITEMS)
    return Section(
        "workers",
        "The workers",
        findings=[finding(reliability), *([of_known] if of_known else []), *without],
        pictures=[
            Picture(
                "workers",
                ("Agreement of each worker with the others, the highest on top.", {}),
                lambda look: ranking(reliability.pictured(FEW_ITEMS), reliability.r_title, look),
            )
        ],
        tables=[Table("workers", ("All figures per worker.", {}), reliability.table, _OF_WORKERS), *tables],
        warnings=remarks(reliability, FEW_ITEMS),
        methods=[
            (
                "r_w is PCC-H's reliability: the correlation of a worker's choices with the shares of all others' "
                "(Habibi and Popescu-Belis 2012). Intervals: {how}.",
                {"how": reliability.intervals or "none"},
            )
        ],
        cited=["habibi2012"],
    )
