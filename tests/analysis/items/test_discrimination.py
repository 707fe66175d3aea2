"""Items that better raters rate otherwise: a slow version, laws, a planted item, and what is not enough."""

import numpy as np
import pytest

from analysis.items import disagreement
from analysis.items.disagreement import (
    FEWEST_RATERS,
    _leave_one_out_figures,
    _pair_with_others,
    discrimination,
)
from analysis.values.ratings import Ratings

Study = tuple[Ratings, np.ndarray]


def study(seed: int, items: int = 30, raters: int = 40, broken: int | None = None) -> Study:
    """Raters of unequal use of the scale; the better ones see in the broken item the opposite of what others see."""
    rng = np.random.default_rng(seed)
    use, noise = np.linspace(0.2, 1.3, raters), np.linspace(1.4, 0.4, raters)
    quality = rng.normal(size=items)
    if broken is not None:
        quality[broken] = 1.5
    score = (
        3
        + use[:, None] * quality
        + rng.normal(0, 0.4, (raters, 1))
        + noise[:, None] * rng.normal(size=(raters, items))
    )
    if broken is not None:
        score[raters // 2 :, broken] -= 3
    item, rater = np.meshgrid(np.arange(items), np.arange(raters))
    return Ratings(item.ravel(), rater.ravel(), np.clip(np.round(score), 1, 5).ravel()), quality


def test_agreement_elsewhere_is_that_over_all_other_items() -> None:
    rng = np.random.default_rng(1)
    ratings, _ = study(2, 16, 12)
    some = np.sort(rng.permutation(len(ratings))[:170])
    ratings = Ratings(ratings.item[some], ratings.rater[some], ratings.score[some])
    agreement, beyond, _ = _leave_one_out_figures(_pair_with_others(ratings))
    by = {
        (i, r): s
        for i, r, s in zip(ratings.item.tolist(), ratings.rater.tolist(), ratings.score, strict=True)
    }
    told = 0
    for at, (item, rater) in enumerate(sorted(by)):
        pairs = []
        for other in {i for i, r in by if r == rater and i != item}:
            rest = [s for (i, r), s in by.items() if i == other and r != rater]
            if rest:
                pairs.append((np.mean(rest), by[other, rater]))
        if len(pairs) < FEWEST_RATERS or np.isnan(agreement[at]):
            assert np.isnan(agreement[at])
            continue
        x, y = np.transpose(pairs)
        assert agreement[at] == pytest.approx(np.corrcoef(x, y)[0, 1])
        slope, intercept = np.polyfit(x, y, 1)
        here = np.mean([s for (i, r), s in by.items() if i == item and r != rater])
        assert np.sign(beyond[at]) == np.sign(by[item, rater] - slope * here - intercept)
        told += 1
    assert told > 100


def test_parts_of_the_ratings_give_what_all_together_give(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings, _ = study(5)
    some = np.random.default_rng(3).permutation(len(ratings))[:1000]
    ratings = Ratings(ratings.item[some], ratings.rater[some], ratings.score[some])
    whole = discrimination(ratings)
    assert np.isfinite(whole.r).sum() > 20
    monkeypatch.setattr(disagreement, "BLOCK", 37)
    in_parts = discrimination(ratings)
    for name in ("r", "low", "high", "p"):
        np.testing.assert_allclose(getattr(in_parts, name), getattr(whole, name), rtol=1e-9, err_msg=name)


def test_an_item_that_good_raters_rate_lower_is_found_and_nothing_else() -> None:
    ratings, _ = study(0, broken=4)
    found = discrimination(ratings)
    assert np.flatnonzero(found.p < 0.05).tolist() == [4]
    assert found.r[4] < -0.5
    assert found.high[4] < 0
    intact = discrimination(study(0)[0])
    assert not (intact.p < 0.05).any()


def test_laws() -> None:
    """The order of rows, severity and names change nothing; the scale turned round turns r."""
    ratings, _ = study(5, 14, 20)
    found = discrimination(ratings)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(ratings))
    severe = ratings.score + 0.25 * (ratings.rater == 3)
    for other, sign in (
        (Ratings(ratings.item[order], ratings.rater[order], ratings.score[order]), 1),
        (Ratings(ratings.item, 99 - ratings.rater, ratings.score), 1),
        (Ratings(ratings.item, ratings.rater, 12 - 2 * ratings.score), -1),
    ):
        again = discrimination(other)
        np.testing.assert_allclose(again.r, sign * found.r, atol=1e-6)
        np.testing.assert_allclose(again.p, found.p, atol=1e-6)
    moved = discrimination(Ratings(ratings.item, ratings.rater, severe))
    assert np.nanmax(np.abs(moved.r - found.r)) < 0.05
    told = ~np.isnan(found.r)
    assert ((found.low <= found.r) & (found.r <= found.high))[told].all()


@pytest.mark.parametrize(("items", "raters"), [(FEWEST_RATERS, 30), (30, FEWEST_RATERS - 1), (1, 1), (0, 0)])
def test_too_few_say_nothing(items: int, raters: int) -> None:
    ratings, _ = study(1, items, raters) if items else (Ratings([], [], []), np.zeros(0))
    assert np.isnan(discrimination(ratings).p).all()


def test_raters_who_always_say_the_same_are_left_aside() -> None:
    ratings, _ = study(3, 14, 14)
    score = np.where(ratings.rater < 2, 3.0, ratings.score)
    assert (discrimination(Ratings(ratings.item, ratings.rater, score)).raters <= 12).all()
