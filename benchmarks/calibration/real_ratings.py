"""Populations of real ratings that studies are resampled from; they stand beside a checkout, not in the project."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = {
    "video quality": "video_mos_nflx_public.csv",
    "speech quality": "speech_mos_lab_vs_crowd.csv",
    "summary correctness": "squality_summary_ratings.csv",
    "translation penalties": "wmt23_mqm_3raters.csv",
}


def population_file(population: str) -> Path:
    """Return the file that holds a population."""
    return FOLDER / FILES[population]


@lru_cache(maxsize=8)
def load_ratings(population: str, per_item: int) -> Floats:
    """Return scores (n, per_item) of the items that have so many ratings, of the first raters by name."""
    table = _read_table(population).drop_duplicates(["item", "rater"]).sort_values(["item", "rater"])
    several = table.groupby("item")["score"].apply(lambda scores: list(scores.iloc[:per_item]))
    return np.array([scores for scores in several if len(scores) == per_item], dtype=np.float64)


@lru_cache(maxsize=1)
def load_speech_scores() -> tuple[Floats, Floats]:
    """Return the mean score of each speech sample (n,) in the laboratory and by the crowd."""
    table = pd.read_csv(population_file("speech quality"), low_memory=False)
    table = table[table["check"].isna()]
    means = table.assign(lab=table["group"] == "lab").pivot_table("score", "item", "lab").dropna()
    return means[True].to_numpy(), means[False].to_numpy()


def _read_table(population: str) -> pd.DataFrame:
    table: Any = pd.read_csv(population_file(population), low_memory=False)
    if population == "speech quality":
        return table[(table["group"] == "lab") & table["check"].isna()]
    if population == "summary correctness":
        return table[table["measure"] == "correctness"]
    return table
