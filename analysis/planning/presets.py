"""Variances of four studies that were carried out, for who plans one of their kind and has no ratings yet."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A study's variances by the names that a plan has for them, `measured` how, on a scale of so many points from
    end to end; `items` are what its topics are, and `source` who collected the ratings.
    """

    variances: Mapping[str, float]
    points: float
    measured: str
    items: str
    source: str


def _variances(
    residual: float, rater_slope: float, item_slope: float, rater: float, item: float, rater_item: float
) -> Mapping[str, float]:
    return {
        "residual": residual,
        "rater_slope": rater_slope,
        "item_slope": item_slope,
        "rater": rater,
        "item": item,
        "rater_item": rater_item,
    }


PRESETS: dict[str, Preset] = {
    "speech": Preset(
        _variances(0.381, 0.05677, 0.0494, 0.1387, 0.05291, 0.002435),
        4.0,
        "speech quality from 1 to 5: 24 listeners in a laboratory, 50 conditions",
        "spoken sentences",
        "github.com/zequeira/DAT-R (MIT)",
    ),
    "video": Preset(
        _variances(0.3571, 0.008862, 0.03978, 0.1023, 0.3527, 0.04156),
        4.0,
        "video quality from 1 to 5: 26 viewers in a laboratory, 23 encodings of 9 videos, references left out",
        "videos",
        "NFLX public data set, github.com/Netflix/sureal (Apache 2.0)",
    ),
    "summaries": Preset(
        _variances(225.7, 20.43, 43.03, 20.43, 43.03, 16.69),
        100.0,
        "overall quality of summaries from 0 to 100: 4 reviewers, 3 systems",
        "questions about a story",
        "SQuALITY, github.com/nyu-mll/SQuALITY (CC BY 4.0)",
    ),
    "translation": Preset(
        _variances(12.21, 0.1534, 4.986, 12.5, 23.91, 13.72),
        25.0,
        "translation penalties (MQM, most are 0): 10 raters, 10 systems",
        "segments",
        "WMT 2023, github.com/google/wmt-mqm-human-evaluation (Apache 2.0)",
    ),
}
"""As `pilot` has them from these ratings; tests/analysis/study_planning/test_presets.py works them out again."""
