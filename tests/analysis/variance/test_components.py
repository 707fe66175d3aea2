from dataclasses import astuple
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.values.estimate import BootstrapSpec
from analysis.variance import components as components_module
from analysis.variance.components import Components, components
from analysis.variance.jackknives import average_repeats, component_intervals, jackknife_components
from analysis.variance_components import components as handed_on
from tests.analysis.variance.designs import BRENNAN, brennan_1, crossed, systems

FEW = BootstrapSpec(200)


def test_brennans_variances() -> None:
    found = components(*brennan_1())
    assert found.method == "REML"
    published = BRENNAN["1"]["variances"]
    assert found.variance.round(4).tolist() == [published["person"], published["item"], published["rest"]]


def test_the_facade_exports_it() -> None:
    assert handed_on is components


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_intervals_hold_their_estimates_and_shares_add_up(seed: int) -> None:
    found = components(*crossed(14, 5, 4, seed), bootstrap=FEW)
    for estimate in (*found.variances().values(), *found.shares().values()):
        assert estimate.reason or 0 <= estimate.low <= estimate.value <= estimate.high
    assert sum(share.value for share in found.shares().values()) == pytest.approx(1)


@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_names_and_order_of_raters_do_not_matter(seed: int, random: object) -> None:
    item, rater, score = crossed(8, 5, 3, seed)
    mixed = np.random.default_rng(seed).permutation(len(item))
    renamed = np.array([f"rater {9 - r}" for r in rater])
    one = components(item, rater, score, bootstrap=BootstrapSpec(0))
    other = components(item[mixed], renamed[mixed], score[mixed], bootstrap=BootstrapSpec(0))
    assert other.variance == pytest.approx(one.variance, abs=1e-6)


def test_the_residual_and_the_share_of_items_have_the_jackknives_intervals() -> None:
    item, rater, score = crossed(20, 5, 5, seed=2)
    found, expected = components(item, rater, score, bootstrap=FEW), component_intervals(item, rater, score)
    for one, other in (
        (found.variances()["rest"], expected.residual),
        (found.shares()["item"], expected.agreement),
    ):
        assert [one.value, one.low, one.high] == pytest.approx(
            [other.value, max(other.low, 0), other.high], rel=1e-6
        )


def test_raters_of_unequal_noise_widen_the_share_of_the_residual() -> None:
    item, rater, score = crossed(40, 6, 6, seed=4, variances=(0.6, 0.2, 0.0))
    noise = np.random.default_rng(0).normal(size=len(item))
    widths = []
    for of_rater in (np.ones(6), np.array([0.2, 0.2, 0.2, 0.2, 0.2, 2.4])):
        share = components(
            item, rater, score + of_rater[rater] * noise, bootstrap=BootstrapSpec(500)
        ).shares()["rest"]
        widths.append((share.high - share.low) / share.value)
    assert widths[1] > 1.5 * widths[0]


def test_planted_variances_are_found() -> None:
    found = components(*crossed(400, 60, 8, seed=3), bootstrap=FEW)
    for name, planted in (("item", 0.6), ("rater", 0.2), ("rest", 0.5)):
        estimate = found.variances()[name]
        assert estimate.low < planted < estimate.high
        assert estimate.value == pytest.approx(planted, rel=0.3)


def test_large_designs_fall_to_moments_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = systems(3, kept=0.8)
    fitted = components(**columns, bootstrap=FEW)
    monkeypatch.setattr(components_module, "MOST_LEVELS", 5)
    told: list[float] = []
    summed = components(**columns, bootstrap=FEW, on_progress=told.append)
    assert (fitted.method, summed.method) == ("REML", "moments")
    assert summed.sources == fitted.sources
    assert told[-1] == 1
    assert all(np.isfinite(e.low + e.high) for e in summed.variances().values())


def test_a_negative_moment_estimate_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components_module, "MOST_LEVELS", 0)
    item, rater = (codes.ravel() for codes in np.indices((6, 4)))
    score = rater + np.where(item % 2 == 0, 0.1, -0.1) * np.where(rater % 2 == 0, 1, -1)
    found = components(item, rater, score, bootstrap=FEW)
    assert {name for name, v in zip(found.sources, found.variance, strict=True) if v < 0} == {"item"}
    assert found.variances()["item"].value == 0


