"""The synthetic study `comparisons`: lists of documents for fragments of a meeting, compared by ten workers.

Made, not collected: the judgments of Habibi and Popescu-Belis 2012 are not public, so this study is drawn from a
small model whose parameters were set so that the levels of the paper's tables come out of it. README.md in this
folder compares the two. Every truth in it is planted, so tests can look for it.

Two systems' lists are shown for a fragment, in random position. For a pair of systems, a fragment has a truth (one
list is better, both are relevant, or neither is) and a chance to be seen, `easy`. A worker looks with the chance
`attention`, and then

- sees the truth with the chance `easy`, and otherwise takes one of the other options (`MISSED`);
- has to choose one list under the 2-choice design where the truth is both or neither: `Pair.lean` is the chance of
  the first system.

A worker who does not look takes any option, or, with the chance `habit`, the list in first position.

Chances are spent evenly: a worker with an attention of .75 looks at 18 of 24 fragments, whatever the seed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 2012
"""The year of the paper; not chosen among others."""
ITEMS_SEED = 24
"""The fragments, their truths and how easy they are, are the same in every study; `SEED` decides the answers."""

FIRST, SECOND, BOTH, NEITHER = range(4)
WORDS = np.array(["first", "second", "both", "neither"])


@dataclass(frozen=True)
class Worker:
    """Planted parameters of one worker."""

    name: str
    attention: float  # chance to look before answering
    pace: float  # seconds per choice, relative to the others
    habit: float = 0.0  # chance to take the list in first position where the worker does not look


WORKERS = (
    Worker("worker 01", 0.87, 1.1),
    Worker("worker 02", 0.65, 1.0),
    Worker("worker 03", 1.00, 1.3),
    Worker("worker 04", 0.24, 0.5),
    Worker("worker 05", 0.73, 0.9),
    Worker("worker 06", 0.80, 1.2),
    Worker("worker 07", 0.12, 0.3),
    Worker("worker 08", 0.94, 1.1),
    Worker("worker 09", 0.38, 0.6, habit=0.8),
    Worker("worker 10", 0.53, 1.0),
)
UNRELIABLE = ("worker 04", "worker 07", "worker 09")
"""Workers who look less than half of the time and answer fast."""


@dataclass(frozen=True)
class Pair:
    """Planted parameters of one pair of systems."""

    first: str
    second: str
    items: str  # what the fragments are called
    truths: tuple[int, int, int, int]  # fragments where first, second, both, neither is true
    designs: tuple[str, ...]
    lean: float  # chance of the first system where one must be chosen and none is better
    easy: tuple[float, float]  # the least and the greatest chance that one who looks sees the truth


# Calibrated by hand until the means over seeds 100 to 139 came near the paper's Tables 2, 5 and 7, and the range of
# r_w and e_w near its Table 1.
PAIRS = (
    Pair("AW", "UI", "fragment", (1, 16, 5, 2), ("2-choice", "4-choice"), 0.37, (0.9, 1.0)),
    Pair("KW", "UI", "fragment", (2, 12, 6, 4), ("2-choice", "4-choice"), 0.67, (0.9, 1.0)),
    Pair("SS", "KW", "passage", (30, 0, 2, 4), ("4-choice",), 0.50, (0.9, 1.0)),
)
MISSED = np.array([[0.0, 0.3, 0.4, 0.3], [0.3, 0.0, 0.4, 0.3], [0.4, 0.4, 0.0, 0.2], [0.3, 0.4, 0.3, 0.0]])
"""Probability of each wrong answer (column) of a worker who looks but does not see the truth (row)."""
EXPERT = 0.66
"""Probability that the expert's answer is the truth; otherwise it is drawn like that of a worker who misses it."""
SECONDS = 50.0
"""Mean seconds per choice, as in section 4 of the paper."""

