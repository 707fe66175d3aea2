"""Section of "Ranking systems" on two systems: the blocks that its page shows and its report prints."""

from collections.abc import Iterator
from functools import partial

from analysis.systems.preference import PreferenceSpec
from analysis.values.estimate import BootstrapSpec
from analysis.workers.polls import Poll, usually_dropped
from features.blocks import Block, Figure, Heading, Progress, in_stages
from features.methods import method_of
from features.polls import polls
from features.program import study_program
from features.study import Study
from features.systems import pairs_findings as findings
from features.systems import pairs_results as results
from features.systems.pairs_figures import pair_bars
from features.systems.pairs_results import ComparedPair, PairSpec, find_designs


def default_spec(study: Study, poll: Poll, bootstrap: BootstrapSpec) -> PairSpec:
    """Return the spec of a comparison with as many raters dropped as by default."""
    dropped = usually_dropped(find_designs(study, poll.name)[1])
    return PairSpec(poll.name, PreferenceSpec(dropped, draws=bootstrap.draws, seed=bootstrap.seed))


def pair_section(study: Study, spec: PairSpec) -> Iterator[Block]:
    """Yield which of two systems is preferred: first with the intervals that are cached, those of GLAD last."""
    found = yield from in_stages(results.pair_stages(study, spec), _verdict)
    if found.answers:
        yield findings.methods_table(found)
        yield from findings.pair_notes(found, results.position_bias(study, found.poll, spec.shares))
        for each in found.designs:
            yield from findings.pair_warnings(each, found.preferences[each.name], spec.shares)
    if spec.all_pairs:
        yield Progress("All pairs")
        yield from all_pairs_section(study, spec.shares)
    if found.answers:
        yield findings.items_table(found.poll, *results.item_difficulty(study, found.poll, spec.shares))
    yield method_of("systems", "pairs", ["habibi2012"], draws=spec.shares.draws, seed=spec.shares.seed)


def all_pairs_section(study: Study, shares: PreferenceSpec) -> Iterator[Block]:
    """Yield a table of all comparisons."""
    every = polls(study.between_raters)
    yield Heading("All pairs")
    yield findings.pairs_table([(each, results.shares_of_everyone(study, each, shares)) for each in every])


def _verdict(found: ComparedPair) -> Iterator[Block]:
    yield findings.pair_finding(found.poll, found.preference)
    if found.answers:
        caption = (
            "Share of the preference of {first} and {second} by each method, with 95% CI. The dotted line is "
        )
        pair = {"first": found.poll.first, "second": found.poll.second}
        yield Figure("preference", (caption + "one half.", pair), partial(pair_bars, found))


def pair_card(study: Study) -> Iterator[Block]:
    """Yield the first comparison for the overview, with the intervals that take moments."""
    spec = default_spec(study, polls(study)[0], BootstrapSpec())
    for each in find_designs(study, spec.comparison)[1]:
        if len(each.votes) <= results.QUICK_VOTES:
            results.shares_of_everyone(study, each, spec.shares)
    yield from _verdict(results.preview_pair(study, spec))


def pair_program(study: Study, spec: PairSpec) -> str:
    """Return a program that compares the two systems without a browser."""
    return study_program(study, None, results.compare_pair, spec, ["results = dict(found.preference.shares)"])
