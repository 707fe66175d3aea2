"""Agreement: alpha and the reliability of one rating at a ceiling, over topics, and over systems and topics.

An interval that is shown with a warning counts as undefined: the rows are about what is shown without one.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.rating_reliability import consistency_icc
from analysis.values.estimate import Estimate
from benchmarks.calibration.experiment import Experiment

Outcomes = Mapping[str, bool | float | None]
Floats = np.ndarray[Any, Any]
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "video_mos_nflx_public.csv"
MANY = 40_000
ALPHA, ONE = "alpha, interval", "reliability of one rating"


def at_a_ceiling(rng: np.random.Generator, items: int) -> Floats:
    """Scores (items, 4) of which most are the highest of five."""
    felt = rng.normal(4.4, 0.9, items)[:, None] + rng.normal(0, 0.8, (items, 4))
    return np.clip(np.rint(felt), 1, 5)


def symmetric(rng: np.random.Generator, items: int) -> Floats:
    """Scores (items, 3) in the middle of the scale, by raters of unequal severity."""
    felt = rng.normal(3, 1, items)[:, None] + np.array([-0.4, 0.0, 0.4]) + rng.normal(0, 0.8, (items, 3))
    return np.clip(np.rint(felt), 1, 5)


def by_two(rng: np.random.Generator, items: int) -> Floats:
    """Scores (items, 2) at a ceiling by two raters."""
    return at_a_ceiling(rng, items)[:, :2]


def resampled(rng: np.random.Generator, items: int) -> Floats:
    """Scores of items drawn from the real study of video quality by four of its raters."""
    table = pd.read_csv(REAL)
    item, rater, score = (next(c for c in table if key in c) for key in ("item", "rater", "score"))
    wide = table.pivot(index=item, columns=rater, values=score).to_numpy(dtype=float)[:, :4]
    return np.asarray(wide[rng.integers(0, len(wide), items)])


def alpha_of(score: Floats, system: Floats | None = None, topic: Floats | None = None) -> Estimate:
    item = np.repeat(np.arange(len(score)), score.shape[1])
    clusters = {name: None if of is None else of[item] for name, of in (("system", system), ("topic", topic))}
    return krippendorff_alpha(item, score.ravel(), **clusters)


def reliability_of(score: Floats) -> Estimate:
    centered = score - score.mean(axis=0)
    number = np.full(len(score), float(score.shape[1]))
    return consistency_icc(number, centered.sum(axis=1), (centered**2).sum(axis=1))


def covers(found: Estimate, truth: float) -> bool | None:
    """None where the interval is shown with a warning or not at all."""
    return None if found.warning or found.low != found.low else bool(found.low <= truth <= found.high)


def over_items(draw: Callable[[np.random.Generator, int], Floats], items: int, words: str) -> Experiment:
    def truth(rng: np.random.Generator) -> tuple[float, float]:
        many = draw(rng, MANY)
        return alpha_of(many).value, reliability_of(many).value

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        score = draw(rng, items)
        return {ALPHA: covers(alpha_of(score), true[0]), ONE: covers(reliability_of(score), true[1])}

    design = f"{items} items, {words}"
    figures = {ALPHA: "cautious interval", ONE: "cautious interval"}
    return Experiment("agreement", f"agreement: {design}", design, figures, study, truth, 2000, True)


def over_clusters(systems: int, topics: int) -> Experiment:
    """Items of systems and topics; where there is one system, topics of four items."""
    each = 4 if systems == 1 else 1

    def drawn(rng: np.random.Generator, systems: int, topics: int) -> tuple[Floats, Floats, Floats]:
        system, topic = (np.repeat(part.ravel(), each) for part in np.indices((systems, topics)))
        quality = (
            rng.normal(0, 0.5 if systems > 1 else 0, systems)[system] + rng.normal(0, 0.7, topics)[topic]
        )
        felt = 3 + (quality + rng.normal(0, 0.4, len(system)))[:, None] + rng.normal(0, 0.8, (len(system), 3))
        return felt, system, topic

    variance = (0.25 if systems > 1 else 0.0) + 0.49 + 0.16

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        score, system, topic = drawn(rng, systems, topics)
        found = alpha_of(score, system if systems > 1 else None, topic)
        return {ALPHA: covers(found, variance / (variance + 0.64))}

    design = f"{systems} systems x {topics} topics" if systems > 1 else f"{topics} topics of {each} items"
    return Experiment(
        "agreement",
        f"agreement: {design}",
        design,
        {ALPHA: "cautious interval"},
        study,
        studies=2000,
        fixed_raters=True,
    )


EXPERIMENTS = (
    *(over_items(at_a_ceiling, items, "4 raters at a ceiling") for items in (20, 40, 80)),
    *(over_items(by_two, items, "2 raters at a ceiling") for items in (40, 150)),
    *(over_items(symmetric, items, "3 raters of unequal severity") for items in (20, 40)),
    *(
        (over_items(resampled, items, "4 raters of a real video study") for items in (20, 40))
        if REAL.exists()
        else ()
    ),
    *(over_clusters(*shape) for shape in ((1, 10), (1, 40), (6, 12), (8, 30), (16, 100))),
)
