"""Agreement of judges against the package's alpha and kappa, loops over materialised stories, laws, and bad input."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.kappas import cohen_kappa
from analysis.agreement.ratio_intervals import ALL_EQUAL, NO_PAIRS
from analysis.comprehension.answer_levels import NO_SPREAD, ONE_STORY, resample_stories
from analysis.comprehension.answers import encode_answers
from analysis.comprehension.judge_agreement import VERDICTS, judge_agreement
from analysis.values.estimate import BootstrapSpec
from tests.analysis.comprehension.spread_of_draws import ends

FEW = BootstrapSpec(50, 5)
RECODED = {
    "nominal": "RPIN",
    "ordinal": {"R": 2, "P": 1, "I": 0, "N": 0},
    "binary": {"R": 1, "P": 1, "I": 0, "N": 0},
}


def answers_of(rows):
    story, wrote, asked, question, judge, answer = zip(*rows, strict=True)
    return encode_answers(story, wrote, asked, answer, judge, question)[0]


# Two judges: RR RP NI NN. Binary: 11 11 00 00: alpha 1. Nominal coincidences: RR 2, RP 1, PR 1, NI 1, IN 1, NN 2;
# n: R 3, P 1, I 1, N 3; differing 4 of 8; expected (64 - 9 - 1 - 1 - 9) / 7 = 44/7: alpha = 1 - 4 / (44/7) = 4/11.
# Kappa: same 2/4; chance (R 2 x 1 + P 0 x 1 + I 0 x 1 + N 2 x 1) / 16 = 1/4: (1/2 - 1/4) / (3/4) = 1/3.
# Ordinal, 2 2 | 2 1 | 0 0 | 0 0: n: four 0, one 1, three 2; ranks 2, 4.5, 6.5. Within: twice (6.5 - 4.5)² = 8.
# All ordered pairs: 2 (4 x 1 x 2.5² + 4 x 3 x 4.5² + 1 x 3 x 2²) = 2 (25 + 243 + 12) = 560: 1 - 7 x 8 / 560 = 0.9.
BY_HAND = [
    ("st"[at % 2], "A", "B", at, judge, answer)
    for at, pair in enumerate(["RR", "RP", "NI", "NN"])
    for judge, answer in zip("uv", pair, strict=True)
]


def test_by_hand():
    found = judge_agreement(answers_of(BY_HAND), FEW)
    assert found.alpha["nominal"].value == pytest.approx(4 / 11)
    assert found.alpha["ordinal"].value == pytest.approx(0.9)
    assert found.alpha["binary"].value == 1
    assert found.alpha["binary"].reason == NO_SPREAD
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.same.value, pair.same.n) == (0, 1, 0.5, 4)
    assert pair.kappa.value == pytest.approx(1 / 3)
    assert [found.by_judge.of(0)[f].value for f in "RPIN"] == [0.5, 0, 0, 0.5]
    assert [found.by_judge.of(1)[f].value for f in "RPIN"] == [0.25] * 4


# --- loops -----------------------------------------------------------------------------------------------


def slow_alpha(units, level):
    """Krippendorff 2011 from all ordered pairs of values; units: lists of values; None if undefined."""
    units = [values for values in units if len(values) > 1]
    everything = [value for values in units for value in values]
    times = Counter(everything)
    ordered = sorted(times)

    def differ(v, w):
        if level == "nominal" or v == w:
            return float(v != w)
        low, high = sorted((v, w))
        return (sum(times[x] for x in ordered if low <= x <= high) - (times[v] + times[w]) / 2) ** 2

    n = len(everything)
    within = sum(
        differ(v, w) / (len(values) - 1) for values in units for v, w in permutations(values, 2)
    ) / max(n, 1)
    between = sum(differ(v, w) for v, w in permutations(everything, 2)) / max(n * (n - 1), 1)
    return None if between == 0 else 1 - within / between


def slow_kappa(pairs):
    n = len(pairs)
    first, second = (Counter(side) for side in zip(*pairs, strict=True)) if n else (Counter(), Counter())
    chance = sum(first[x] * second[x] for x in first) / max(n, 1) ** 2
    return None if n == 0 or chance == 1 else (sum(a == b for a, b in pairs) / n - chance) / (1 - chance)


def figure(rows, name, pair=None):
    units = {}
    for *unit, judge, answer in rows:
        units.setdefault(tuple(unit), {}).setdefault(judge, answer)
    if pair is not None:
        both = [(of[pair[0]], of[pair[1]]) for of in units.values() if pair[0] in of and pair[1] in of]
        return (
            slow_kappa(both)
            if name == "kappa"
            else (sum(a == b for a, b in both) / len(both) if both else None)
        )
    metric = VERDICTS[name][0]
    of = RECODED[name]
    code = {a: at for at, a in enumerate(of)} if isinstance(of, str) else of
    return slow_alpha([[code[a] for a in by.values()] for by in units.values()], metric)


def check(estimate, rows, name, pair=None):
    crossing = [r for r in rows if r[1] != r[2]]
    expected = figure(crossing, name, pair)
    if expected is None:
        assert isnan(estimate.value)
        assert estimate.reason
        return
    assert estimate.value == pytest.approx(expected, abs=1e-9)
    stories = sorted({r[0] for r in crossing})
    drawn = []
    for weights in np.hstack([w for _, w in resample_stories(len(stories), FEW)]).T:
        copies = [
            ((story, copy), *r[1:])
            for story, times in zip(stories, weights.astype(int), strict=True)
            for copy in range(times)
            for r in crossing
            if r[0] == story
        ]
        drawn.append(figure(copies, name, pair))
    drawn = [value for value in drawn if value is not None]
    units = {s: [r[:4] for r in crossing if r[0] == s and (pair is None or r[4] in pair)] for s in stories}
    used = sum(
        any(len({r[4] for r in crossing if r[:4] == u and (pair is None or r[4] in pair)}) > 1 for u in of)
        for of in units.values()
    )
    if used < 2 or len(drawn) < FEW.draws / 2 or np.ptp(drawn) < 1e-12:
        assert isnan(estimate.low)
        assert estimate.reason
        return
    lowest = {"same": 0.0, "kappa": -1.0}.get(name, -np.inf)
    assert (estimate.low, estimate.high) == pytest.approx(ends(expected, drawn, used, lowest, 1.0), abs=1e-9)


row = some.tuples(
    some.sampled_from("stu"),
    some.sampled_from("AB"),
    some.sampled_from("ABC"),
    some.integers(0, 1),
    some.sampled_from("xyz"),
    some.sampled_from("RPIN"),
)
tables = some.lists(row, min_size=1, max_size=30)


@given(tables)
def test_all_figures_equal_loops_over_materialised_stories(rows):
    given_ = answers_of(rows)
    found = judge_agreement(given_, FEW)
    for name in VERDICTS:
        check(found.alpha[name], rows, name)
    names = sorted({r[4] for r in rows})
    assert [(p.first, p.second) for p in found.pairs] == list(combinations(range(len(names)), 2))
    for pair in found.pairs:
        of = (names[pair.first], names[pair.second])
        check(pair.same, rows, "same", of)
        check(pair.kappa, rows, "kappa", of)
    crossing = [r for r in rows if r[1] != r[2]]
    assert found.repeated == len(crossing) - len({r[:5] for r in crossing})


@settings(max_examples=15, deadline=None)
@given(some.lists(some.tuples(some.sampled_from("RPIN"), some.sampled_from("RPIN")), min_size=3, max_size=20))
def test_values_are_those_of_the_packages_alpha_and_kappa(pairs):
    rows = [
        (at % 3, "A", "B", at, j, a) for at, pair in enumerate(pairs) for j, a in zip("uv", pair, strict=True)
    ]
    found = judge_agreement(answers_of(rows), BootstrapSpec(0))
    unit = [r[3] for r in rows]
    alpha = krippendorff_alpha(unit, [RECODED["ordinal"][r[5]] for r in rows], "ordinal", BootstrapSpec(0))
    assert found.alpha["ordinal"].value == pytest.approx(alpha.value, nan_ok=True)
    first, second = zip(*pairs, strict=True)
    kappa = cohen_kappa(first, second, BootstrapSpec(0))
    assert found.pairs[0].kappa.value == pytest.approx(kappa.value, nan_ok=True)


# --- laws and bad input ----------------------------------------------------------------------------------


def test_judges_who_always_agree_have_one():
    rows = [
        (s, "A", "B", q, judge, "RPIN"[(s + q) % 4]) for s in range(5) for q in range(3) for judge in "uvw"
    ]
    found = judge_agreement(answers_of(rows), FEW)
    assert [found.alpha[name].value for name in VERDICTS] == [1, 1, 1]
    assert [pair.kappa.value for pair in found.pairs] == [1, 1, 1]


def test_judges_of_different_questions_have_no_agreement():
    rows = [("s", "A", "B", 0, "u", "R"), ("t", "A", "B", 0, "v", "N")]
    found = judge_agreement(answers_of(rows), FEW)
    assert found.alpha["nominal"].reason == NO_PAIRS
    assert found.pairs[0].kappa.reason == "no question that both judged"
    assert isnan(found.pairs[0].same.value)
    assert found.by_judge.of(1)["N"].value == 1


def test_equal_answers_have_no_agreement_beyond_chance():
    rows = [(s, "A", "B", 0, judge, "R") for s in "stu" for judge in "uv"]
    found = judge_agreement(answers_of(rows), FEW)
    assert found.alpha["binary"].reason == ALL_EQUAL
    assert found.pairs[0].kappa.reason == ALL_EQUAL
    assert found.pairs[0].same.value == 1


def test_one_story_has_no_interval():
    rows = [
        ("s", "A", "B", q, judge, "RN"[(q + (judge == "v" and q == 3)) % 2])
        for q in range(4)
        for judge in "uv"
    ]
    assert judge_agreement(answers_of(rows), FEW).alpha["nominal"].reason == ONE_STORY


def test_the_authors_own_questions_are_left_out():
    own = [("s", "A", "A", 0, "u", "R"), ("s", "A", "A", 0, "v", "N")]
    first, second = (judge_agreement(answers_of(rows), FEW) for rows in (BY_HAND, BY_HAND + own))
    assert repr(first.alpha) == repr(second.alpha)


def test_answers_of_unnamed_judges_are_left_out_and_counted():
    given_ = answers_of(BY_HAND)
    unnamed = replace(given_, judge=np.where(given_.judge == 1, -1, 0), judges=-1)
    found = judge_agreement(unnamed, FEW)
    assert (found.unnamed, found.pairs, len(found.by_judge)) == (4, (), 1)
    nobody = judge_agreement(replace(given_, judge=np.full(8, -1), judges=-1), FEW)
    assert (nobody.unnamed, len(nobody.by_judge)) == (8, 0)
    assert nobody.alpha["ordinal"].reason == NO_PAIRS


def test_no_answers_at_all():
    found = judge_agreement(encode_answers([], [], [], [])[0])
    assert found.alpha["nominal"].reason == NO_PAIRS


def test_progress_ends_at_one():
    told = []
    judge_agreement(answers_of(BY_HAND), FEW, told.append)
    assert told[-1] == 1
