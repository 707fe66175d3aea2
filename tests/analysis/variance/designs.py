"""Ratings for the tests of this folder: published ones, simulated ones, and the likelihood spelled out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.variance.sources import Design

Floats = NDArray[np.float64]
BRENNAN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "reference" / "brennan_2001.json").read_text(encoding="utf-8")
)


def brennan_1() -> tuple[Any, Any, Floats]:
    """Ten persons by twelve items: persons are rated, items rate."""
    score = np.array(BRENNAN["1"]["rows"], dtype=np.float64)
    person, item = np.indices(score.shape)
    return person.ravel(), item.ravel(), score.ravel()


def brennan_3() -> dict[str, Any]:
    """Ten persons by four items on two occasions: persons as systems, items as topics, occasions as raters."""
    score = np.array(BRENNAN["3"]["occasions"], dtype=np.float64)
    occasion, person, item = (codes.ravel() for codes in np.indices(score.shape))
    return {
        "item": person * 4 + item,
        "rater": occasion,
        "score": score.ravel(),
        "system": person,
        "topic": item,
    }


def crossed(
    items: int, raters: int, per_item: int, seed: int, variances: tuple[float, float, float] = (0.6, 0.2, 0.5)
) -> tuple[Any, Any, Floats]:
    """Items each rated by some raters at random, with variances of items, raters and the rest."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item]
    own, severity, rest = np.sqrt(variances)
    score = own * rng.normal(size=items)[:, None] + severity * rng.normal(size=raters)[who]
    score = score + rest * rng.normal(size=who.shape)
    return np.repeat(np.arange(items), per_item), who.ravel(), score.ravel()


def systems(seed: int, kept: float = 1.0) -> dict[str, Any]:
    """Five systems by eight topics by four raters, every cell or a share of them."""
    rng = np.random.default_rng(seed)
    s, t, w = (codes.ravel() for codes in np.indices((5, 8, 4)))
    score = rng.normal(size=len(s)) + rng.normal(size=5)[s] + rng.normal(size=8)[t] + rng.normal(size=4)[w]
    score = score + rng.normal(size=(8, 4))[t, w]
    there = rng.random(len(s)) < kept
    columns = {"item": s * 8 + t, "rater": w, "score": score, "system": s, "topic": t}
    return {name: column[there] for name, column in columns.items()}


def spelled_out(design: Design, variance: Floats) -> tuple[float, Floats, Floats]:
    """Deviance, tr(P V_i P V_j) and y'P V_i P y from matrices of ratings by ratings."""
    n = design.ratings
    of = [(s.level[:, None] == s.level).astype(np.float64) for s in design.sources] + [np.eye(n)]
    whole = sum(v * matrix for v, matrix in zip(variance, of, strict=True))
    inverse, ones = np.linalg.inv(whole), np.ones(n)
    on_mean = inverse @ ones
    projected = inverse - np.outer(on_mean, on_mean) / (ones @ on_mean)
    left = projected @ design.score
    deviance = np.linalg.slogdet(whole)[1] + np.log(ones @ on_mean) + design.score @ left
    information = [[np.trace(projected @ a @ projected @ b) for a in of] for b in of]
    return float(deviance), np.array(information), np.array([left @ a @ left for a in of])
