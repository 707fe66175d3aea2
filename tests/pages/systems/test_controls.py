"""Hidden references and anchors of listening tests: not ranked unless asked for, and raters who miss the reference."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.values.estimate import InputError
from data.store.store import Store
from features.assessments import controls_of, mid_range_anchors, of_group, without_controls
from features.raters.exclusion_rules import line_of, read, ruled
from features.raters.rater_results import ANCHOR, REFERENCE
from features.study import Session, open_study, use_session
from tests.pages.conftest import sentences

Open = Callable[..., AppTest]
LEVELS = {"hidden_ref": 97, "anchor35": 22, "codecA": 80, "codecB": 72, "codecC": 60}
CAREFUL, CARELESS = [f"L{at}" for at in range(1, 9)], ["X1", "X2"]
OFTEN = 2
"""Items, of ten, on which careless listeners miss the reference: more than 15%, which one is not."""


@pytest.fixture
def table() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    rows = []
    for listener in (*CAREFUL, *CARELESS):
        for page in range(10):
            for system, level in LEVELS.items():
                score = float(np.clip(round(level + draw.normal(0, 5)), 0, 100))
                if system == "hidden_ref":
                    misses = page < (OFTEN if listener in CARELESS else listener == "L1")
                    score = 60.0 if misses else 95.0
                rows.append((listener, f"song{page}", system, score))
    return pd.DataFrame(rows, columns=["listener", "item", "system", "score"])


def saved(table: pd.DataFrame, add_study: Callable[..., str], tmp_path: Path) -> str:
    file = tmp_path / "listening.csv"
    table.to_csv(file, index=False)
    return add_study(file)


def test_controls_are_not_ranked_unless_asked_for(
    open_page: Open, add_study: Callable[..., str], table: pd.DataFrame, tmp_path: Path
) -> None:
    key = saved(table, add_study, tmp_path)
    codecs = table[table["system"].str.startswith("codec")]
    alone = open_page("systems.py", d=saved(codecs, add_study, tmp_path), draws="20")
    app = open_page("systems.py", d=key, draws="20")
    pd.testing.assert_frame_equal(app.dataframe[0].value, alone.dataframe[0].value)
    assert "Hidden references and anchors are left out: anchor35 and hidden_ref." in sentences(app)
    assert "left out" not in sentences(alone)
    every = open_page("systems.py", d=key, draws="20", rank_controls="true")
    assert set(every.dataframe[0].value["System"]) == set(LEVELS)


def alpha_of(rows: pd.DataFrame) -> float:
    """Return the interval alpha of a complete design from sums of squares over all pairs of values."""
    scores = rows.pivot_table(index=["item", "system"], columns="listener", values="score").to_numpy()
    within = ((scores[:, :, None] - scores[:, None, :]) ** 2).sum() / (scores.shape[1] - 1)
    between = ((scores.ravel()[:, None] - scores.ravel()) ** 2).sum() / (scores.size - 1)
    return float(1 - within / between)


def test_controls_do_not_count_in_reliability_unless_asked_for(
    add_study: Callable[..., str], table: pd.DataFrame, tmp_path: Path
) -> None:
    key = saved(table, add_study, tmp_path)
    codecs = table[table["system"].str.startswith("codec")]
    with Store() as store, use_session(Session(store)):
        every = open_study(store.by_key(key))
        left = open_study(without_controls(every.whole))
        alphas = [of_group(one, one.measures[0], one.candidate).alpha.value for one in (every, left)]
    assert alphas == pytest.approx([alpha_of(table), alpha_of(codecs)])
    assert alphas[1] < alphas[0]


@pytest.mark.parametrize("page", ["agreement.py", "repetitions.py", "items.py", "assessors.py"])
def test_pages_look_the_same_as_without_the_rows_of_controls(
    page: str, open_page: Open, add_study: Callable[..., str], table: pd.DataFrame, tmp_path: Path
) -> None:
    codecs = table[table["system"].str.startswith("codec")]
    alone = open_page(page, d=saved(codecs, add_study, tmp_path), draws="20")
    app = open_page(page, d=saved(table, add_study, tmp_path), draws="20")
    for one, other in zip(app.dataframe, alone.dataframe, strict=True):
        shared = [column for column in other.value if column in one.value]
        assert len(shared) == len(other.value.columns)
        pd.testing.assert_frame_equal(one.value[shared], other.value)


@pytest.mark.parametrize(
    ("called", "controls"),
    [
        ("LP35 hidden_ref opus aac", {"LP35", "hidden_ref"}),
        ("3.5_kHz 7_kHz Reference opus aac", {"3.5_kHz", "7_kHz", "Reference"}),
        ("7_kHz 14_kHz opus", set()),
        ("low_anchor mid_anchor anchoring-v2 opus", {"low_anchor", "mid_anchor"}),
    ],
)
def test_controls_are_known_by_their_names(
    called: str, controls: set[str], add_study: Callable[..., str], tmp_path: Path
) -> None:
    rows = [
        (rater, page, system, 10 * at + rater)
        for rater in range(4)
        for page in range(4)
        for at, system in enumerate(called.split())
    ]
    table = pd.DataFrame(rows, columns=["listener", "item", "system", "score"])
    key = saved(table.replace({"_kHz": " kHz"}, regex=True), add_study, tmp_path)
    with Store() as store, use_session(Session(store)):
        found = controls_of(store.by_key(key))
    assert set(found) == {name.replace("_kHz", " kHz") for name in controls}


def test_a_person_called_reference_is_no_control(
    open_page: Open, add_study: Callable[..., str], table: pd.DataFrame, tmp_path: Path
) -> None:
    table = table[table["system"] != "anchor35"].replace("hidden_ref", "reference")
    app = open_page("systems.py", d=saved(table, add_study, tmp_path), draws="20")
    assert "reference" in set(app.dataframe[0].value["System"])


@pytest.fixture
def with_anchor(table: pd.DataFrame) -> pd.DataFrame:
    """Add a 7 kHz anchor, which X1 rates 95 on two of ten songs, L1 on one, and four other listeners on song 9."""
    anchor = table[table["system"] == "codecC"].assign(system="anchor70", score=45.0)
    page = anchor["item"].str.removeprefix("song").astype(int)
    high = (anchor["listener"] == "X1") & (page < OFTEN) | (anchor["listener"] == "L1") & (page == 0)
    high |= anchor["listener"].isin(["L2", "L3", "L4", "X2"]) & (page == 9)
    return pd.concat([table, anchor.assign(score=anchor["score"].where(~high, 95.0))])


@pytest.mark.parametrize(
    ("rule_name", "key", "side", "failed_shares"),
    [
        (REFERENCE, "reference", "below", {"X1": OFTEN / 10, "X2": OFTEN / 10, "L1": 0.1, "L2": 0.0}),
        (ANCHOR, "anchor", "above", {"X1": OFTEN / 9, "X2": 0.0, "L1": 1 / 9, "L2": 0.0}),
    ],
)
def test_raters_who_fail_a_control_are_counted_and_can_be_excluded(
    rule_name: str,
    key: str,
    side: str,
    failed_shares: dict[str, float],
    open_page: Open,
    add_study: Callable[..., str],
    with_anchor: pd.DataFrame,
    tmp_path: Path,
) -> None:
    above_15 = [rater for rater in ("X1", "X2") if failed_shares[rater] > 0.15]
    above_5 = ["L1", *above_15]
    study = saved(with_anchor, add_study, tmp_path)
    app = open_page("assessors.py", d=study, draws="20", all_columns="true")
    assert f"{len(above_15)} of 10 raters" in sentences(app)
    assert f"{side} 90 on {OFTEN} of {round(OFTEN / failed_shares['X1'])} items" in sentences(app)
    shown = app.dataframe[0].value.set_index("Rater")[f"{key.capitalize()} {side} 90"]
    assert shown[list(failed_shares)].to_dict() == pytest.approx(failed_shares, abs=5e-4)
    what_if = {"question": "What if they go", "rule": rule_name, "draws": "20", "random": "20"}
    app = open_page("assessors.py", d=study, **what_if)
    assert f"Excluded: {', '.join(above_15)} (" in sentences(app)
    assert f"{side} 90 on more than 15% of the items" in sentences(app)
    assert set(app.dataframe[0].value["System"]) == {"codecA", "codecB", "codecC"}
    strict = open_page("assessors.py", d=study, **{f"{key}_share": "5"}, **what_if)
    assert f"Excluded: {', '.join(above_5)}" in sentences(strict)
    with Store() as store, use_session(Session(store)):
        dataset = store.by_key(study)
        assert dataset is not None
        rule = read(f"{key} {side} 90 on more than 5%")
        assert rule == read(line_of({"rule": [rule_name], f"{key}_share": ["5"]}) or "")
        assert ruled(open_study(dataset), rule).names == tuple(above_5)


def test_an_item_whose_anchor_many_rate_high_does_not_count(
    open_page: Open, add_study: Callable[..., str], with_anchor: pd.DataFrame, tmp_path: Path
) -> None:
    study = saved(with_anchor, add_study, tmp_path)
    assert "1 of 10 items" in sentences(open_page("assessors.py", d=study, draws="20"))
    with Store() as store:
        dataset = store.by_key(study)
        assert dataset is not None
        assert mid_range_anchors(dataset) == ["anchor70"]


def test_a_mid_range_anchor_that_sounds_good_screens_nobody(
    open_page: Open, add_study: Callable[..., str], with_anchor: pd.DataFrame, tmp_path: Path
) -> None:
    is_anchor = with_anchor["system"] == "anchor70"
    key = saved(with_anchor.assign(score=with_anchor["score"].where(~is_anchor, 95.0)), add_study, tmp_path)
    app = open_page("assessors.py", d=key, draws="20")
    assert "more than 25% of the raters" in sentences(app).replace("More", "more")
    with Store() as store, use_session(Session(store)):
        dataset = store.by_key(key)
        assert dataset is not None
        found = ruled(open_study(dataset), read("anchor above 90 on more than 15%"))
    assert not found.names
    assert "more than 25%" in found.reason


def test_the_rule_on_the_mid_range_anchor_needs_one(
    add_study: Callable[..., str], table: pd.DataFrame, tmp_path: Path
) -> None:
    key = saved(table, add_study, tmp_path)  # anchor35 is the low anchor
    with Store() as store, use_session(Session(store)):
        dataset = store.by_key(key)
        assert dataset is not None
        assert mid_range_anchors(dataset) == []
        with pytest.raises(InputError, match="mid-range anchor"):
            ruled(open_study(dataset), read("anchor above 90 on more than 15%"))
