"""Votes per item: the share of items answered right after r = 1 … m votes, in many orders.

The repetition idea (`repetition`) for choices. An item's answer is its most voted option, by heads or
by the weights of PCC-H (`pcch`), which use the first r votes of every item and no more: weights from all
votes would know what is not yet asked. Answers are tallied for some orders at once in flat arrays that hold every
item's first vote, then every item's second, so that the first r of each are a beginning of the array.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.knee import USUAL
from analysis.repetitions.rating_orders import Layout, cells, lay_out, permutations
from analysis.repetitions.saturation import Curves
from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.values.estimate import BootstrapSpec, Codes, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes

Weights = Literal["majority", "PCC-H"]
WEIGHTS: tuple[Weights, ...] = ("majority", "PCC-H")
_BLOCK = 48 << 10
"""Votes worked on at once: what they need then stays in the processor's cache."""
_ALIKE = 1e-9
"""Sums of weights that differ by less, as a share, are tied; a reliability below is none."""
_FLAT = 1e-11
"""Shares of the others whose variance is less, as a share of their squares, do not vary."""


@dataclass(frozen=True)
class ChoiceRepetitionSpec:
    """Settings of simulated repetitions of choices.

    Parameters
    ----------
    shuffles : k random orders, 0 for the measured order alone
    repetitions : m, the largest number of votes per item; None is the smallest count over items. A number above
        an item's count makes that item leave the curve beyond its last vote; above all counts, it is the
        largest count
    seed : of the shuffles
    weights : 'majority', every vote counts alike, or 'PCC-H', every vote counts as much as its worker's
        reliability r_w over the votes so far, none below 0, all alike where all of an item's are 0

    Raises
    ------
    InputError
        where a number is out of range or a word unknown.

    Notes
    -----
    Source: Iskender et al. 2020, section 4.2, on choices; Habibi and Popescu-Belis 2012, Eqs. 1 and 2.
    """

    shuffles: int = 200
    repetitions: int | None = None
    seed: int = 0
    weights: Weights = "majority"

    def __post_init__(self) -> None:
        if self.shuffles < 0:
            raise InputError(f"`shuffles` must be 0 or more, got {self.shuffles}")
        if self.repetitions is not None and self.repetitions < 1:
            raise InputError(f"`repetitions` must be None or a whole number from 1, got {self.repetitions}")
        if self.seed < 0:
            raise InputError(f"`seed` must be a whole number from 0, got {self.seed}")
        if self.weights not in WEIGHTS:
            raise InputError(f"`weights` must be 'majority' or 'PCC-H', got {self.weights!r}")


def simulate(
    votes: Votes,
    truth: Codes | None = None,
    spec: ChoiceRepetitionSpec | None = None,
    order: Floats | None = None,
    on_progress: OnProgress = None,
) -> Curves:
    """Share of items whose answer after r = 1 … m votes is the true one, for the measured order and k shuffles.

    Parameters
    ----------
    votes : N votes
    truth : (items,) option of each item, -1 where not known: such items are left out and counted, though under
        PCC-H their votes speak for their workers. None takes the answer of all votes under the same weights
    spec : how; `ChoiceRepetitionSpec()` if not given
    order : (N,) numbers; in the measured order votes count in ascending order, ties as they stand
    on_progress : called between blocks with the share done

    Returns
    -------
    Curves
        measured (m,), shuffled (k, m), items (m,).

    Raises
    ------
    InputError
        where `truth` does not give each item one of the options or -1. What `on_progress` raises stops the work.

    Notes
    -----
    Compared with the answer of all votes, the share is 1 by construction once an item's votes are all there.

    Tied options share an item: the share is what drawing one of them at random gives on average, on both
    sides where the answers of all votes are tied too. A shuffle permutes votes within each item.
    Source: Iskender et al. 2020, section 4.2; Habibi and Popescu-Belis 2012, Eqs. 1 and 2.
    """
    spec = spec or ChoiceRepetitionSpec()
    _check(votes, truth)
    layout = lay_out(Ratings(votes.item, votes.rater, votes.choice, order))
    study = _study(votes, layout, truth, spec)
    against: Literal["gold", "full data"] = "full data" if truth is None else "gold"
    left_out = int((~study.scored).sum())
    measured = np.full(study.m, np.nan)
    shuffled = np.full((spec.shuffles, study.m), np.nan)
    reason = ""
    if study.m == 0:
        reason = "no item with votes has a known answer" if len(votes) else "there are no votes"
    else:
        straight = np.arange(study.choice.size).reshape(study.choice.shape).T
        measured = study.shares(straight[: study.m, None, :])[:, 0]
        for part, cell in cells(layout, "within items", spec.shuffles, spec.seed):
            shuffled[part] = study.shares(cell[: study.m]).T
            if on_progress is not None:
                on_progress(part.stop / spec.shuffles)
    return Curves(measured, shuffled, study.items(), "within items", against, left_out, reason)


