"""Studies of relevance for tests: one worked by hand, and random ones with gaps; and draws spelled out row by row."""

import numpy as np
from scipy import stats

from analysis.resampling.intervals import crossed_bootstrap_counts

TEXT, HEADLINE, HUMAN = 0, 1, 2
NAN = float("nan")


def by_hand():
    """2 raters x 2 events x 3 documents; the tests work it out in comments.

    ==== ===== ========= ==== ========= ==== =========
    .    gold  p text, headline      q text, headline
    A1   1     1         1           1         1
    A2   1     1         0           0         0
    A3   0     0         0           0         1
    B1   1     1         1           1         0
    B2   0     1         1           0         0
    B3   0     0         1           0         0
    ==== ===== ========= ==== ========= ==== =========
    """
    gold = [1, 1, 0, 1, 0, 0]
    said = {
        ("p", TEXT): [1, 1, 0, 1, 1, 0],
        ("p", HEADLINE): [1, 0, 0, 1, 1, 1],
        ("q", TEXT): [1, 0, 0, 1, 0, 0],
        ("q", HEADLINE): [1, 0, 1, 0, 0, 0],
    }
    rows = [
        (
            rater,
            "AAABBB"[place],
            "123123"[place],
            surrogate,
            answer,
            gold[place],
            20.0 if surrogate == TEXT else 5.0,
        )
        for (rater, surrogate), answers in said.items()
        for place, answer in enumerate(answers)
    ]
    names = ("rater", "event", "document", "surrogate", "judgment", "gold", "seconds")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def random_study(seed, raters=4, events=3, documents=4, rows=150, sessions=2, surrogates=3):
    """Judgments at random: with repeats, gaps, unknown gold and unknown times."""
    rng = np.random.default_rng(seed)
    study = {
        "rater": rng.integers(0, raters, rows),
        "event": rng.integers(0, events, rows),
        "document": rng.integers(0, documents, rows),
        "surrogate": rng.integers(0, surrogates, rows),
        "judgment": rng.integers(0, 2, rows).astype(float),
        "session": rng.integers(-1, sessions, rows),
        "order": rng.permutation(rows).astype(float),
        "seconds": np.where(rng.random(rows) < 0.1, NAN, rng.gamma(3, 2, rows)),
    }
    gold = np.where(rng.random((events, documents)) < 0.2, NAN, rng.integers(0, 2, (events, documents)))
    study["gold"] = gold[study["event"], study["document"]]
    return study


def without(study, *names):
    return {name: column for name, column in study.items() if name not in names}


def spelled_out(rater, unit, spec):
    """Rows in every draw, of raters and then of units, and the copy that each row's rater is."""
    raters, who = np.unique(rater, return_inverse=True)
    units, what = np.unique(unit, return_inverse=True)
    for kind in ("raters", "units"):
        if (len(raters) if kind == "raters" else len(units)) == 1:
            continue
        for of_raters, of_units in crossed_bootstrap_counts(len(raters), len(units), spec.draws, spec.seed):
            for rater_times, unit_times in zip(of_raters.astype(int), of_units.astype(int), strict=True):
                rows, copies = [], []
                for row in range(len(who)):
                    for copy in range(rater_times[who[row]] if kind == "raters" else 1):
                        for _ in range(unit_times[what[row]] if kind == "units" else 1):
                            rows.append(row)
                            copies.append(copy)
                yield np.array(rows, dtype=int), np.array(copies, dtype=int)


PLAIN = (lambda x: x, lambda x: x)
ANGLES = (
    lambda share: np.arcsin(np.sqrt(np.clip(share, 0, 1))),
    lambda angle: np.sin(np.clip(angle, 0, np.pi / 2)) ** 2,
)
LOGS = (np.log, np.exp)


def slow_interval(value, drawn, raters, units, level, scale=PLAIN):
    """Student's t around a value, from the draws of `spelled_out`."""
    forth, back = scale
    many = [n for n in (raters, units) if n > 1]
    variance = spread = 0.0
    for n, kind in zip(many, np.split(np.array(drawn), len(many)), strict=True):
        part = np.nanvar(forth(kind), ddof=1) * n / (n - 1)
        variance, spread = variance + part, spread + part**2 / (n - 1)
    half = stats.t.ppf(0.5 + level / 2, variance**2 / spread) * np.sqrt(variance)
    low, high = back(forth(value) - half), back(forth(value) + half)
    return min(low, value), max(high, value)
