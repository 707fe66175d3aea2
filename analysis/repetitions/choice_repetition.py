"""Votes per item: the share of items with a right answer after r = 1 … m votes, in many orders.

The simulation of repetitions (`repetition`) for choices. An item's answer is its most voted option, by majority or by
the weights of PCC-H (`pcch`), which use only the first r votes of every item. Votes are counted for several orders at
once in flat arrays with every item's first vote, then every item's second, so that the first r votes are a prefix.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.knee import DEFAULT_BOOTSTRAP
from analysis.repetitions.rating_orders import Layout, draw_cells, lay_out, permutations
from analysis.repetitions.saturation import Curves
from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.values.estimate import BootstrapSpec, Codes, Floats, InputError, OnProgress
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes

Weights = Literal["majority", "PCC-H"]
WEIGHTS: tuple[Weights, ...] = ("majority", "PCC-H")
_BLOCK = 48 << 10
"""Votes in a block, which fits the processor's cache."""
_TIE_TOLERANCE = 1e-9
"""Relative difference below which sums of weights are tied, and reliability below which it is 0."""
_NO_VARIANCE = 1e-11
"""Relative variance of the others' shares below which it is 0."""


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
    weights : 'majority', equal weights, or 'PCC-H', the weight of a vote is its worker's reliability r_w over the votes
        so far, at least 0, with equal weights where all of an item's are 0

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
    """Return the share of items with the true answer after r = 1 … m votes, for the measured order and k shuffles.

    Parameters
    ----------
    votes : N votes
    truth : (items,) option of each item, -1 where unknown: such items are excluded and counted, but under PCC-H their
        votes determine workers' reliability. None for the answer of all votes under the same weights
    spec : settings, by default `ChoiceRepetitionSpec()`
    order : (N,) numbers that define the measured order, ties in row order
    on_progress : called between blocks with the share done

    Returns
    -------
    Curves
        measured (m,), shuffled (k, m), items (m,).

    Raises
    ------
    InputError
        where `truth` does not give each item one of the options or -1. Exceptions of `on_progress` stop the simulation.

    Notes
    -----
    Compared with the answer of all votes, the share is 1 by construction with all votes of an item.

    Tied options share an item: the share is the mean of breaking ties at random, also where the answers of all votes
    are tied. A shuffle permutes votes within each item.
    Source: Iskender et al. 2020, section 4.2; Habibi and Popescu-Belis 2012, Eqs. 1 and 2.
    """
    spec = spec or ChoiceRepetitionSpec()
    _check_truth(votes, truth)
    layout = lay_out(Ratings(votes.item, votes.rater, votes.choice, order))
    study = _build_study(votes, layout, truth, spec)
    reference_kind: Literal["gold", "full data"] = "full data" if truth is None else "gold"
    left_out = int((~study.scored).sum())
    measured = np.full(study.m, np.nan)
    shuffled = np.full((spec.shuffles, study.m), np.nan)
    reason = ""
    if study.m == 0:
        reason = "no item with votes has a known answer" if len(votes) else "there are no votes"
    else:
        measured_cells = np.arange(study.choice.size).reshape(study.choice.shape).T
        measured = study.shares(measured_cells[: study.m, None, :])[:, 0]
        for part, cell in draw_cells(layout, "within items", spec.shuffles, spec.seed):
            shuffled[part] = study.shares(cell[: study.m]).T
            if on_progress is not None:
                on_progress(part.stop / spec.shuffles)
    return Curves(measured, shuffled, study.items(), "within items", reference_kind, left_out, reason)