@given(st.integers(0, 10_000))
def test_the_root_of_a_correlation_does_not_depend_on_the_eigenvectors_signs(seed: int) -> None:
    random = np.random.default_rng(seed)
    factors = random.normal(size=(4, 3))
    correlation = np.corrcoef(factors)
    root = components_module._correlation_root(correlation)
    np.testing.assert_allclose(root @ root.T, correlation, atol=1e-7)
    eigenvalues, eigenvectors = np.linalg.eigh(correlation)
    with mock.patch.object(
        np.linalg, "eigh", return_value=(eigenvalues, eigenvectors * random.choice([-1, 1], 4))
    ):
        np.testing.assert_allclose(components_module._correlation_root(correlation), root, atol=1e-12)


def test_the_same_seed_gives_the_same_intervals() -> None:
    one, other = (components(*crossed(8, 5, 3, 0), bootstrap=BootstrapSpec(100, 7)) for _ in range(2))
    assert (one.drawn == other.drawn).all()


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (([], [], []), components_module.TOO_FEW),
        (([0, 0, 1, 1], [0, 1, 0, 1], [2.0] * 4), components_module.ALL_EQUAL),
        (([0, 0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 0, 1, 2], [0.1] * 7), components_module.ALL_EQUAL),
        (([0, 1, 2], [0, 0, 0], [1.0, 2.0, 4.0]), components_module.NOTHING_REPEATS),
    ],
)
def test_what_has_no_variance_to_share_out_says_why(
    columns: tuple[list[int], list[int], list[float]], reason: str
) -> None:
    found = components(*columns)
    assert found.reason == reason
    assert not np.isfinite(found.variance).any()


def test_sources_that_explain_every_rating_have_no_interval() -> None:
    item, rater = (codes.ravel() for codes in np.indices((6, 4)))
    share = components(item, rater, item + 0.5 * rater).shares()["item"]
    assert share.value == pytest.approx(3.5 / (3.5 + 0.25 * 5 / 3), rel=1e-5)
    assert np.isnan(share.low)


@pytest.mark.parametrize(
    ("systems", "topics", "kinds"),
    [(5, 5, ("topic", "system")), (4, 12, ("topic",)), (12, 4, ()), (10, 0, ("system",)), (9, 0, ())],
)
def test_intervals_are_over_what_items_belong_to(systems: int, topics: int, kinds: tuple[str, ...]) -> None:
    rng = np.random.default_rng(1)
    system, topic, rater = (codes.ravel() for codes in np.indices((systems, topics or 8, 5)))
    score = rng.normal(size=systems)[system] + rng.normal(size=topics or 8)[topic] + rng.normal(size=5)[rater]
    item = system * (topics or 8) + topic
    score = score + rng.normal(size=item.max() + 1)[item] + rng.normal(size=len(item))
    found = components(item, rater, score, system, topic if topics else None, FEW)
    of = {"system": system[::5], "topic": topic[::5]}
    expected = jackknife_components(average_repeats(item, rater, score), [of[kind] for kind in kinds])
    assert found.jackknife is not None
    assert astuple(found.jackknife.spreads["agreement"]) == pytest.approx(
        astuple(expected.spreads["agreement"])
    )


def _of_file(file: Path, **chosen: object) -> Components:
    rows = pd.read_csv(file)
    for column, value in chosen.items():
        rows = rows[rows[column] == value]
    columns = {
        name: pd.factorize(rows[name])[0] for name in ("item", "rater", "system", "topic") if name in rows
    }
    return components(score=rows["score"].to_numpy(), **columns, bootstrap=FEW)


def test_video_quality_is_mostly_the_videos(shared_data: Path) -> None:
    found = _of_file(shared_data / "video_mos_nflx_public.csv")
    assert (found.method, found.counts) == ("REML", {"item": 79, "rater": 26, "system": 79, "topic": 9})
    assert "system" not in found.sources
    assert found.shares()["item"].value > 0.5


def test_speech_of_a_crowd_has_fewer_levels_than_reml_bears(shared_data: Path) -> None:
    rows = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv")
    rows = rows[rows["check"].isna() & (rows["group"] == "crowd_clickworker_de")]
    found = components(rows["item"], rows["rater"], rows["score"], rows["system"].astype(str), bootstrap=FEW)
    assert (found.method, found.ratings, found.counts["rater"]) == ("REML", 5685, 65)
    assert found.sources == ("item", "rater", "system", "system × rater", "rest")
