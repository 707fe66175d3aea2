"""Ratings of systems to draw, and names that must not come through."""

import numpy as np

from features.plotting.theme import Look

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def study(systems=8, topics=12, raters=4, seed=0):
    rng = np.random.default_rng(seed)
    system, topic = (
        part.ravel() for part in np.meshgrid(np.arange(systems), np.arange(topics), indexing="ij")
    )
    return system, topic, topic % raters, rng.normal(system * 0.1, 1.0)


def names(n, prefix="system"):
    return np.array([f"{prefix} {i}" for i in range(n)])
