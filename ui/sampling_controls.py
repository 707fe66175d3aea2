"""How many draws an interval rests on, and their seed: the same control, with one range, wherever it stands."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec

FEWEST, MOST = 20, 20_000
LARGEST_SEED = 2**31 - 1
MORE_DRAWS = "More draws make intervals steadier, not narrower."


def draws_control(
    name: str = "draws",
    usual: int | None = None,
    *,
    fewest: int = FEWEST,
    label: str = "Draws per interval",
    help: str = MORE_DRAWS,
) -> int:
    """The number of draws; `name` is the parameter of the address. With `fewest` 0 intervals can be switched off."""
    usual = BootstrapSpec().draws if usual is None else usual
    return int(st.number_input(label, fewest, MOST, usual, FEWEST, key=name, bind="query-params", help=help))


def seed_control(name: str = "seed") -> int:
    """The seed of the draws."""
    return int(st.number_input("Seed", 0, LARGEST_SEED, 0, key=name, bind="query-params"))


def bootstrap_controls(prefix: str = "", *, fewest: int = FEWEST, help: str = MORE_DRAWS) -> BootstrapSpec:
    """Draw both controls, whose parameters of the address begin with the prefix."""
    draws = draws_control(f"{prefix}draws", fewest=fewest, help=help)
    return BootstrapSpec(draws, seed_control(f"{prefix}seed"))
