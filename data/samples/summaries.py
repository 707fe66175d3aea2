"""The synthetic study `summaries`: 50 summaries, nine measures, 24 crowd and 24 lab ratings of each.

Made, not collected: the ratings of Iskender et al. 2020 are not public, so this study is drawn from a small
model whose parameters were set so that the paper's Tables 1 and 2 come out of the product's own statistics.
README.md in this folder compares the two. Every truth in it is planted, so tests can look for it.

The model, for a rating of summary i by rater w of group g on measure m:

    score = round(centre_gm + spread_m * quality_gim + severity_w + noise_giwm), kept within 1 to 5

Quality in the eyes of the lab is a fixed set of 50 values, skewed to the left as in the paper's Figure 2;
in the eyes of the crowd it is the same up to a correlation of exactly `agreement`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

ITEMS = 50
REPETITIONS = 24
SUMMARIES_SEED = 2020
"""The 50 summaries are the same in every study; `SEED` decides raters and votes."""
SEED = 307
"""Seed from 0 to 499 whose study is nearest to the paper; README.md quantifies this selection."""
CARELESS = ("crowd 07", "crowd 19", "crowd 33")
"""Crowd workers who answer without reading: around a favorite score, and three times as fast."""


@dataclass(frozen=True)
class Measure:
    """Planted parameters of one measure; see the model above."""

    name: str
    lab: float  # centre of the lab's scores, before they are cut off at 1 and 5
    crowd: float  # the same of the crowd
    spread: float  # SD of the summaries' quality in score points; decides how fast repetitions saturate
    agreement: float  # correlation of the two groups' views of quality
    overall: float  # how much of the lab's view is the one quality that all measures share
    seconds: float  # time to answer, relative to the other measures


# Calibrated: `lab` and `crowd` moved by the distance of the medians from Table 1, `agreement` by the distance
# of Spearman's rho, `spread` by the distance of the fitted curve's knee from Table 2's, all at once, ten
# times, until the means over seeds 100 to 139 met the paper's figures; then rounded to two digits.
# `overall` and `seconds` are set by hand: the paper says nothing of them.
MEASURES = (
    Measure("overall quality", 3.16, 3.77, 1.01, 0.98, 1.0, 1.0),
    Measure("grammaticality", 3.25, 3.67, 1.20, 0.91, 0.8, 0.8),
    Measure("non-redundancy", 3.45, 3.86, 0.85, 0.90, 0.7, 0.8),
    Measure("referential clarity", 3.61, 3.94, 0.69, 0.95, 0.8, 0.9),
    Measure("focus", 3.83, 4.13, 0.79, 0.93, 0.8, 0.8),
    Measure("structure and coherence", 3.23, 3.79, 1.20, 0.95, 0.9, 0.8),
    Measure("summary usefulness", 3.60, 3.78, 0.90, 0.93, 0.8, 1.0),
    Measure("post usefulness", 3.87, 3.96, 0.63, 0.75, 0.3, 1.6),
    Measure("summary informativeness", 3.42, 3.85, 0.74, 0.89, 0.8, 1.3),
)


@dataclass(frozen=True)
class Group:
    """Planted parameters of one group of raters."""

    name: str
    raters: int
    uneven: float  # SD of the logarithm of how many summaries a rater takes
    severity: float  # SD of a rater's leaning up or down, over all summaries and measures
    noise: float  # SD of a single vote around the rater's view
    noise_uneven: float  # SD of the logarithm of the raters' own noise
    total_seconds: float  # section 3.2 and 3.3 of the paper


GROUPS = (
    Group("crowd", 46, 0.45, 0.35, 1.00, 0.25, 249_884.0),
    Group("lab", 71, 0.48, 0.30, 0.90, 0.10, 295_033.0),
)

KNOWLEDGE = ("very bad", "bad", "average", "good", "very good")
KNOWLEDGE_SHARES = (0.11, 0.24, 0.39, 0.25, 0.01)  # section 3.3, the lab's; the crowd was not asked
KNOWLEDGE_NOISE = (1.5, 1.25, 1.0, 0.9, 0.9)
"""Noise on the two measures that show the forum posts, by knowledge: the paper's own guess (section 5)."""
SHOWS_POSTS = ("post usefulness", "summary informativeness")

CARELESS_NOISE = 0.6
CARELESS_HASTE = 3.0

COLUMNS = (
    "item_id",
    "rater_id",
    "rater_group",
    "rater_knowledge",
    "measure",
    "score",
    "order",
    "seconds",
    "summary_words",
)

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per rating, 21,600 in all: column -> array (21600,). The same seed gives the same study."""
    lab_view, crowd_view, words = _draw_summaries(np.random.default_rng(SUMMARIES_SEED))
    rng = np.random.default_rng(seed)
    views = {"lab": lab_view, "crowd": crowd_view}
    parts = [_draw_ratings(rng, group, views[group.name], words) for group in GROUPS]
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def _draw_summaries(
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Draw the quality as seen by the lab (9, 50) and the crowd (9, 50), and the summaries' length (50,)."""
    values = _standardize(np.sqrt((np.arange(ITEMS) + 0.5) / ITEMS))
    shared = rng.permutation(values)
    lab, crowd = [], []
    for measure in MEASURES:
        specific = _draw_uncorrelated(rng, shared)
        mixed = measure.overall * shared + np.sqrt(1 - measure.overall**2) * specific
        lab.append(values[np.argsort(np.argsort(mixed))])
        independent = _draw_uncorrelated(rng, lab[-1])
        crowd.append(measure.agreement * lab[-1] + np.sqrt(1 - measure.agreement**2) * independent)
    # 24 to 147 words, 63 on average (section 3.1); longer summaries hold a little more information.
    length = _standardize(0.4 * lab[-1] + rng.standard_normal(ITEMS))
    words = np.clip(np.exp(4.07 + 0.4 * length), 24, 147).round().astype(np.int64)
    return np.array(lab), np.array(crowd), words


