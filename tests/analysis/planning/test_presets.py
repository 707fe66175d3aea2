"""The presets' variances, worked out again from the studies that they come from."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.planning.difference import PRESETS
from analysis.planning.pilot import SOURCES, pilot
from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import components


def speech(folder: Path) -> pd.DataFrame:
    """Laboratory only; a topic is a speaker's sentence, as the clips are named."""
    rows = pd.read_csv(folder / "speech_mos_lab_vs_crowd.csv")
    rows = rows[rows["check"].isna() & (rows["group"] == "lab")]
    return rows.assign(topic=rows["item"].str.rsplit("_", n=1).str[0])


def video(folder: Path) -> pd.DataFrame:
    """References left out; an encoding is a height with a bit rate."""
    rows = pd.read_csv(folder / "video_mos_nflx_public.csv")
    rows = rows[~rows["system"].str.endswith("fps")]
    return rows.assign(system=rows["system"].str.extract(r"_(\d+_\d+)$")[0])


def summaries(folder: Path) -> pd.DataFrame:
    rows = pd.read_csv(folder / "squality_summary_ratings.csv")
    return rows[rows["measure"] == "overall"]


def translation(folder: Path) -> pd.DataFrame:
    """A topic is a segment, which each system translated once."""
    rows = pd.read_csv(folder / "wmt23_mqm_3raters.csv")
    return rows.assign(topic=rows["item"].str.split("__").str[0])


STUDIES = {"speech": speech, "video": video, "summaries": summaries, "translation": translation}


@pytest.mark.parametrize(
    "kind", ["speech", *(pytest.param(kind, marks=pytest.mark.slow) for kind in list(STUDIES)[1:])]
)
def test_the_variances_are_those_of_the_study(shared_data: Path, kind: str) -> None:
    rows = STUDIES[kind](shared_data)
    columns = (pd.factorize(rows[name])[0] for name in ("item", "rater"))
    facets = (pd.factorize(rows[name])[0] for name in ("system", "topic"))
    found = pilot(components(*columns, rows["score"].to_numpy(float), *facets, BootstrapSpec(0)))
    assert found.reason == ""
    told = {name: pytest.approx(value, rel=2e-3, abs=1e-3) for name, value in found.estimated.items()}
    assert PRESETS[kind].variances == told


def test_every_preset_has_every_variance() -> None:
    assert set(PRESETS) == set(STUDIES)
    assert all(set(preset.variances) == set(SOURCES) for preset in PRESETS.values())