def resampled_curves(
    votes: Votes,
    truth: Codes | None = None,
    spec: ChoiceRepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """The mean curve of each of many resampled studies.

    Each drawn item has as many votes as before, drawn from those of the drawn workers without replacement, or all
    of them once and more often where they are too few; an item none of whose workers was drawn keeps them. A worker
    drawn twice casts each vote twice; the copies come anywhere in the order and are one worker, so neither is among
    the others whom PCC-H holds the other against.
    Source: Owen 2007 (pigeonhole bootstrap).
    """
    spec = spec or ChoiceRepetitionSpec()
    bootstrap = bootstrap or USUAL
    if shuffles < 1:
        raise InputError(f"`shuffles` must be 1 or more, got {shuffles}")
    _check(votes, truth)
    layout = lay_out(Ratings(votes.item, votes.rater, votes.choice))
    study = _study(votes, layout, truth, spec)
    if study.m == 0:
        return np.empty((0, 0))
    drawn = np.empty((bootstrap.draws, study.m))
    rng = np.random.default_rng([spec.seed, bootstrap.seed])
    done = 0
    for raters, items in crossed_bootstrap_counts(
        layout.raters, len(layout.items), bootstrap.draws, bootstrap.seed, len(votes)
    ):
        for of_raters, of_items in zip(raters.astype(np.int64), items.astype(np.int64), strict=True):
            times = of_raters if raters_are_persons else np.ones_like(of_raters)
            drawn[done] = study.resampled(times, of_items, rng, truth is None).mean_share(rng, shuffles)
            done += 1
            if on_progress is not None:
                on_progress(done / bootstrap.draws)
    return drawn


def _check(votes: Votes, truth: Codes | None) -> None:
    if truth is None:
        return
    if np.shape(truth) != (votes.items,):
        raise InputError(
            f"`truth` must give each of the {votes.items} items one option or -1, got an array of shape "
            f"{np.shape(truth)}"
        )
    if len(truth) and not (np.min(truth) >= -1 and np.max(truth) < votes.options):
        raise InputError(f"`truth` must lie in -1 … {votes.options - 1}, -1 where it is not known")


def _study(votes: Votes, layout: Layout, truth: Codes | None, spec: ChoiceRepetitionSpec) -> "_Study":
    n, w = layout.position.shape
    known = np.full(n, 0) if truth is None else truth[layout.items]
    scored = known >= 0
    counts = layout.counts[scored]
    most = int(counts.max(initial=0))
    m = int(counts.min(initial=most)) if spec.repetitions is None else min(spec.repetitions, most)
    # the first place of a pair of item and rater is where the pair is met first, row by row
    _, first, pair = np.unique(
        layout.rater + np.arange(n)[:, None] * (layout.raters + 1), return_index=True, return_inverse=True
    )
    own = (first[pair] % max(w, 1)).reshape(n, w)
    study = _Study(
        votes.choice[layout.position] if len(votes) else np.zeros((n, w), dtype=np.int64),
        layout.rater,
        own,
        layout.counts,
        layout.raters,
        votes.options,
        scored,
        np.arange(votes.options)[:, None] == known,
        m,
        spec.weights,
    )
    return replace(study, target=study.answers()) if truth is None else study


@dataclass(frozen=True, eq=False)
class _Study:
    """A study's votes, one row (w,) per item (n,), and what its items' answers are held against.

    `own` is the row's first column with the same rater; `counts` (n,) votes of each item, the rest of its row
    is empty; `scored` (n,) whether its answer is known, `target` (A, n) which options it is.
    """

    choice: Codes
    rater: Codes
    own: Codes
    counts: Codes
    raters: int
    options: int
    scored: NDArray[np.bool_]
    target: NDArray[np.bool_]
    m: int
    weights: Weights

    def items(self) -> Codes:
        """(m,) on how many items each r rests."""
        return np.array([self._at(r).sum() for r in range(1, self.m + 1)], dtype=np.int64)

    def _at(self, r: int) -> NDArray[np.bool_]:
        return self.scored & (self.counts >= r)

    def answers(self) -> NDArray[np.bool_]:
        """(A, n) the most voted options of each item, by all its votes."""
        n, w = self.choice.shape
        every = _FirstVotes(self, np.arange(n * w).reshape(n, w).T[:, None, :])
        return _largest(every.tally(w)) if w else np.zeros((self.options, n), dtype=np.bool_)

    def shares(self, cell: NDArray[np.intp]) -> Floats:
        """(m, b) share of items answered right, in b orders: cells (m, b, n) of the table of votes."""
        first = _FirstVotes(self, cell)
        _, b, n = cell.shape
        target = np.tile(self.target, b)
        known = np.maximum(target.sum(axis=0), 1)
        shares = np.full((self.m, b), np.nan)
        for r in range(1, self.m + 1):
            best = _largest(first.tally(r))
            right = (best & target).sum(axis=0) / (best.sum(axis=0) * known)
            at = self._at(r)
            if at.any():
                shares[r - 1] = right.reshape(b, n)[:, at].mean(axis=1)
        return shares

    def mean_share(self, rng: np.random.Generator, shuffles: int) -> Floats:
        """(m,) share of items answered right, mean over fresh shuffles."""
        n, w = self.choice.shape
        column = permutations(rng, (shuffles, n, w), counts=self.counts)[:, :, : self.m]
        cell = np.ascontiguousarray(column.transpose(2, 0, 1)) + np.arange(n) * w
        size = max(1, _BLOCK // (n * self.m))
        blocks = [self.shares(cell[:, start : start + size]) for start in range(0, shuffles, size)]
        mean: Floats = np.concatenate(blocks, axis=1).mean(axis=1)
        return mean

    def resampled(
        self, raters: Codes, items: Codes, rng: np.random.Generator, answers_of_all: bool
    ) -> "_Study":
        """The study with raters (R,) and items (n,) as often as told, each item with as many votes as before."""
        picked = np.repeat(np.arange(len(items)), items)
        filled = np.arange(self.choice.shape[1]) < self.counts[picked, None]
        copies = np.where(filled, raters[self.rater[picked]], 0)
        missed = copies.sum(axis=1) == 0
        copies[missed] = filled[missed]
        total = copies.sum(axis=1)
        n, w = filled.shape
        column = np.zeros((n, int(total.max())), dtype=np.int64)
        column[np.arange(column.shape[1]) < total[:, None]] = np.repeat(
            np.tile(np.arange(w), n), copies.ravel()
        )
        drawn = permutations(rng, column.shape, counts=total)
        again = np.arange(w) % total[:, None]
        chosen = np.take_along_axis(column, np.take_along_axis(drawn, again, axis=1), axis=1)
        row = picked[:, None]
        made = replace(
            self,
            choice=self.choice[row, chosen],
            rater=self.rater[row, chosen],
            own=self.own[row, chosen],
            counts=self.counts[picked],
            scored=self.scored[picked],
            target=self.target[:, picked],
        )
        return replace(made, target=made.answers()) if answers_of_all else made


class _FirstVotes:
    """The first votes of every item in b orders; a unit is an item in one order, a worker a rater in one."""

    def __init__(self, study: _Study, cell: NDArray[np.intp]) -> None:
        m, b, n = cell.shape
        w = study.choice.shape[1]
        self.options, self.units, self.workers = study.options, b * n, b * study.raters
        self.by_weight = study.weights == "PCC-H"
        given = np.arange(m)[:, None] < study.counts
        self.ends = b * np.cumsum(given.sum(axis=1))
        there = slice(None) if given.all() else np.broadcast_to(given[:, None], cell.shape).ravel()
        cell = cell.ravel()[there]
        unit = np.tile(np.arange(b * n), m)[there]
        self.choice = study.choice.ravel()[cell]
        self.answer = self.choice * self.units + unit
        if not self.by_weight:
            return
        first_of = np.repeat(np.arange(b) * study.raters, n)
        self.worker = study.rater.ravel()[cell] + first_of[unit]
        self.worker_answer = self.choice * self.workers + self.worker
        # one vote of one worker for one unit, or more: all that say the same of the others are one group
        self.repeated = bool((study.own != np.arange(w))[np.arange(w) < study.counts[:, None]].any())
        if self.repeated:
            self.group = unit * w + study.own.ravel()[cell]
            self.group_answer = self.choice * (self.units * w) + self.group
            self.unit_of_group = np.repeat(np.arange(self.units), w)
        else:
            self.group = self.answer
            self.unit_of_group = np.tile(np.arange(self.units), self.options)
            self.own = np.repeat(np.eye(self.options), self.units, axis=1)

    def tally(self, r: int) -> Floats:
        """(A, units) votes for each option after r votes, by heads or by weight."""
        end = self.ends[r - 1]
        votes = self._per_option(self.answer[:end], self.units)
        if not self.by_weight:
            return votes
        weight = self._reliability(votes, end)
        weighted = self._per_option(self.answer[:end], self.units, weight[self.worker[:end]])
        return np.where(weighted.max(axis=0) > 0, weighted, votes)

    def _reliability(self, votes: Floats, end: int) -> Floats:
        """(workers,) r_w by these votes alone (Eq. 1, divided by the number of options), 0 for none or below 0."""
        group, chosen, worker = self.group[:end], self.worker_answer[:end], self.worker[:end]
        groups = len(self.unit_of_group)
        own = self._per_option(self.group_answer[:end], groups) if self.repeated else self.own
        others = votes.sum(axis=0)[self.unit_of_group] - own.sum(axis=0)
        x = self._per_option(chosen, self.workers, (others > 0)[group])
        n = x.sum(axis=0)
        total, varied = np.zeros(self.workers), np.zeros(self.workers)
        for option in range(self.options if self.options != 2 else 1):  # of two, either says the same
            of_others = (votes[option][self.unit_of_group] - own[option]) / np.maximum(others, 1)
            y = of_others[group]
            by_choice = self._per_option(chosen, self.workers, y)
            sum_y, sum_yy = by_choice.sum(axis=0), np.bincount(worker, y * y, self.workers)
            covariance = n * by_choice[option] - x[option] * sum_y
            of_x, of_y = x[option] * (n - x[option]), n * sum_yy - sum_y**2
            vary = (of_x > 0) & (of_y > _FLAT * n * sum_yy)
            total += np.where(vary, covariance / np.sqrt(np.where(vary, of_x * of_y, 1)), 0)
            varied += vary
        reliability = total / np.maximum(varied, 1)
        return np.where(reliability > _ALIKE, reliability, 0)

    def _per_option(self, key: Codes, size: int, weight: NDArray[Any] | None = None) -> Floats:
        """(A, size) sums by option and place, of the keys option * size + place."""
        return np.bincount(key, weight, self.options * size).reshape(self.options, size).astype(np.float64)


def _largest(tally: Floats) -> NDArray[np.bool_]:
    """(A, units) which options have the most votes."""
    best: NDArray[np.bool_] = tally >= tally.max(axis=0) * (1 - _ALIKE)
    return best
