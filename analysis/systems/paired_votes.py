"""All votes on pairs as comparisons of systems, and what one scale says of each pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.systems.bradley_terry import ON, Scale
from analysis.systems.goodness_of_fit import GoodnessOfFit
from analysis.systems.paired_comparisons import PairedComparisons
from analysis.systems.scale_intervals import ScaleIntervals
from analysis.values.estimate import Estimate
from analysis.values.types import Codes, Floats
from analysis.workers.polls import Poll

NO_DESIGN = "no design named"


@dataclass(frozen=True, eq=False)
class PairedVotes:
    """All comparisons of the chosen designs; `item` and `rater` (n,) are the data set's codes.

    `first_shown` (n,) says whether the comparison's first system stood in first position, `row` (n,) where the vote
    stands among the choices asked for.
    `forced` names the designs that offered no tie; `itself` counts rows in which a system met itself.
    """

    comparisons: PairedComparisons
    item: Codes
    rater: Codes
    forced: tuple[str, ...]
    itself: int
    first_shown: NDArray[np.bool_]
    row: Codes

    def by_system(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """What is told of both outputs of the choices asked for, as they were shown: of each comparison's first and
        second system (n,)."""
        one, other = first[self.row], second[self.row]
        return np.where(self.first_shown, one, other), np.where(self.first_shown, other, one)


@dataclass(frozen=True)
class Pair:
    """Two systems, the stronger first: their own result and what the scale expects of them.

    `share` and `expected` are of the first, a tie counting half; `difference` is of strengths, `p` adjusted for asking
    about all pairs; `apart` says whether they are surely apart, None where that is not known.
    """

    first: str
    second: str
    compared: float
    share: float
    expected: float
    residual: float
    difference: Estimate
    p: float
    apart: bool | None


def design_of(poll: Poll) -> str:
    """The design of a poll, also where it has no name."""
    return poll.design or NO_DESIGN


def paired_votes(polls: Sequence[Poll], designs: Sequence[str]) -> PairedVotes:
    """The votes of polls under these designs."""
    chosen = [poll for poll in polls if design_of(poll) in designs]
    free = {design_of(poll) for poll in polls if len(poll.options) > 2}
    itself = sum(len(poll.votes) for poll in chosen if poll.first == poll.second)
    used = [poll for poll in chosen if poll.first != poll.second]
    systems = sorted({system for poll in used for system in (poll.first, poll.second)})
    lengths = [len(poll.votes) for poll in used]

    def by_vote(code_of_poll: Sequence[int]) -> Codes:
        return np.repeat(np.array(code_of_poll, dtype=np.int64), lengths)

    def together(parts: Sequence[Codes]) -> Codes:
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    comparisons = PairedComparisons(
        by_vote([systems.index(poll.first) for poll in used]),
        by_vote([systems.index(poll.second) for poll in used]),
        np.minimum(together([poll.votes.choice for poll in used]), 2),
        by_vote([design_of(poll) in free for poll in used]).astype(np.bool_),
        np.array(systems, dtype=np.str_),
    )
    return PairedVotes(
        comparisons,
        together([poll.item_code[poll.votes.item] for poll in used]),
        together([poll.rater_code[poll.votes.rater] for poll in used]),
        tuple(design for design in designs if design not in free),
        itself,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(poll.first_shown for poll in used)]),
        together([poll.row for poll in used]),
    )


def shares_won(scale: Scale) -> NDArray[np.float64]:
    """Share of its comparisons that each system won, a tie counting half (S,)."""
    return np.asarray(
        (scale.won + scale.tied / 2) / np.where(scale.comparisons > 0, scale.comparisons, np.nan)
    )


def clusters(scale: Scale, drawn: ScaleIntervals) -> list[list[str]]:
    """The systems of each cluster, the strongest first."""
    on = [at for at in scale.order.tolist() if scale.position[at] == ON]
    return [
        [str(scale.systems[at]) for at in on if drawn.cluster[at] == cluster]
        for cluster in range(1, int(drawn.cluster.max()) + 1)
    ]


def pairs(scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit) -> list[Pair]:
    """Every pair that was compared, or that the scale compares."""
    order = scale.order.tolist()
    return [
        _pair(scale, drawn, fit, i, j)
        for place, i in enumerate(order)
        for j in order[place + 1 :]
        if scale.compared[i, j] or scale.position[i] == scale.position[j] == ON
    ]


def _pair(scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit, i: int, j: int) -> Pair:
    n = float(scale.compared[i, j])
    low, high, p, apart = np.nan, np.nan, np.nan, None
    if drawn is not None:
        low, high = float(drawn.difference_low[i, j]), float(drawn.difference_high[i, j])
        p = float(drawn.p[i, j])
        if scale.position[i] == scale.position[j] == ON:
            apart = bool(drawn.above[i, j] or drawn.above[j, i])
    return Pair(
        str(scale.systems[i]),
        str(scale.systems[j]),
        n,
        float(scale.shares[i, j]),
        float(fit.expected[i, j]) / n if n else np.nan,
        float(fit.residual[i, j]),
        Estimate(float(scale.strength[i] - scale.strength[j]), low, high),
        p,
        apart,
    )