def resampled_curves(
    votes: Votes,
    truth: Codes | None = None,
    spec: ChoiceRepetitionSpec | None = None,
    bootstrap: BootstrapSpec | None = None,
    shuffles: int = 20,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """Return the mean curve of each of many resampled studies.

    Each sampled item keeps its number of votes, drawn without replacement from those of the sampled workers, repeated
    where there are too few; an item without sampled workers keeps its votes. A worker sampled twice casts each vote
    twice; PCC-H treats the copies as one worker.
    Source: Owen 2007 (pigeonhole bootstrap).
    """
    spec = spec or ChoiceRepetitionSpec()
    bootstrap = bootstrap or DEFAULT_BOOTSTRAP
    if shuffles < 1:
        raise InputError(f"`shuffles` must be 1 or more, got {shuffles}")
    _check_truth(votes, truth)
    layout = lay_out(Ratings(votes.item, votes.rater, votes.choice))
    study = _build_study(votes, layout, truth, spec)
    if study.m == 0:
        return np.empty((0, 0))
    samples = np.empty((bootstrap.draws, study.m))
    rng = np.random.default_rng([spec.seed, bootstrap.seed])
    index = 0
    for raters, items in crossed_bootstrap_counts(
        layout.raters, len(layout.items), bootstrap.draws, bootstrap.seed, len(votes)
    ):
        for rater_counts, item_counts in zip(raters.astype(np.int64), items.astype(np.int64), strict=True):
            rater_times = rater_counts if raters_are_persons else np.ones_like(rater_counts)
            samples[index] = study.resample(rater_times, item_counts, rng, truth is None).mean_over_shuffles(
                rng, shuffles
            )
            index += 1
            if on_progress is not None:
                on_progress(index / bootstrap.draws)
    return samples


def _check_truth(votes: Votes, truth: Codes | None) -> None:
    if truth is None:
        return
    if np.shape(truth) != (votes.items,):
        raise InputError(
            f"`truth` must give each of the {votes.items} items one option or -1, got an array of shape "
            f"{np.shape(truth)}"
        )
    if len(truth) and not (np.min(truth) >= -1 and np.max(truth) < votes.options):
        raise InputError(f"`truth` must lie in -1 … {votes.options - 1}, -1 where it is not known")


def _build_study(votes: Votes, layout: Layout, truth: Codes | None, spec: ChoiceRepetitionSpec) -> "_Study":
    n, w = layout.position.shape
    answers = np.full(n, 0) if truth is None else truth[layout.items]
    scored = answers >= 0
    counts = layout.counts[scored]
    most = int(counts.max(initial=0))
    m = int(counts.min(initial=most)) if spec.repetitions is None else min(spec.repetitions, most)
    # First column of each pair of item and rater, row by row.
    _, first, pair = np.unique(
        layout.rater + np.arange(n)[:, None] * (layout.raters + 1), return_index=True, return_inverse=True
    )
    first_column = (first[pair] % max(w, 1)).reshape(n, w)
    study = _Study(
        votes.choice[layout.position] if len(votes) else np.zeros((n, w), dtype=np.int64),
        layout.rater,
        first_column,
        layout.counts,
        layout.raters,
        votes.options,
        scored,
        np.arange(votes.options)[:, None] == answers,
        m,
        spec.weights,
    )
    return replace(study, target=study.answers()) if truth is None else study


@dataclass(frozen=True, eq=False)
class _Study:
    """Votes of a study, one row (w,) per item (n,), with the reference answers.

    `first_column` is the row's first column with the same rater; `counts` (n,) votes of each item, the remaining
    columns are empty; `scored` (n,) True where the answer is known, `target` (A, n) True for the right options.
    """

    choice: Codes
    rater: Codes
    first_column: Codes
    counts: Codes
    raters: int
    options: int
    scored: NDArray[np.bool_]
    target: NDArray[np.bool_]
    m: int
    weights: Weights

    def items(self) -> Codes:
        """Return the number of items at each r (m,)."""
        return np.array([self._items_with_votes(r).sum() for r in range(1, self.m + 1)], dtype=np.int64)

    def _items_with_votes(self, r: int) -> NDArray[np.bool_]:
        return self.scored & (self.counts >= r)

    def answers(self) -> NDArray[np.bool_]:
        """Return the most voted options of each item (A, n), by all its votes."""
        n, w = self.choice.shape
        all_votes = _FirstVotes(self, np.arange(n * w).reshape(n, w).T[:, None, :])
        return _most_voted(all_votes.tally(w)) if w else np.zeros((self.options, n), dtype=np.bool_)

    def shares(self, cell: NDArray[np.intp]) -> Floats:
        """Return the share of items with a right answer (m, b), in b orders: cells (m, b, n) of the table of votes."""
        first = _FirstVotes(self, cell)
        _, b, n = cell.shape
        target = np.tile(self.target, b)
        n_answers = np.maximum(target.sum(axis=0), 1)
        shares = np.full((self.m, b), np.nan)
        for r in range(1, self.m + 1):
            best = _most_voted(first.tally(r))
            right = (best & target).sum(axis=0) / (best.sum(axis=0) * n_answers)
            has_votes = self._items_with_votes(r)
            if has_votes.any():
                shares[r - 1] = right.reshape(b, n)[:, has_votes].mean(axis=1)
        return shares

    def mean_over_shuffles(self, rng: np.random.Generator, shuffles: int) -> Floats:
        """Return the share of items with a right answer (m,), mean over new shuffles."""
        n, w = self.choice.shape
        column = permutations(rng, (shuffles, n, w), counts=self.counts)[:, :, : self.m]
        cell = np.ascontiguousarray(column.transpose(2, 0, 1)) + np.arange(n) * w
        size = max(1, _BLOCK // (n * self.m))
        blocks = [self.shares(cell[:, start : start + size]) for start in range(0, shuffles, size)]
        mean: Floats = np.concatenate(blocks, axis=1).mean(axis=1)
        return mean

    def resample(
        self, raters: Codes, items: Codes, rng: np.random.Generator, answers_of_all: bool
    ) -> "_Study":
        """Return the study with these multiplicities of raters (R,) and items (n,), keeping each item's number of
        votes."""
        sampled_items = np.repeat(np.arange(len(items)), items)
        is_observed = np.arange(self.choice.shape[1]) < self.counts[sampled_items, None]
        copies = np.where(is_observed, raters[self.rater[sampled_items]], 0)
        has_no_votes = copies.sum(axis=1) == 0
        copies[has_no_votes] = is_observed[has_no_votes]
        total = copies.sum(axis=1)
        n, w = is_observed.shape
        column = np.zeros((n, int(total.max())), dtype=np.int64)
        column[np.arange(column.shape[1]) < total[:, None]] = np.repeat(
            np.tile(np.arange(w), n), copies.ravel()
        )
        order = permutations(rng, column.shape, counts=total)
        wrapped = np.arange(w) % total[:, None]
        chosen = np.take_along_axis(column, np.take_along_axis(order, wrapped, axis=1), axis=1)
        row = sampled_items[:, None]
        resampled_study = replace(
            self,
            choice=self.choice[row, chosen],
            rater=self.rater[row, chosen],
            first_column=self.first_column[row, chosen],
            counts=self.counts[sampled_items],
            scored=self.scored[sampled_items],
            target=self.target[:, sampled_items],
        )
        return (
            replace(resampled_study, target=resampled_study.answers()) if answers_of_all else resampled_study
        )


class _FirstVotes:
    """First votes of every item in b orders; a unit is an item in one order, a worker a rater in one order."""

    def __init__(self, study: _Study, cell: NDArray[np.intp]) -> None:
        m, b, n = cell.shape
        w = study.choice.shape[1]
        self.options, self.units, self.workers = study.options, b * n, b * study.raters
        self.is_weighted = study.weights == "PCC-H"
        is_observed = np.arange(m)[:, None] < study.counts
        self.ends = b * np.cumsum(is_observed.sum(axis=1))
        observed_cells = (
            slice(None) if is_observed.all() else np.broadcast_to(is_observed[:, None], cell.shape).ravel()
        )
        cell = cell.ravel()[observed_cells]
        unit = np.tile(np.arange(b * n), m)[observed_cells]
        self.choice = study.choice.ravel()[cell]
        self.answer = self.choice * self.units + unit
        if not self.is_weighted:
            return
        first_of = np.repeat(np.arange(b) * study.raters, n)
        self.worker = study.rater.ravel()[cell] + first_of[unit]
        self.worker_answer = self.choice * self.workers + self.worker
        # A worker's votes on a unit with the same other votes form one group.
        self.has_repeated_votes = bool(
            (study.first_column != np.arange(w))[np.arange(w) < study.counts[:, None]].any()
        )
        if self.has_repeated_votes:
            self.group = unit * w + study.first_column.ravel()[cell]
            self.group_answer = self.choice * (self.units * w) + self.group
            self.unit_of_group = np.repeat(np.arange(self.units), w)
        else:
            self.group = self.answer
            self.unit_of_group = np.tile(np.arange(self.units), self.options)
            self.first_column = np.repeat(np.eye(self.options), self.units, axis=1)

    def tally(self, r: int) -> Floats:
        """Return votes for each option after r votes (A, units), by count or by weight."""
        end = self.ends[r - 1]
        votes = self._sum_by_option(self.answer[:end], self.units)
        if not self.is_weighted:
            return votes
        weight = self._reliability(votes, end)
        weighted = self._sum_by_option(self.answer[:end], self.units, weight[self.worker[:end]])
        return np.where(weighted.max(axis=0) > 0, weighted, votes)

    def _reliability(self, votes: Floats, end: int) -> Floats:
        """Return r_w from these votes only (workers,) (Eq. 1, divided by the number of options), 0 for none or below
        0."""
        group, chosen, worker = self.group[:end], self.worker_answer[:end], self.worker[:end]
        groups = len(self.unit_of_group)
        own_votes = (
            self._sum_by_option(self.group_answer[:end], groups)
            if self.has_repeated_votes
            else self.first_column
        )
        other_votes = votes.sum(axis=0)[self.unit_of_group] - own_votes.sum(axis=0)
        x = self._sum_by_option(chosen, self.workers, (other_votes > 0)[group])
        n = x.sum(axis=0)
        total, varied_options = np.zeros(self.workers), np.zeros(self.workers)
        for option in range(self.options if self.options != 2 else 1):  # two options are equivalent
            share_of_others = (votes[option][self.unit_of_group] - own_votes[option]) / np.maximum(
                other_votes, 1
            )
            y = share_of_others[group]
            by_choice = self._sum_by_option(chosen, self.workers, y)
            sum_y, sum_yy = by_choice.sum(axis=0), np.bincount(worker, y * y, self.workers)
            covariance = n * by_choice[option] - x[option] * sum_y
            variance_x, variance_y = x[option] * (n - x[option]), n * sum_yy - sum_y**2
            has_variance = (variance_x > 0) & (variance_y > _NO_VARIANCE * n * sum_yy)
            total += np.where(
                has_variance, covariance / np.sqrt(np.where(has_variance, variance_x * variance_y, 1)), 0
            )
            varied_options += has_variance
        reliability = total / np.maximum(varied_options, 1)
        return np.where(reliability > _TIE_TOLERANCE, reliability, 0)

    def _sum_by_option(self, key: Codes, size: int, weight: NDArray[Any] | None = None) -> Floats:
        """Return sums by option and index (A, size), of the keys option * size + index."""
        return np.bincount(key, weight, self.options * size).reshape(self.options, size).astype(np.float64)


def _most_voted(tally: Floats) -> NDArray[np.bool_]:
    """Return a mask of the options with the most votes (A, units)."""
    best: NDArray[np.bool_] = tally >= tally.max(axis=0) * (1 - _TIE_TOLERANCE)
    return best
