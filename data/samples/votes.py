"""The synthetic study `votes`: how many unnamed raters gave each grade to pictures of twelve codecs.

Made, not collected, and after no paper. A picture has a quality: that of its codec, of its scene, and of both together.
A vote is that quality and noise, rounded within 1 to 5. Every truth in it is planted, so tests can look for it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 500
"""The number of a recommendation on rating pictures, BT.500; not chosen among others."""
QUALITIES = (4.7, 4.0, 3.6, 3.6, 3.3, 3.0, 2.7, 2.4, 2.2, 1.9, 1.7, 1.4)
SYSTEMS = dict(zip((f"codec {letter}" for letter in "ABCDEFGHIJKL"), QUALITIES, strict=True))
"""Quality of each codec; A is clearly best, C and D are equal."""
SCENES = 15
VOTES = (8, 12)
"""Minimum and maximum number of votes on a picture."""
OF_SCENE, OF_PICTURE, OF_VOTE = 0.35, 0.2, 0.8
"""SDs of the quality of scenes and of pictures, and of a vote."""
GRADES = ("bad", "poor", "fair", "good", "excellent")

COLUMNS = ("item_id", "system", "topic", *GRADES)

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per picture, 180 in all: column -> array (180,). The same seed gives the same study."""
    rng = np.random.default_rng(seed)
    shape = (SCENES, len(SYSTEMS))
    quality = (
        np.array([*SYSTEMS.values()])
        + OF_SCENE * rng.standard_normal((SCENES, 1))
        + OF_PICTURE * rng.standard_normal(shape)
    )
    vote_count = rng.integers(VOTES[0], VOTES[1] + 1, shape)
    votes = quality[..., None] + OF_VOTE * rng.standard_normal((*shape, VOTES[1]))
    grade = np.clip(np.rint(votes), 1, len(GRADES))
    is_cast = np.arange(VOTES[1]) < vote_count[..., None]
    scenes = np.array([f"scene {number:02d}" for number in range(1, SCENES + 1)])
    system, topic = np.tile([*SYSTEMS], SCENES), np.repeat(scenes, len(SYSTEMS))
    counts = {
        name: ((grade == value) & is_cast).sum(axis=2).ravel() for value, name in enumerate(GRADES, start=1)
    }
    items = np.array([f"{scene}, {codec}" for scene, codec in zip(topic, system, strict=True)])
    return {"item_id": items, "system": system, "topic": topic, **counts}