def _draw_ratings(
    rng: np.random.Generator, group: Group, view: NDArray[np.float64], words: NDArray[np.int64]
) -> Table:
    """Draw all ratings by one group, given its view of quality (9, 50): columns (10800,)."""
    item, rater = _assign_raters(rng, group)
    names = np.array([f"{group.name} {number:02d}" for number in range(1, group.raters + 1)])
    knowledge = rng.permutation(_codes_in_shares(group.raters, KNOWLEDGE_SHARES))
    careless = np.isin(names, CARELESS)

    severity = _standardize(rng.standard_normal(group.raters)) * group.severity
    noise = group.noise * np.exp(group.noise_uneven * rng.standard_normal(group.raters))
    favorite = rng.choice([2, 3, 4, 5], group.raters)
    shows_posts = np.array([measure.name in SHOWS_POSTS for measure in MEASURES])
    noise_factor = np.where(shows_posts, np.array(KNOWLEDGE_NOISE)[knowledge][:, None], 1.0)

    # One row per assignment (one rater, one summary), one column per measure.
    spread = np.array([measure.spread for measure in MEASURES])
    centre = np.array([getattr(measure, group.name) for measure in MEASURES])
    vote = rng.standard_normal((len(item), len(MEASURES)))
    careful_score = centre + spread * view[:, item].T + severity[rater, None]
    careful_score = careful_score + noise[rater, None] * noise_factor[rater] * vote
    score = np.where(careless[rater, None], favorite[rater, None] + CARELESS_NOISE * vote, careful_score)

    pace = np.where(careless, 1 / CARELESS_HASTE, np.exp(0.3 * rng.standard_normal(group.raters)))
    weight = np.array([measure.seconds for measure in MEASURES])
    seconds = pace[rater, None] * weight * np.exp(0.45 * rng.standard_normal(score.shape))
    seconds *= group.total_seconds / seconds.sum()

    arrival = rng.random(len(item))
    order = np.empty(len(item), dtype=np.int64)
    order[np.lexsort((arrival, item))] = np.tile(np.arange(1, REPETITIONS + 1), ITEMS)
    rows = np.lexsort((order, item))

    def per_rating(of_assignment: NDArray[Any]) -> NDArray[Any]:
        return np.repeat(of_assignment[rows], len(MEASURES))

    return {
        "item_id": per_rating(np.array([f"summary {number:02d}" for number in range(1, ITEMS + 1)])[item]),
        "rater_id": per_rating(names[rater]),
        "rater_group": np.full(score.size, group.name),
        "rater_knowledge": per_rating(np.array(KNOWLEDGE)[knowledge][rater]),
        "measure": np.tile([measure.name for measure in MEASURES], len(rows)),
        "score": np.clip(np.rint(score), 1, 5).astype(np.int64)[rows].ravel(),
        "order": per_rating(order),
        "seconds": seconds[rows].ravel().round(1),
        "summary_words": per_rating(words[item]),
    }


def _assign_raters(rng: np.random.Generator, group: Group) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw 24 different raters for each summary, busy ones more often: items (1200,) and raters (1200,).

    Systematic sampling: raters stand in a random row, each as wide as the chance to be taken; 24 marks one
    apart fall on 24 of them.
    """
    chance = np.exp(group.uneven * rng.standard_normal(group.raters))
    for _ in range(20):  # a chance above 1 goes to the others
        chance = np.minimum(chance * REPETITIONS / chance.sum(), 0.98)
    raters = []
    for _ in range(ITEMS):
        row = rng.permutation(group.raters)
        marks = rng.random() + np.arange(REPETITIONS)
        raters.append(row[np.searchsorted(np.cumsum(chance[row]), marks).clip(max=group.raters - 1)])
    return np.repeat(np.arange(ITEMS), REPETITIONS), np.concatenate(raters)


def _codes_in_shares(count: int, shares: tuple[float, ...]) -> NDArray[np.int64]:
    """Return codes 0, 1, ... (count,) in these shares, as exactly as possible."""
    return np.searchsorted(np.cumsum(shares), (np.arange(count) + 0.5) / count)


def _standardize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    standard: NDArray[np.float64] = (values - values.mean()) / values.std()
    return standard


def _draw_uncorrelated(rng: np.random.Generator, reference: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw standardized values (n,) whose correlation with `reference` (n,) is exactly 0."""
    drawn = rng.standard_normal(len(reference))
    return _standardize(drawn - drawn.mean() - reference * (drawn @ reference) / (reference @ reference))
