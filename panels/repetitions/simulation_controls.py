"""Controls that curves of ratings and of votes share: how many shuffles, how far, how many draws, which knee."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES
from ui.controls import usually
from ui.sampling_controls import draws_control, seed_control


def shuffles_and_largest(
    given: str, smallest: int, usual: int, most: int, help: str
) -> tuple[int, int | None]:
    """The number of shuffles, and how far the curves run; None for as far as every item goes.

    `usual` is how far they run by themselves: as far as most items go (`rating_orders.reach`).
    """
    shuffles = st.slider(
        "Shuffles", 1, 1000, DEFAULT_SHUFFLES, key="shuffles", bind="query-params", help=help
    )
    largest = usual
    if most > 1:
        largest = st.slider(
            f"Largest number of {given}s per item",
            1,
            most,
            usually("repetitions", usual),
            key="repetitions",
            bind="query-params",
            help=f"How far the curves run: by themselves as far as 9 of 10 items (and at least 10) still have "
            f"{given}s. Beyond an item's last {given} it leaves the curve.",
        )
    return shuffles, None if largest == smallest else largest


def draws_and_knee(label: str, help: str) -> tuple[BootstrapSpec, float]:
    """How intervals are drawn, and Kneedle's sensitivity."""
    draws = draws_control(usual=100, label=label, help=help)
    seed = seed_control()
    sensitivity = st.slider(
        "Sensitivity of the knee (S)",
        0.0,
        15.0,
        1.0,
        0.5,
        key="sensitivity",
        bind="query-params",
        help="Kneedle's S: a higher value wants a flatter curve after the knee.",
    )
    return BootstrapSpec(draws=draws, seed=seed), sensitivity
