"""Weights per rating: read, counted in means of items and systems, and named on every page."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.items.rating_spread import effective_number
from analysis.systems.preference import EQUAL, PreferenceSpec
from data.dataset import Dataset
from data.errors import UnknownName
from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.store import sums
from data.store.store import Store
from features.blocks import last_stage
from features.distributions.section import DistributionSpec, describe_groups
from features.items.results import ItemsSpec, describe_item, list_items
from features.notices import NO_WEIGHTS
from features.study import Scenario, open_study
from features.systems.pairs_results import PairSpec, pair_stages
from features.systems.scale_results import ScaleSpec, scale_stages
from features.systems.scores_results import ScoresSpec, ranking_stages
from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]


def ratings() -> pd.DataFrame:
    draw = np.random.default_rng(8)
    weight, rows = draw.lognormal(0, 0.8, 10), []
    for topic in range(8):
        for system, quality in (("new", 3.4), ("old", 2.9)):
            level = quality + draw.normal(0, 0.5)
            for rater in draw.permutation(10)[:7].tolist():
                score = float(np.clip(np.rint(level + draw.normal(0, 1) + 0.2 * (rater % 3)), 1, 5))
                rows.append(
                    (f"{topic} {system}", f"w{rater}", score, round(weight[rater], 3), system, f"t{topic}")
                )
    return pd.DataFrame(rows, columns=["item", "rater", "score", "weight", "system", "topic"])


FRAME = ratings()


@pytest.fixture
def key(add_study: Callable[..., str], tmp_path: Path) -> str:
    file = tmp_path / "weighted.csv"
    FRAME.to_csv(file, index=False)
    return add_study(file)


def dataset_of(key: str) -> Dataset:
    with Store() as store:
        dataset = store.by_key(key)
    assert dataset is not None
    return dataset


def weighted(frame: pd.DataFrame) -> float:
    return float(np.average(frame["score"], weights=frame["weight"]))


def test_means_of_items_and_systems_and_shares_are_weighted(key: str) -> None:
    study = open_study(dataset_of(key))
    of_items = {str(item): weighted(rows) for item, rows in FRAME.groupby("item")}
    found = list_items(study, ItemsSpec("score"))
    assert dict(zip(found.names.tolist(), found.spread.mean.tolist(), strict=True)) == pytest.approx(of_items)
    item = describe_item(study, "3 new")
    (mos,) = item.means.values()
    assert mos.value == pytest.approx(of_items["3 new"])
    assert [*item.effective.values()] == pytest.approx(
        [effective_number(FRAME["weight"][FRAME["item"] == "3 new"])]
    )
    described = describe_groups(study, DistributionSpec("single ratings"))
    assert described.descriptions[0].description.mean == pytest.approx(np.mean([*of_items.values()]))
    (bars,) = described.histograms["score"]
    shares = FRAME.groupby("score")["weight"].sum() / FRAME["weight"].sum()
    assert (bars.counts / bars.counts.sum())[bars.counts > 0] == pytest.approx(shares.to_numpy())
    ranked = last_stage(ranking_stages(study, Scenario(), ScoresSpec("score", method="plain")))
    assert {name: score.n for name, score in ranked.scores.items()} == {"new": 56, "old": 56}
    plain = dict(
        zip(ranked.names[ranked.exclusion.systems].tolist(), ranked.exclusion.before.tolist(), strict=True)
    )
    assert plain == pytest.approx(
        {name: np.mean([of_items[one] for one in {*rows["item"]}]) for name, rows in FRAME.groupby("system")}
    )
    assert (ranked.exclusion.ratings, ranked.exclusion.ratings_left) == (112, 112)
    assert sorted(ranked.effective.values()) == pytest.approx(
        sorted(effective_number(rows["weight"]) for _, rows in FRAME.groupby("system"))
    )


def test_large_studies_with_sums_are_weighted_alike(
    add_study: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    small = open_study(dataset_of(key))
    monkeypatch.setattr(sums, "MIN_ROWS", 10)
    monkeypatch.setattr(sums, "MAX_SHARE", 100.0)
    file = tmp_path / "weighted.csv"
    FRAME.to_csv(file, index=False)
    large = open_study(dataset_of(add_study(file)))
    assert large.dataset.has_sums
    assert not small.dataset.has_sums
    for compute in (
        lambda study: last_stage(ranking_stages(study, Scenario(), ScoresSpec("score"))).scores,
        lambda study: describe_groups(study, DistributionSpec()).descriptions,
        lambda study: list_items(study, ItemsSpec("score")).spread.mean.tolist(),
    ):
        assert compute(small) == compute(large)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("distributions.py", "Weights are used in means and shares"),
        ("systems.py", "Weights are used in means and shares"),
        ("items.py", "Weights are used in MOS of items, not in other figures"),
        ("overview.py", "Weights are used in distributions and scores of systems, not in other figures"),
        ("agreement.py", NO_WEIGHTS[0]),
        ("repetitions.py", NO_WEIGHTS[0]),
        ("planning.py", NO_WEIGHTS[0]),
    ],
)
def test_each_page_says_whether_it_uses_weights(open_page: Open, key: str, page: str, told: str) -> None:
    shown = sentences(open_page(page, d=key))
    assert told in shown
    assert ("effective n is" in shown) == (told != NO_WEIGHTS[0])


def test_the_shares_of_single_ratings_are_drawn_by_weight(open_page: Open, key: str) -> None:
    app = open_page("distributions.py", d=key, show="Single ratings")
    (figure,) = figures(app)
    drawn = next(trace for trace in figure["data"] if trace["mode"] == "markers")
    shares = FRAME.groupby("score")["weight"].sum() / FRAME["weight"].sum()
    assert drawn["y"] == pytest.approx(shares.tolist())
    assert "effective n is" in sentences(app)
    assert "by all ratings" not in sentences(app)


def test_studies_without_weights_say_nothing_of_them(open_page: Open) -> None:
    assert "Weights are" not in sentences(open_page("distributions.py"))


@pytest.mark.parametrize(
    ("column", "cells", "is_weight"),
    [
        ("weight", ["0.5", "1.5", "0", "1"], True),
        ("Gewicht", ["0.5", "1.5", "2", "1"], True),
        ("weight", ["61", "75", "82", "70"], False),  # of persons
        ("weight", ["1", "1", "1", "1"], False),
    ],
)
def test_weights_are_recognized_by_what_they_weigh(
    tmp_path: Path, column: str, cells: list[str], is_weight: bool
) -> None:
    rows = [
        f"i{item},r{rater},{(item + rater) % 5 + 1},{cells[rater]}" for item in range(9) for rater in range(4)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join([f"item,rater,score,{column}", *rows]))
    assert ("weight" in propose(sniff(file)).mapping) == is_weight


def test_weights_of_items_are_no_weights_of_ratings(tmp_path: Path) -> None:
    rows = [
        f"i{item},r{rater},{(item + rater) % 5 + 1},{1 + item / 4}" for item in range(9) for rater in range(4)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["item,rater,score,weight", *rows]))
    assert propose(sniff(file)).mapping.get("weight") != "weight"


def test_ratings_without_a_weight_above_0_are_set_aside_by_name(tmp_path: Path) -> None:
    rows = [
        f"i{item},r{rater},{(item + rater) % 5 + 1},{0.5 + rater / 4}"
        for item in range(9)
        for rater in range(4)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text(
        "\n".join(["item,rater,score,weight", *rows, "i1,r9,3,0", "i2,r9,3,", "i3,r9,3,-1", "i4,r9,3,x"])
    )
    found = propose(sniff(file))
    with Store(str(tmp_path / "store.duckdb")) as store:
        report = store.check(file, found.kind, found.mapping)
    assert (report.kept, report.set_aside) == (36, 4)
    assert {reason: rows for column, reason, rows in report.reasons if column == "weight"} == {
        "the weight is not above 0": 2,
        "the weight is empty": 1,
        "the weight is not a number": 1,
    }


@pytest.mark.parametrize("name", ["weighted_items", "weights", "weighted_score_counts", "effective_ratings"])
def test_queries_of_weights_say_where_there_are_none(
    add_study: Callable[..., str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "plain.csv"
    FRAME.drop(columns="weight").to_csv(file, index=False)
    asked = {"measure": "score", "group": "all ratings"}
    asked = (
        {}
        if name == "effective_ratings"
        else asked
        if name != "weighted_score_counts"
        else {"measure": "score"}
    )
    dataset = dataset_of(add_study(file))
    with Store() as store, pytest.raises(UnknownName, match="no column `weight`"):
        store.query(dataset, name, **asked)


def choices() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    strength, weight = {"a": 0.8, "b": 0.0, "c": -0.8}, draw.lognormal(0, 0.8, 12).round(3)
    rows = []
    for item in range(40):
        one, other = draw.permutation([*strength])[:2]
        for rater in draw.permutation(12)[:6].tolist():
            gap = strength[one] - strength[other] + 0.4 * (rater % 3 - 1)
            won = draw.random() < 1 / (1 + np.exp(-gap))
            rows.append((f"q{item}", f"w{rater}", one if won else other, one, other, weight[rater]))
    return pd.DataFrame(rows, columns=["item", "rater", "choice", "option_a", "option_b", "weight"])


CHOICES = choices()


@pytest.fixture
def key_of_choices(add_study: Callable[..., str], tmp_path: Path) -> str:
    file = tmp_path / "choices.csv"
    CHOICES.to_csv(file, index=False)
    return add_study(file, "choices")


def test_weights_of_choices_count_in_the_scale(open_page: Open, key_of_choices: str) -> None:
    told = sentences(open_page("systems.py", d=key_of_choices, about="All systems"))
    assert "Weights are used in the scale of systems and in shares of the preference, not in other" in told
    assert "effective n" in told
    study = open_study(dataset_of(key_of_choices))
    found, plain = (
        last_stage(scale_stages(study, ScaleSpec())),
        last_stage(scale_stages(study, ScaleSpec(weighted=False))),
    )
    apart = CHOICES[CHOICES["option_a"].isin(["a", "b"]) & CHOICES["option_b"].isin(["a", "b"])]
    share = float(np.average(apart["choice"] == "a", weights=apart["weight"]))
    assert found.scale.shares[0, 1] == pytest.approx(share)
    assert plain.scale.shares[0, 1] == pytest.approx((apart["choice"] == "a").mean())
    assert (found.scale.numbers == plain.scale.numbers).all()
    of_a = CHOICES[(CHOICES["option_a"] == "a") | (CHOICES["option_b"] == "a")]
    assert found.effective is not None
    assert plain.effective is None
    assert found.effective[0] == pytest.approx(effective_number(of_a["weight"]))


def test_weights_of_choices_count_in_shares_of_the_preference(open_page: Open, key_of_choices: str) -> None:
    study = open_study(dataset_of(key_of_choices))
    found = last_stage(pair_stages(study, PairSpec("a vs b", PreferenceSpec(draws=0))))
    apart = CHOICES[CHOICES["option_a"].isin(["a", "b"]) & CHOICES["option_b"].isin(["a", "b"])]
    of_items = [
        np.average(rows["choice"] == "a", weights=rows["weight"]) for _, rows in apart.groupby("item")
    ]
    assert found.preference.shares[EQUAL].value == pytest.approx(np.mean(of_items))
    told = sentences(open_page("systems.py", d=key_of_choices, about="Any two systems"))
    assert f"effective n {effective_number(apart['weight']):.0f} of {len(apart)} choices" in told


@pytest.mark.parametrize("page", ["workers.py", "repetitions.py", "planning.py"])
def test_pages_that_use_no_weights_of_choices_say_so(open_page: Open, key_of_choices: str, page: str) -> None:
    assert NO_WEIGHTS[0] in sentences(open_page(page, d=key_of_choices))


def test_labels_do_not_use_weights(open_page: Open, add_study: Callable[..., str], tmp_path: Path) -> None:
    frame = CHOICES.drop(columns=["option_a", "option_b"])
    frame.to_csv(tmp_path / "labels.csv", index=False)
    assert "weight" not in propose(sniff(tmp_path / "labels.csv")).mapping
    key = add_study(tmp_path / "labels.csv", "choices", weight="weight")
    assert NO_WEIGHTS[0] in sentences(open_page("systems.py", d=key))
