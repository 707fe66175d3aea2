"""Intervals of each worker's r_w: draws of items and of the other workers."""

from collections.abc import Callable
from dataclasses import replace
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.draws import multiplicities
from analysis.resampling.intervals import FISHER, Ends, by_error, for_few, moved
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.votes import Votes
from analysis.workers import pcch_reliability
from analysis.workers.worker_ranking import FEWEST_ITEMS, WorkerRanking, checked_column

Codes = NDArray[np.int64]
OnProgress = Callable[[float], object] | None
Floats = NDArray[np.float64]

MOST_VOTES = 300_000
"""Votes up to which intervals of r_w are drawn; above them Fisher's z takes no time."""
_PERFECT = 1 - 1e-12


def with_intervals(
    ranking: WorkerRanking,
    votes: Votes,
    poll: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> WorkerRanking:
    """The same ranking with an interval for every r_w.

    Parameters
    ----------
    ranking : the ranking of these votes
    votes, poll : what it was made from, (q,) codes of polls or None
    bootstrap : of the intervals; no draws leave them out
    raters_are_persons : if not, only items are drawn
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    WorkerRanking

    Raises
    ------
    InputError
        where `poll` has the wrong length.

    Notes
    -----
    Answers: where would this worker's r_w lie with other items and other colleagues? A draw repeats r_w of
    everyone: items count as often as they are drawn, and so do the workers among `the others`. How often a worker
    is drawn has no part in the worker's own r_w, so every draw has one for everybody. The draws are moved, on the
    scale of Fisher's z, so that their middle is the estimate (copies of few colleagues make a noisier mean than
    they did, and r_w in a draw is too low), and widened as few items need it (Student's t, n / (n - 1));
    docs/calibration.md shows what that does. No interval up to three items, where fewer than half the
    draws are defined, or where all are alike. Above 300,000 votes: Fisher's z over the worker's items.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; Hesterberg 2015, "What teachers should know about the
    bootstrap", section 4 (widened); methods, section 0.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if spec.draws == 0:
        return ranking
    if len(votes) > MOST_VOTES:
        return replace(ranking, r=_over_items(ranking.r, spec.level), intervals="Fisher's z over items")
    of_item = (
        np.zeros(votes.items, dtype=np.int64) if poll is None else checked_column("poll", poll, votes.items)
    )
    drawn = reliability_draws(votes, of_item, spec, raters_are_persons, on_progress)
    value, items = np.array([(e.value, e.n) for e in ranking.r]).reshape(-1, 2).T
    low, high = intervals_of_draws(drawn, value, items, spec.level)
    r = tuple(
        replace(e, low=a, high=b) for e, a, b in zip(ranking.r, low.tolist(), high.tolist(), strict=True)
    )
    what = "items and of the other workers" if raters_are_persons else "items"
    return replace(ranking, r=r, intervals=f"bootstrap of {what}")


def reliability_draws(
    votes: Votes,
    poll: Codes,
    spec: BootstrapSpec,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """Every worker's r_w in every draw of items and of the other workers (Owen 2007, "The pigeonhole
    bootstrap", section 2)."""
    raters, rater = np.unique(votes.rater, return_inverse=True)
    items, item = np.unique(votes.item, return_inverse=True)
    there = Votes(item, rater, votes.choice, len(items), len(raters), votes.options)
    drawn = np.full((spec.draws, votes.raters), nan)
    done, cost = 0, len(votes) * max(votes.options, 1)
    for of_raters, of_items in multiplicities(
        len(raters), len(items), spec.draws, spec.seed, cost, on_progress
    ):
        block = slice(done, done + len(of_items))
        weight = of_raters if raters_are_persons else np.ones_like(of_raters)
        drawn[block, raters] = pcch_reliability.correlations(there, weight, of_items, poll[items])
        done = block.stop
    return drawn


def intervals_of_draws(drawn: Floats, value: Floats, items: Floats, level: float) -> Ends:
    """Intervals of r_w from its draws (draws, w), moved on Fisher's z, since draws are too low, and stretched for
    few items; none where all draws are alike."""
    many = np.maximum(items, 2)
    low, high = moved(
        value, drawn, level, for_few(many - 1, level) * np.sqrt(many / (many - 1)), scale=FISHER
    )
    known = ~np.isnan(drawn)
    spread = np.where(known, drawn, -1).max(axis=0, initial=-1) > np.where(known, drawn, 1).min(
        axis=0, initial=1
    )
    there = (items > FEWEST_ITEMS) & spread
    return Ends(np.where(there, low, nan), np.where(there, high, nan))


def _over_items(r: tuple[Estimate, ...], level: float) -> tuple[Estimate, ...]:
    """Fisher's z over each worker's items; no interval for few of them and for perfect correlations."""
    value, items = np.array([(e.value, e.n) for e in r]).reshape(-1, 2).T
    known = (items > FEWEST_ITEMS) & (np.abs(value) < _PERFECT)
    error = np.where(known, 1 / np.sqrt(np.maximum(items - FEWEST_ITEMS, 1)), nan)
    low, high = by_error(value, error, level, scale=FISHER)
    return tuple(replace(e, low=a, high=b) for e, a, b in zip(r, low.tolist(), high.tolist(), strict=True))