COLUMNS = ("item_id", "rater_id", "choice", "option_a", "option_b", "design", "expert", "seconds")

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per choice, 1,320 in all: column -> array (1320,). The same seed gives the same study."""
    rng = np.random.default_rng(seed)
    parts = []
    for number, pair in enumerate(PAIRS):
        items_rng = np.random.default_rng([ITEMS_SEED, number])
        truth, easy, swapped = _draw_fragments(items_rng, pair)
        for design in pair.designs:
            expert = _draw_expert_answers(items_rng, pair, design, truth)
            parts.append(_draw_choices(rng, pair, design, truth, easy, swapped, expert))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def _draw_fragments(
    rng: np.random.Generator, pair: Pair
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
    """Draw per fragment (n,): the true answer, the probability to see it, and if the second system is in first
    position."""
    n = sum(pair.truths)
    easy = np.concatenate([rng.permutation(np.linspace(*pair.easy, count)) for count in pair.truths])
    order = rng.permutation(n)
    return np.repeat(range(4), pair.truths)[order], easy[order], rng.permutation(np.arange(n) % 2 == 0)


def _perceived_answers(
    rng: np.random.Generator,
    pair: Pair,
    design: str,
    truth: NDArray[np.int64],
    easy: NDArray[np.float64] | float,
    luck: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the answers of attentive workers by system: the true one where `luck` is below `easy`."""
    wrong_answers = (
        (rng.random(truth.shape)[..., None] > MISSED.cumsum(axis=1)[truth]).sum(axis=-1).clip(max=3)
    )
    if design == "4-choice":
        return np.where(luck < easy, truth, wrong_answers)
    forced_choices = np.where(luck < pair.lean, FIRST, SECOND)
    return np.where(truth <= SECOND, np.where(luck < easy, truth, 1 - truth), forced_choices)


def _draw_expert_answers(
    rng: np.random.Generator, pair: Pair, design: str, truth: NDArray[np.int64]
) -> NDArray[np.int64]:
    return _perceived_answers(rng, pair, design, truth, EXPERT, _stratified_uniform(rng, (1, len(truth)))[0])


def _draw_choices(
    rng: np.random.Generator,
    pair: Pair,
    design: str,
    truth: NDArray[np.int64],
    easy: NDArray[np.float64],
    swapped: NDArray[np.bool_],
    expert: NDArray[np.int64],
) -> Table:
    """Draw all choices of a batch, every worker on every fragment: columns (workers * fragments,)."""
    shape = (len(WORKERS), len(truth))
    attention, pace, habit = np.array([(w.attention, w.pace, w.habit) for w in WORKERS]).T[:, :, None]
    options = int(design[0])

    # Systems are seen, positions are clicked.
    looks = _stratified_uniform(rng, shape) < attention
    luck = _stratified_uniform(rng, shape[::-1]).T
    perceived = _as_positions(
        _perceived_answers(rng, pair, design, np.broadcast_to(truth, shape), easy, luck), swapped
    )
    random_answers = np.where(
        rng.random(shape) < habit, FIRST, (_stratified_uniform(rng, shape) * options).astype(np.int64)
    )
    choice = np.where(looks, perceived, random_answers)

    seconds = pace * (1.3 - 0.5 * easy) * np.exp(0.5 * rng.standard_normal(shape))
    seconds *= SECONDS / seconds.mean()
    items = np.array([f"{pair.items} {number:02d}" for number in range(1, len(truth) + 1)])
    item_columns = {
        "item_id": items,
        "option_a": np.where(swapped, pair.second, pair.first),
        "option_b": np.where(swapped, pair.first, pair.second),
        "expert": WORDS[_as_positions(expert, swapped)],
    }
    return {name: np.tile(values, len(WORKERS)) for name, values in item_columns.items()} | {
        "rater_id": np.repeat([worker.name for worker in WORKERS], len(truth)),
        "choice": WORDS[choice].ravel(),
        "design": np.full(choice.size, design),
        "seconds": seconds.round(1).ravel(),
    }


def _stratified_uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Draw numbers from 0 to 1, stratified within rows: of n, exactly k are below k / n."""
    ranks = np.broadcast_to(np.arange(shape[1]), shape)
    return (rng.permuted(ranks, axis=1) + rng.random((shape[0], 1))) / shape[1]


def _as_positions(answer: NDArray[np.int64], swapped: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Convert answers from systems to positions."""
    return np.where(swapped & (answer <= SECOND), 1 - answer, answer)
