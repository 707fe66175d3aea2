"""A page warns where simulations show that an interval or test claims more than its level."""

from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from benchmarks.calibration.document import Row
from benchmarks.calibration.simulation import LIMITS
from tests.benchmarks.test_calibration import ROWS
from tests.pages.conftest import sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
SHOWN = {
    "their intervals held in 80 to 81 of 100 simulated studies",
    "so Tukey's test finds too many; trust",
    "intervals may be too narrow if raters differ much in noise",
    "raters stand for raters like these",
    "over 12 items it held in 90 of 100 simulated studies",
    "held in 88 of 100 simulated studies",
}
"""Words of the warnings that the tests below look for."""


def claims_too_much(row: Row) -> bool:
    """Return True where an interval is too narrow, or a test rejects too often."""
    low, high = LIMITS[row.kind]
    return row.share < low if row.kind == "interval" else row.share > high


def test_the_warnings_below_are_those_of_all_rows_that_claim_too_much() -> None:
    misleading = {row.exception for row in ROWS if row.verdict == "exception" and claims_too_much(row)}
    assert {one.words for one in misleading if one is not None} == SHOWN


def rated(highest: int) -> list[tuple[object, ...]]:
    """Return whole scores of 40 items by all of 6 raters, most of them at the lower end."""
    rng = np.random.default_rng(4)
    felt = rng.normal(1.6, 0.9, 40)[:, None] + rng.normal(0, 0.8, (40, 6))
    scores = np.clip(np.rint(felt), 1, highest).astype(int)
    return [(f"i{item}", f"r{rater}", int(score)) for (item, rater), score in np.ndenumerate(scores)]


def test_a_scale_whose_highest_grade_is_rare_may_go_further(open_page: Open, add_rows: Add) -> None:
    warning = "their intervals held in 80 to 81 of 100 simulated studies"
    assert warning in SHOWN
    for highest, is_rare in ((5, True), (2, False)):
        key = add_rows("item,rater,score", rated(highest))
        app = open_page("agreement.py", d=key, coefficients="true")
        assert (warning in sentences(app)) == is_rare


def test_few_raters_may_miss_the_noisiest(open_page: Open, add_rows: Add) -> None:
    warning = "intervals may be too narrow if raters differ much in noise"
    assert warning in SHOWN
    key = add_rows("item,rater,score", rated(5))
    app = open_page("assessors.py", d=key, question="Where the variance comes from", draws="20")
    assert warning in sentences(app)


def test_three_raters_may_miss_the_noisiest(open_page: Open, add_rows: Add) -> None:
    rows = [row for row in rated(5) if row[1] in ("r0", "r1", "r2")]
    key = add_rows("item,rater,score", rows)
    assert "3 raters stand for raters like these" in sentences(
        open_page("agreement.py", d=key, generalize="raters like these")
    )


def test_the_rmse_of_few_items_may_be_further_off(open_page: Open, add_rows: Add) -> None:
    for items, is_few in ((12, True), (40, False)):
        rows = [
            (item, rater, score, "lab" if rater in ("r0", "r1", "r2") else "crowd")
            for item, rater, score in rated(5)
            if int(str(item)[1:]) < items
        ]
        app = open_page("crowd_vs_lab.py", d=add_rows("item,rater,score,group", rows), draws="20")
        assert ("over 12 items it held in 90 of 100 simulated studies" in sentences(app)) == is_few


def test_a_promise_is_rough_where_items_get_their_own_variance(open_page: Open, add_rows: Add) -> None:
    for raters, is_rough in ((4, True), (6, False)):
        rows = [row for row in rated(5) if int(str(row[1])[1:]) < raters]
        key = add_rows("item,rater,score", rows)
        app = open_page("planning.py", d=key, plan="What to collect next")
        assert ("held in 88 of 100 simulated studies" in sentences(app)) == is_rough


def test_a_surrogate_that_varies_more_than_the_others_misleads_tukeys_test(
    open_page: Open, add_rows: Add
) -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"r{rater}", "e1", f"d{document}", f"s{surrogate}", int(rng.random() < 0.5), f"{seconds:.3f}")
        for rater in range(20)
        for surrogate in range(6)
        for document, seconds in enumerate([20 + rng.normal(0, 9 if surrogate == 0 else 1)] * 2)
    ]
    key = add_rows("rater_id,event_id,document_id,surrogate,judgment,seconds", rows, kind="relevance")
    app = open_page("relevance.py", d=key, about="Significant differences", relevance_measure="seconds")
    said = sentences(app).replace("&#x27;", "'")
    assert "so Tukey's test finds too many; trust" in said
    assert "so Tukey's test finds too many; trust" in SHOWN
