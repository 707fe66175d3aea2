"""Make crowdkit_numbers.json: what the package crowd-kit finds on two sets of real labels and on simulated ones.

Run in an environment of its own, as the package is no dependency of the project, not even for tests:

    python -m venv crowdkit && crowdkit/bin/pip install --no-deps crowd-kit==1.4.2
    crowdkit/bin/pip install numpy pandas scipy scikit-learn attrs tqdm nltk
    crowdkit/bin/python tests/reference/crowdkit_numbers.py ../shared/data

With `--seconds` instead of the folder it prints how long GLAD takes on the 20,000 votes of the benchmark, in seconds
of the processor, so that other work on the machine does not count.
"""

import json
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

REAL = ("choice2_sentiment_timed", "choice4_website_gold")
SIMULATED = {
    "simulated, 2 options": {"seed": 1, "items": 150, "raters": 25, "options": 2, "judged": 7},
    "simulated, 5 options": {"seed": 2, "items": 200, "raters": 30, "options": 5, "judged": 6},
}
TIMED = {"seed": 3, "items": 1000, "raters": 100, "options": 2, "judged": 20}
TO_THE_END = ("choice4_website_gold", "simulated, 5 options")


def simulated(seed, items, raters, options, judged):
    """Votes from GLAD's own model, each item judged by `judged` raters: codes of item, rater, label; the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, options, items)
    ability, beta = rng.normal(1, 1, raters), rng.normal(1, 1, items)
    rater = np.argsort(rng.random((items, raters)), axis=1)[:, :judged].ravel()
    item = np.repeat(np.arange(items), judged)
    right = rng.random(len(item)) < 1 / (1 + np.exp(-ability[rater] * np.exp(beta)[item]))
    wrong = (truth[item] + rng.integers(1, options, len(item))) % options
    return item, rater, np.where(right, truth[item], wrong), truth, ability, -beta


def read(path):
    import pandas as pd

    rows = pd.read_csv(path, dtype=str)
    return pd.DataFrame({"task": rows["item"], "worker": rows["rater"], "label": rows["label"]})


def frame(item, rater, label):
    import pandas as pd

    return pd.DataFrame({"task": item.astype(str), "worker": rater.astype(str), "label": label.astype(str)})


def glad(votes, **how):
    from crowdkit.aggregation.classification.glad import GLAD

    found = GLAD(**how).fit(votes)
    return {
        "label": found.labels_.to_dict(),
        "ability": found.alphas_.round(9).to_dict(),
        "beta": found.betas_.round(9).to_dict(),
        "iterations": len(found.loss_history_),
    }


def dawid_skene(votes):
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    found = DawidSkene().fit(votes)
    diagonal = {
        worker: {label: rows.get((worker, label), 0.0) for label in found.errors_.columns}
        for worker, rows in (
            (worker, {(worker, label): round(float(errors.loc[label, label]), 9) for label in errors.index})
            for worker, errors in ((name, part.droplevel(0)) for name, part in found.errors_.groupby(level=0))
        )
    }
    return {
        "label": found.labels_.to_dict(),
        "prior": found.priors_.round(9).to_dict(),
        "diagonal": diagonal,
        "iterations": len(found.loss_history_),
    }


def seconds():
    from crowdkit.aggregation.classification.glad import GLAD

    votes = frame(*simulated(**TIMED)[:3])
    model = GLAD()
    start = time.process_time()
    model.fit(votes)
    return time.process_time() - start


def main(folder):
    data = {name: read(folder / f"{name}.csv") for name in REAL}
    data |= {name: frame(*simulated(**how)[:3]) for name, how in SIMULATED.items()}
    exact = {"n_iter": 40, "tol": -1.0, "m_step_max_iter": 200, "m_step_tol": 1e-6}
    told = {
        "made by": "tests/reference/crowdkit_numbers.py",
        "versions": {name: version(name) for name in ("crowd-kit", "numpy", "scipy", "pandas")}
        | {"python": platform.python_version()},
        "machine": {
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
        },
        "seconds of GLAD on 20,000 votes": sorted(round(seconds(), 3) for _ in range(5)),
        "GLAD": {name: glad(votes) for name, votes in data.items()},
        "GLAD, 40 iterations": {name: glad(data[name], **exact) for name in TO_THE_END},
        "Dawid-Skene": {name: dawid_skene(votes) for name, votes in data.items()},
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--seconds":
        print(seconds())  # noqa: T201
    else:
        main(Path(sys.argv[1]))
