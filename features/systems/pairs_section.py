"""Section of "Ranking systems" on two systems: the blocks that its page shows and its report prints."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from analysis.systems.preference import PreferenceSpec
from analysis.values.estimate import BootstrapSpec
from analysis.workers.polls import Poll, usually_dropped
from features.blocks import Block, Figure, Heading, Method, Progress
from features.polls import polls
from features.program import study_program
from features.study import Study
from features.systems import pairs_findings as findings
from features.systems import pairs_results as results
from features.systems.pairs_figures import pair_bars
from features.systems.pairs_results import ComparedPair, PairSpec, find_designs, preview_pair


def default_spec(study: Study, poll: Poll, bootstrap: BootstrapSpec) -> PairSpec:
    """Return the spec of a comparison with as many raters dropped as by default."""
    dropped = usually_dropped(find_designs(study, poll.name)[1])
    return PairSpec(poll.name, PreferenceSpec(dropped, draws=bootstrap.draws, seed=bootstrap.seed))


def pair_section(study: Study, spec: PairSpec) -> Iterator[Block]:
    """Yield which of two systems is preferred: first with the intervals that are cached, those of GLAD last."""
    found = preview_pair(study, spec)
    yield from _verdict(found)
    for work in chain(results.compute_stages(study, spec) if found.answers else (), ("",)):
        later = preview_pair(study, spec)
        if any(one.shares != found.preferences[name].shares for name, one in later.preferences.items()):
            yield from _verdict(later)
        found = later
        if work:
            yield Progress(work)
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
    yield Method(
        (
            "Shares of the preference by equal weights, by PCC-H (each rater weighs as much as they agree with the "
            "others, each item as much as its votes agree), without the least reliable raters, by the items' majority "
            "and by GLAD (Habibi and Popescu-Belis 2012). Intervals: {draws} bootstrap samples (seed {seed}).",
            {"draws": spec.shares.draws, "seed": spec.shares.seed},
        ),
        ["habibi2012"],
        DETAILS,
    )


def all_pairs_section(study: Study, shares: PreferenceSpec) -> Iterator[Block]:
    """Yield a table of all comparisons."""
    yield Heading("All pairs")
    every = polls(study.between_raters)
    yield findings.pairs_table(
        every, {poll.name: results.shares_of_everyone(study, poll, shares) for poll in every}
    )


def _verdict(found: ComparedPair) -> Iterator[Block]:
    yield findings.pair_finding(found.poll, found.preference)
    if found.answers:
        yield Figure(
            "preference",
            (
                "Share of the preference of {first} and {second} by each method, with 95% CI. The dotted line is one "
                "half.",
                {"first": found.poll.first, "second": found.poll.second},
            ),
            partial(pair_bars, found),
        )


def pair_card(study: Study) -> Iterator[Block]:
    """Yield the first comparison for the overview, with the intervals that take moments."""
    spec = default_spec(study, polls(study)[0], BootstrapSpec())
    for each in find_designs(study, spec.comparison)[1]:
        if len(each.votes) <= results.QUICK_VOTES:
            results.shares_of_everyone(study, each, spec.shares)
    yield from _verdict(preview_pair(study, spec))


def pair_program(study: Study, spec: PairSpec) -> str:
    """Return a program that compares the two systems without a browser."""
    return study_program(study, None, results.compare_pair, spec, ["results = dict(found.preference.shares)"])


DETAILS = r"""
**Share of the preference (PRV).** For a rater *w*, item *q* and option *a*, $X_{wqa}$ is 1 for the option that was
chosen and 0 otherwise; choices count by system, not by position. Then

$$RV_{qa} = \frac{\sum_w r_w X_{wqa}}{\sum_w r_w}, \quad
H_q = -\sum_a RV_{qa} \log_A RV_{qa}, \quad W_q = 1 - H_q, \quad
PRV_a = \frac{\sum_q W_q RV_{qa}}{\sum_q W_q}.$$

$r_w$ is the correlation of the rater's choices with the mean of the others' (negative counts as 0), $A$ the number of
options. With four options each system gains half of *both* and loses half of *neither*; a tie counts as *both*. The two
systems' values are divided by their sum. Where most judgments say *neither*, shares are undefined.

| method | raters | items |
| --- | --- | --- |
| equal weights (Table 2) | equally | equally |
| least reliable dropped (Table 3) | those with the lowest $r_w$ not at all, the others equally | equally |
| worker weights (Table 4) | by $r_w$ | equally |
| PCC-H (Table 5) | by $r_w$ | by $W_q$ |
| item-wise majority | one vote each | one winner each; a tied item counts half to each |
| GLAD (Table 6) | by fitted ability | by fitted difficulty |

**Intervals.** Bootstrap samples of items repeat everything: $r_w$, $W_q$, which raters are dropped, GLAD. They contain
all chance except that of raters, which comes from the votes: each vote's part in the share is summed by rater, and the
squares of these sums beyond the votes' own squares are the raters' variance. Both together give the width, on the
arcsine scale, with Student's *t* (Satterthwaite). In simulated studies they covered the truth 92 to 98 of 100 times
(docs/calibration.md); resampling raters too covers 99 to 100.

**Differences between designs** use the same bootstrap samples of items for both designs; a rater of both has one sum.

**Position.** The share of the system in first position among choices of one system, with its interval over items and
raters. It shows an effect only where positions were random.

**Repeats.** A rater who judged the same comparison several times has one vote: the most frequent, the last of equally
frequent ones.

**Departures.** The base of the logarithm is the number of options, so that $W_q$ stays within 0 and 1. Items with fewer
votes than the minimum have no weight, since one or two votes agree by accident. The paper's *majority voting* is called
*equal weights*.

**Sources:** Habibi and Popescu-Belis 2012, section 5, Eqs. 1 to 6, and section 6, Tables 2 to 6; Whitehill et al. 2009
(GLAD); Owen 2007 (resampling items and raters).
"""
