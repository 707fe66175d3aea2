"""Studies of votes per grade: pages that need no names of raters work, the others say so and are not listed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.dataset import Dataset
from data.samples import votes as sample
from data.store.store import Store
from features.notices import holding_of
from features.study import open_study
from report.build import RATER_SECTIONS, available_sections
from tests.pages.conftest import sentences
from ui.visit.pages import PAGES

Open = Callable[..., AppTest]
OF_NOBODY = ("assessors.py", "standing_in.py")
OPEN = (
    "distributions.py",
    "agreement.py",
    "crowd_vs_lab.py",
    "repetitions.py",
    "systems.py",
    "items.py",
    "planning.py",
)


@pytest.fixture
def votes(add_study: Callable[..., str], tmp_path: Path) -> str:
    """Return the key of votes on 36 clips of three codecs by a crowd and a lab."""
    draw = np.random.default_rng(3)
    lines = ["clip,codec,scene,group,c1,c2,c3,c4,c5,MOS"]
    for scene in range(12):
        for codec, quality in (("opus", 3.6), ("evs", 3.2), ("amr", 2.5)):
            level = quality + draw.normal(0, 0.6)
            for group, number in (("crowd", 14), ("lab", 8)):
                given = np.clip(np.rint(draw.normal(level, 0.9, number)), 1, 5).astype(int)
                counts = ",".join(map(str, np.bincount(given, minlength=6)[1:]))
                lines.append(f"{scene} {codec}.wav,{codec},scene {scene},{group},{counts},{given.mean():.3f}")
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(lines))
    return add_study(file)


def dataset_of(key: str) -> Dataset:
    with Store() as store:
        dataset = store.by_key(key)
    assert dataset is not None
    return dataset


def test_pages_and_sections_that_compare_raters_are_not_listed(votes: str) -> None:
    dataset = dataset_of(votes)
    holding = holding_of(dataset)
    listed = {entry.script for entry in PAGES if entry.is_open_to(holding)}
    assert not listed & {*OF_NOBODY, "workers.py"}
    assert listed >= {*OPEN}
    assert not {*available_sections(open_study(dataset))} & {*RATER_SECTIONS}


@pytest.mark.parametrize("page", OF_NOBODY)
def test_pages_that_compare_raters_say_why_they_cannot(open_page: Open, votes: str, page: str) -> None:
    assert "nobody is named who gave these ratings" in sentences(open_page(page, d=votes))


@pytest.mark.parametrize("page", [*OPEN, "overview.py"])
def test_other_pages_show_figures_and_no_slots(open_page: Open, votes: str, page: str) -> None:
    app = open_page(page, d=votes)
    shown = sentences(app)
    assert "slot" not in shown.replace("rater ids are slots", "")
    assert "Not enough data" not in shown
    assert not [box for box in app.multiselect if box.label == "Exclude raters"]
    for frame in app.dataframe:
        assert "Raters" not in frame.value.columns


def test_coefficients_of_crossed_raters_are_left_out(open_page: Open, votes: str) -> None:
    app = open_page("agreement.py", d=votes, coefficients="true")
    shown = sentences(app)
    assert "no rater pairs" in shown
    names = {name for frame in app.dataframe for name in frame.value.iloc[:, 0].astype(str)}
    assert names >= {"ICC(1,1)", "ICC(1,k)"}
    assert not names & {"ICC(A,1)", "ICC(C,k)", "Conger's kappa"}


def test_an_item_has_its_mean_and_no_rater_to_open(open_page: Open, votes: str) -> None:
    app = open_page("items.py", d=votes, item="3 evs.wav")
    assert "has a MOS of" in sentences(app)
    assert not [box for box in app.selectbox if box.label == "Rater"]


def test_scores_of_systems_are_not_adjusted_for_numbered_raters(open_page: Open) -> None:
    app = open_page("systems.py", d="sample-votes")
    graded = sample.generate()
    counts = np.column_stack([graded[grade] for grade in sample.GRADES])
    means = counts @ np.arange(1, 6) / counts.sum(axis=1)
    shown = app.dataframe[0].value
    expected = [means[graded["system"] == system].mean() for system in shown["System"]]
    assert shown["Score"].tolist() == pytest.approx(expected)
    assert "severity" not in sentences(app)
