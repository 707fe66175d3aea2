"""What a plan rests on: the variances of the open ratings, of a study that was carried out, or as typed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.planning.pilot import Pilot, pilot
from analysis.planning.presets import PRESETS
from analysis.variance.components import Components
from features.plotting.numbers import count, decimal
from features.tables import Shown
from features.words import Sentence, of_many

OPEN, TYPED = "these ratings", "typed numbers"
KINDS = {
    "speech study": "speech",
    "video study": "video",
    "summary study": "summaries",
    "translation study": "translation",
}
CALLED = {
    "residual": "Residual",
    "rater_slope": "Raters by system, half",
    "item_slope": "Items by system, half",
    "rater": "Raters",
    "item": "Items",
    "rater_item": "Raters by items",
}
"""What each variance of a plan is called."""


@dataclass(frozen=True)
class Basis:
    """Variances by name with what is known of their uncertainty, `told` where they are from; the scale's `points` from
    end to end. `note` says what the reader should know of them, `warning` what was asked for and cannot be had.
    """

    pilot: Pilot
    told: str
    points: float
    note: Sentence | None = None
    warning: Sentence | None = None
    of_open_ratings: bool = False
    """True where what is wrong with the open ratings is wrong with the plan, too."""

    @property
    def difference(self) -> float:
        """A difference of two systems that many a study asks for: 3 of 40 of the scale.

        >>> Basis(as_pilot({}), "", 4.0).difference, Basis(as_pilot({}), "", 100.0).difference
        (0.3, 7.5)
        """
        return float(f"{0.075 * self.points:.2g}")


def as_pilot(variances: Mapping[str, float]) -> Pilot:
    """Variances without any uncertainty."""
    return Pilot(dict(variances), {name: np.empty(0) for name in variances}, 0.95)


def of_preset(kind: str, unknown: str = "") -> Basis:
    """The variances of a study of this kind; those of the open ratings are `unknown` for that reason."""
    preset = PRESETS[kind]
    warning: Sentence | None = None
    if unknown:
        warning = (
            "The open ratings cannot say it: {reason}. These are the variances of a {kind} study; choose another "
            "kind or type your own numbers.",
            {"reason": unknown, "kind": kind},
        )
    return Basis(
        as_pilot(preset.variances),
        f"the variances of a study of {preset.measured}",
        preset.points,
        ("Variances of {measured}; items are {items}. Source: {source}.", vars(preset)),
        warning,
    )


def of_ratings(found: Components, points: float) -> Basis:
    """The variances of the open ratings."""
    made, ratings = pilot(found), of_many(found.ratings, "ratings")
    sizes = ", ".join(
        of_many(found.counts[name], f"{name}s")
        for name in ("item", "rater", "system", "topic")
        if name in found.counts
    )
    told, values = "Variances of {ratings} ({sizes})", {"ratings": ratings, "sizes": sizes}
    if found.sample is not None:
        told += ", all of these items, which were drawn from {of} (seed {seed})"
        values |= {"of": count(found.sample.of), "seed": str(found.sample.seed)}
    told += ", with what so many leave open." if _drawn(made) else "."
    return Basis(made, f"the variances of a pilot of {ratings}", points, (told, values), of_open_ratings=True)


def typed(variances: Mapping[str, float], points: float) -> Basis:
    """Variances as typed."""
    return Basis(as_pilot(variances), "variances as typed", points)


def _drawn(pilot: Pilot) -> bool:
    return any(len(values) for values in pilot.drawn.values())


def variances_table(basis: Basis) -> Shown:
    """The variances that a plan rests on."""
    rows = pd.DataFrame(
        {
            "Variance": [CALLED[name] for name in basis.pilot.estimated],
            "Value": list(basis.pilot.estimated.values()),
        }
    )
    return rows, {"Value": lambda value: decimal(value, 4)}
