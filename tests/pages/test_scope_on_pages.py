"""Generalize to: the control, the address and the evidence of every page that has both scopes."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import sentences

Open = Callable[..., AppTest]
PAGES = {
    "agreement.py": {},
    "crowd_vs_lab.py": {"draws": "20", "permutations": "99"},
    "repetitions.py": {"shuffles": "5", "draws": "20", "reference": "split halves"},
    "standing_in.py": {"fewest_shared": "5", "draws": "20"},
    "systems.py": {"draws": "20"},
    "assessors.py": {"question": "What if they go", "without": "crowd0", "draws": "20", "random": "20"},
    "planning.py": {"plan": "Are ratings enough?"},
}


def rows(raters: int) -> list[tuple[object, ...]]:
    """Two groups of so many raters, 4 systems on 8 topics."""
    rng = np.random.default_rng(1)
    severity = rng.normal(0, 0.4, 2 * raters)
    return [
        (f"s{s}t{t}", f"{group}{r}", group, f"s{s}", f"t{t}", round(float(truth + severity[at] + noise), 2))
        for s in range(4)
        for t in range(8)
        for truth in [s * 0.5 + rng.normal(0, 1)]
        for at, (group, r) in enumerate((g, r) for g in ("crowd", "lab") for r in range(raters))
        for noise in [rng.normal(0, 0.5)]
    ]


@pytest.mark.parametrize("page", PAGES)
def test_the_scope_is_chosen_from_six_raters_on_and_told(
    open_page: Open, add_rows: Callable[..., str], page: str
) -> None:
    header = "item,rater,group,system,topic,score"
    key = add_rows(header, rows(6))
    usual = open_page(page, d=key, **PAGES[page])
    assert usual.selectbox("generalize").value == "raters like these"
    assert "for raters like these" in sentences(usual)
    fixed = open_page(page, d=key, generalize="these raters", **PAGES[page])
    assert "for these raters" in sentences(fixed)
    if page != "crowd_vs_lab.py":  # whose ceiling and spread have one scope
        assert "for raters like these" not in sentences(fixed)


def test_below_six_raters_these_are_the_default(open_page: Open, add_rows: Callable[..., str]) -> None:
    key = add_rows("item,rater,group,system,topic,score", rows(4))
    app = open_page("agreement.py", d=key)
    assert app.selectbox("generalize").value == "these raters"
