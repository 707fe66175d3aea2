"""Plans of which the numbers are known: typed variances, and a pilot that leaves them open."""

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.planning import Pilot
from features.blocks import Text, last_stage
from features.planning.power_results import PowerFound, PowerSpec, Prices, power_stages
from features.planning.variances import TYPED, Variances, VariancesSpec
from tests.features.studies import study_of

VARIANCES = {
    "residual": 0.3,
    "rater_slope": 0.1,
    "item_slope": 0.1,
    "rater": 0.2,
    "item": 0.2,
    "rater_item": 0.1,
}
STUDY = study_of("focus")
PRICES = Prices(0.5, item=1.0, rater=2.0, fixed=10.0, currency="€", seconds=30.0)


def typed(variances: dict[str, float] = VARIANCES) -> VariancesSpec:
    """Return variances as typed."""
    return VariancesSpec(TYPED, "", tuple(variances.items()), 4.0)


SPEC = PowerSpec(typed(), 0.5, 20, 20, 10, prices=PRICES)


def planned(**changed: Any) -> PowerFound:
    """Return the plan with other numbers."""
    return last_stage(power_stages(STUDY, replace(SPEC, **changed)))


def unsure() -> Variances:
    """Return a pilot's variances, of which one half of the draws has a quarter, the other four times as much."""
    drawn = {name: np.repeat([value / 4, 4 * value], 100) for name, value in VARIANCES.items()}
    return Variances(Pilot(VARIANCES, drawn, 0.95))


def line_of(text: Text) -> str:
    """Return an evidence line, or a note, with its values filled in."""
    template, values = text
    return template.format_map(values)
