"""Make sureal_numbers.json: what the package sureal finds in video_mos_nflx_public.csv.

Run in an environment of its own, as the package is no dependency of the project, not even for tests:

    python -m venv sureal && sureal/bin/pip install sureal==0.9.0
    sureal/bin/python tests/reference/sureal_numbers.py ../shared/data/video_mos_nflx_public.csv
"""

import csv
import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from sureal import BT500Model, MosModel, P910AnnexEModel, P913124Model
from sureal.dataset_reader import RawDatasetReader
from sureal.subjective_model import BiasremvMosModel, SubjectMLEModelProjectionSolver


def reader(path, missing=0):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = sorted({row["item"] for row in rows})
    raters = sorted({row["rater"] for row in rows})
    scores = np.full((len(items), len(raters)), np.nan)
    for row in rows:
        scores[items.index(row["item"]), raters.index(row["rater"])] = float(row["score"])
    if missing:
        place = np.arange(scores.size).reshape(scores.shape)
        scores[place % missing == 0] = np.nan
    videos = [
        {"content_id": 0, "asset_id": number, "path": item, "os": [float(score) for score in scores[number]]}
        for number, item in enumerate(items)
    ]
    dataset = SimpleNamespace(
        dataset_name="nflx",
        yuv_fmt="yuv420p",
        width=1,
        height=1,
        ref_videos=[{"content_id": 0, "path": "reference"}],
        dis_videos=videos,
    )
    return items, raters, RawDatasetReader(dataset)


def numbers(model, dataset):
    found = model(dataset).run_modeling()
    wanted = (
        "quality_scores",
        "quality_scores_std",
        "observer_bias",
        "observer_bias_std",
        "observer_inconsistency",
        "observer_inconsistency_ci95",
        "observer_rejected",
        "observer_rejected_1st_stats",
        "observer_rejected_2nd_stats",
    )
    return {name: np.asarray(found[name]).tolist() for name in wanted if name in found}


def main(path):
    items, raters, dataset = reader(path)
    models = {
        "mos": MosModel,
        "bt500": BT500Model,
        "bias removed": BiasremvMosModel,
        "p913": P913124Model,
        "p910": P910AnnexEModel,
        "fisher": SubjectMLEModelProjectionSolver,
    }
    packages = ("sureal", "numpy", "scipy")
    _, _, holes = reader(path, missing=7)
    told = {
        "made by": "tests/reference/sureal_numbers.py",
        "versions": {name: version(name) for name in packages} | {"python": sys.version.split()[0]},
        "data": path.name,
        "items": items,
        "raters": raters,
        "complete": {name: numbers(model, dataset) for name, model in models.items()},
        "every 7th missing": {
            name: numbers(models[name], holes) for name in ("bias removed", "p910", "fisher")
        },
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
