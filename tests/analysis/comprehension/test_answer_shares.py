"""Cross comprehension against an example worked by hand, loops over the rows, laws, and bad input."""

from collections import defaultdict
from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.comprehension import answer_shares
from analysis.comprehension.answer_levels import (
    BOOTSTRAP,
    DELTA,
    FIGURES,
    NO_ANSWER,
    NO_SPREAD,
    ONE_STORY,
    estimate_levels,
    group_shares,
    resample_stories,
)
from analysis.comprehension.answers import Answers, encode_answers
from analysis.values.estimate import BootstrapSpec, InputError

FEW = BootstrapSpec(60, 3)

# --- by hand ---------------------------------------------------------------------------------------------

# Two judges, u and v, of two stories. Each line: story, whose summary, whose questions, answers of u, of v.
BY_HAND = [
    ("s", "A", "B", "RR", "RP"),
    ("s", "B", "A", "PN", "NN"),
    ("s", "C", "A", "RI", ""),
    ("t", "A", "B", "N", "R"),
    ("t", "A", "A", "R", "R"),
]
# u without A's own question: R R | P N | R I | N: R 3/7, P 1/7, I 1/7, N 2/7. v: R P | N N | R: R 2/5, P 1/5, N 2/5.
# Means of the judges: R (3/7 + 2/5) / 2 = 29/70, P 12/70, I 5/70, N 24/70; R + P 41/70; found 46/70.
# A's summaries: u R R N: R 2/3, N 1/3; v R P R: R 2/3, P 1/3: R 2/3, P 1/6, N 1/6.
# C's summary, judged by u alone: R 1/2, I 1/2.
# A's questions: u P N R I, a quarter each; v N N: R 1/8, P 1/8, I 1/8, N 5/8.


def rows_of(lines):
    """(story, summary author, question author, question, judge, answer) of each letter."""
    return [
        (story, wrote, asked, place, judge, answer)
        for story, wrote, asked, *by_judge in lines
        for judge, answers in zip("uv", by_judge, strict=True)
        for place, answer in enumerate(answers)
    ]


def shares_of(rows, bootstrap=FEW):
    story, wrote, asked, question, judge, answer = zip(*rows, strict=True)
    return answer_shares.shares(story, wrote, asked, answer, judge, bootstrap, question)


def test_shares_by_hand():
    found = shares_of(rows_of(BY_HAND))
    expected = {"R": 29, "P": 12, "I": 5, "N": 24, "R+P": 41, "found": 46}
    assert {f: e.value for f, e in found.overall.items()} == pytest.approx(
        {f: n / 70 for f, n in expected.items()}
    )
    of_a = found.by_summary_author["A"]
    assert [of_a[f].value for f in FIGURES] == pytest.approx([2 / 3, 1 / 6, 0, 1 / 6, 5 / 6, 5 / 6])
    assert [found.by_summary_author["C"][f].value for f in "RPIN"] == [0.5, 0, 0.5, 0]
    assert [found.by_question_author["A"][f].value for f in "RPIN"] == pytest.approx(
        [1 / 8, 1 / 8, 1 / 8, 5 / 8]
    )
    assert set(found.by_question_author) == {"A", "B"}
    assert (found.set_aside, found.stories, found.judges) == (2, 2, 2)
    assert found.overall["R"].n == 7
    assert of_a["R"].n == 3
    assert found.levels.overall.counts.tolist() == [[5, 2, 1, 4]]


def test_pairs_by_hand():
    found = shares_of(rows_of(BY_HAND))
    assert [found.by_pair["A", "B"][f].value for f in "RPIN"] == pytest.approx([2 / 3, 1 / 6, 0, 1 / 6])
    assert [found.by_pair["B", "A"][f].value for f in "RPIN"] == pytest.approx([0, 1 / 4, 0, 3 / 4])
    never = found.by_pair["A", "C"]["R"]
    assert (isnan(never.value), never.n, never.reason) == (True, 0, NO_ANSWER)
    assert all(isnan(found.by_pair[author, author]["found"].value) for author in "ABC")
    pairs = answer_shares.shares_by_pair(found.answers, FEW)
    assert pairs.matrix("found")[1].tolist() == pytest.approx([0.25, nan, nan], nan_ok=True)


def test_a_judge_who_did_more_counts_no_more():
    rows = [("s", "A", "B", q, "u", "R") for q in range(9)] + [("t", "A", "B", 0, "v", "N")]
    assert shares_of(rows).overall["R"].value == 0.5


# --- loops over the rows ---------------------------------------------------------------------------------


def slow_shares(rows):
    """Shares by figure of rows (…, judge, answer), or None where there are none."""
    by_judge = defaultdict(list)
    for *_, judge, answer in rows:
        by_judge[judge].append(answer)
    if not by_judge:
        return None
    found = {
        a: sum(given.count(a) / len(given) for given in by_judge.values()) / len(by_judge) for a in "RPIN"
    }
    return [*found.values(), found["R"] + found["P"], found["R"] + found["P"] + found["I"]]


def slow_intervals(rows, belongs, spec):
    """Student's t around the shares of the rows that belong, on angles, and their spread with all stories written out
    as often as drawn."""
    crossing = [row for row in rows if row[1] != row[2]]
    names = sorted({row[0] for row in crossing})
    drawn = []
    for weights in np.hstack([w for _, w in resample_stories(len(names), spec)]).T:
        times = dict(zip(names, weights.astype(int), strict=True))
        shares = slow_shares([row for row in crossing if belongs(row) for _ in range(times[row[0]])])
        if shares is not None:
            drawn.append(shares)
    stories = len({row[0] for row in crossing if belongs(row)})
    if stories < 2 or len(drawn) < spec.draws / 2:
        return None
    value = np.clip(slow_shares([row for row in crossing if belongs(row)]), 0, 1)
    angles = np.arcsin(np.sqrt(np.clip(drawn, 0, 1)))
    error = angles.std(axis=0, ddof=1) * np.sqrt(stories / (stories - 1))
    half = stats.t.ppf(0.5 + spec.level / 2, stories - 1) * error
    centre = np.arcsin(np.sqrt(value))
    ends = [np.sin(np.clip(centre + side * half, 0, np.pi / 2)) ** 2 for side in (-1, 1)]
    return np.array(ends), np.ptp(drawn, axis=0)


row = some.tuples(
    some.sampled_from("stuw"),
    some.sampled_from("ABC"),
    some.sampled_from("ABC"),
    some.integers(0, 2),
    some.sampled_from("xy"),
    some.sampled_from("RPIN"),
)
tables = some.lists(row, min_size=1, max_size=25, unique_by=lambda r: r[:5])


def check(estimates, rows, belongs):
    expected = slow_shares([r for r in rows if r[1] != r[2] and belongs(r)])
    if expected is None:
        assert all(isnan(e.value) and e.reason == NO_ANSWER for e in estimates.values())
        return
    assert [estimates[f].value for f in FIGURES] == pytest.approx(expected, abs=1e-12)
    assert estimates["R"].n == len({r[:4] for r in rows if r[1] != r[2] and belongs(r)})
    slow = slow_intervals(rows, belongs, FEW)
    for at, estimate in enumerate(estimates.values()):
        if slow is None or slow[1][at] < 1e-12:
            assert isnan(estimate.low)
            assert isnan(estimate.high)
            assert estimate.reason
        else:
            low, high = slow[0][:, at]
            assert estimate.low == pytest.approx(min(low, estimate.value), abs=1e-9)
            assert estimate.high == pytest.approx(max(high, estimate.value), abs=1e-9)
            assert estimate.reason == ""


@given(tables)
def test_shares_and_intervals_equal_loops_over_materialised_stories(rows):
    found = shares_of(rows)
    check(found.overall, rows, lambda r: True)
    for author in found.by_summary_author:
        check(found.by_summary_author[author], rows, lambda r, a=author: r[1] == a)
    for author in found.by_question_author:
        check(found.by_question_author[author], rows, lambda r, a=author: r[2] == a)
    for wrote, asked in found.by_pair:
        check(found.by_pair[wrote, asked], rows, lambda r, w=wrote, a=asked: r[1:3] == (w, a))


@settings(max_examples=15, deadline=None)
@given(tables)
def test_story_types_equal_loops_over_materialised_stories(rows):
    study = shares_of(rows)
    answers = study.answers
    kind = {"s": 0, "t": 0, "u": 1, "w": -1}
    found = answer_shares.shares_by_story_type(answers, [kind[s] for s in study.names.stories.tolist()], FEW)
    crossing = [r for r in rows if r[1] != r[2]]
    assert found.unknown == sum(r[0] == "w" for r in crossing)
    for code in range(len(found.levels)):
        check(found.levels.of(code), rows, lambda r, code=code: kind[r[0]] == code)
    sides = [slow_shares([r for r in crossing if kind[r[0]] == code]) for code in (0, 1)]
    if (0, 1) in found.differences and None not in sides:
        for at, figure in enumerate(FIGURES):
            assert found.differences[0, 1][figure].value == pytest.approx(sides[0][at] - sides[1][at])


@settings(max_examples=20, deadline=None)
@given(tables)
def test_the_share_of_a_single_summary_equals_a_loop(rows):
    study = shares_of(rows)
    answers = study.answers
    stories, authors = study.names.stories.tolist(), study.names.authors.tolist()
    for s, story in enumerate(stories):
        for a, author in enumerate(authors):
            one = [r for r in rows if r[:2] == (story, author) and r[2] != author]
            expected = slow_shares(one)
            found = answer_shares.shares_of_summaries(answers, [s], [a])
            assert found == pytest.approx([nan if expected is None else expected[5]], nan_ok=True)
    assert np.isnan(answer_shares.shares_of_summaries(answers, [0, 99], [99, 0])).all()


# --- laws ------------------------------------------------------------------------------------------------


def everything(found):
    """All estimates of all groups, by sorted names."""
    return [
        repr(estimate)
        for part in (found.overall, *found.by_summary_author.values(), *found.by_question_author.values())
        for estimate in part.values()
    ]


@given(tables)
def test_shares_sum_to_one_and_intervals_hold_their_share(rows):
    found = shares_of(rows)
    for part in (found.overall, *found.by_summary_author.values(), *found.by_pair.values()):
        if part["R"].defined:
            assert sum(part[f].value for f in "RPIN") == pytest.approx(1)
            assert part["found"].value == pytest.approx(1 - part["N"].value)
            assert part["R+P"].value == pytest.approx(part["R"].value + part["P"].value)
        for estimate in part.values():
            assert bool(estimate.reason) == isnan(estimate.low) == isnan(estimate.high)
            if not estimate.reason:
                assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@settings(max_examples=15, deadline=None)
@given(tables, some.randoms())
def test_order_and_names_change_nothing(rows, random):
    renamed = [
        (ord(s), "author " + w, "author " + a, q, {"x": "z", "y": "y"}[j], answer.lower())
        for s, w, a, q, j, answer in rows
    ]
    random.shuffle(renamed)
    first, second = shares_of(rows), shares_of(renamed)
    for one, two in zip(
        [first.overall, *first.by_summary_author.values(), *first.by_question_author.values()],
        [second.overall, *second.by_summary_author.values(), *second.by_question_author.values()],
        strict=True,
    ):
        for figure in FIGURES:
            mine, other = one[figure], two[figure]
            assert (mine.value, mine.low, mine.high) == pytest.approx(
                (other.value, other.low, other.high), nan_ok=True, abs=1e-12
            )
            assert mine.n == other.n


@settings(max_examples=15, deadline=None)
@given(tables)
def test_a_judge_doubled_changes_nothing(rows):
    rows = [r for r in rows if r[4] == "x"] or rows[:1]
    doubled = rows + [(*r[:4], "double", r[5]) for r in rows]
    once, twice = shares_of(rows), shares_of(doubled)
    assert everything(once) == everything(twice)


@settings(max_examples=15, deadline=None)
@given(tables)
def test_own_questions_change_only_what_is_set_aside(rows):
    own = [(s, author, author, 0, "x", "R") for s in ("s", "another") for author in "ABC"]
    present = {r[1] for r in rows} & {r[2] for r in rows}
    own = [r for r in own if r[1] in present]
    rows = [r for r in rows if r[1] != r[2]] or [("s", "A", "B", 0, "x", "R")]
    own = [r for r in own if r[1] in {r[1] for r in rows} & {r[2] for r in rows}]
    with_own = shares_of(rows + own)
    assert with_own.set_aside == len(own)
    assert everything(with_own) == everything(shares_of(rows))


def test_without_question_ids_the_kth_answer_is_to_the_kth_question():
    rows = rows_of(BY_HAND)
    story, wrote, asked, _, judge, answer = zip(*rows, strict=True)
    assert everything(answer_shares.shares(story, wrote, asked, answer, judge, FEW)) == everything(
        shares_of(rows)
    )


def test_without_judges_there_is_one():
    found = answer_shares.shares(["s", "t"], ["A", "A"], ["B", "B"], ["R", "N"], bootstrap=FEW)
    assert found.judges == 1
    assert found.overall["R"].value == 0.5


def test_answers_without_a_named_judge_are_one_judge_more():
    rows = rows_of([("s", "A", "B", "RR", "NN"), ("t", "A", "B", "RN", "RR")])
    given_ = shares_of(rows).answers
    unnamed = replace(given_, judge=np.where(given_.judge == 1, -1, given_.judge), judges=-1)
    mine, other = answer_shares.shares_by_code(given_, FEW), answer_shares.shares_by_code(unnamed, FEW)
    assert mine.overall.value.tolist() == other.overall.value.tolist()
    assert unnamed.to_others.unnamed == 4


def test_the_same_seed_gives_the_same_interval_and_another_another():
    rows = [
        (s, w, a, 0, "x", "RPIN"[(s * 7 + ord(w) * 3 + ord(a)) % 4])
        for s in range(12)
        for w in "ABC"
        for a in "ABC"
    ]
    assert everything(shares_of(rows)) == everything(shares_of(rows))
    other = shares_of(rows, BootstrapSpec(60, 4))
    assert everything(shares_of(rows)) != everything(other)


def test_without_draws_there_are_shares_and_no_intervals():
    found = shares_of(rows_of(BY_HAND), BootstrapSpec(0)).overall["R"]
    assert found.value == pytest.approx(29 / 70)
    assert isnan(found.low)


def many(stories, seed=0):
    """Two authors, two judges of whom one judged every third story only, answers that depend on the story."""
    rng = np.random.default_rng(seed)
    story = np.repeat(np.arange(stories), 12)
    place = np.tile(np.arange(12), stories)
    judge = place // 6
    kept = (judge == 0) | (story % 3 == 0)
    level = rng.normal(size=stories)[story] + rng.normal(size=len(story))
    answer = np.digitize(-level, [-0.3, 0.2, 0.8])
    return Answers(
        story=story[kept],
        summary_author=(place % 2)[kept],
        question_author=(1 - place % 2)[kept],
        question=(place % 6)[kept],
        judge=judge[kept],
        answer=answer[kept].astype(np.int64),
    )


def test_the_delta_method_of_many_stories_says_what_draws_say(monkeypatch):
    answers, types = many(600), np.arange(600) % 2
    spec = BootstrapSpec(2000)
    drawn = answer_shares.shares_by_code(answers, spec).overall
    drawn_apart = answer_shares.shares_by_story_type(answers, types, spec).differences[0, 1]
    monkeypatch.setattr("analysis.comprehension.answer_levels.MOST_RESAMPLED", 100)
    delta = answer_shares.shares_by_code(answers, spec).overall
    apart = answer_shares.shares_by_story_type(answers, types, spec).differences[0, 1]
    assert (drawn.method, delta.method) == (BOOTSTRAP, DELTA)
    assert delta.value.tolist() == drawn.value.tolist()
    assert (delta.high - delta.low) == pytest.approx(drawn.high - drawn.low, rel=0.08)
    for figure in FIGURES:
        width = apart[figure].high - apart[figure].low
        assert width == pytest.approx(drawn_apart[figure].high - drawn_apart[figure].low, rel=0.08)


def test_blocks_of_draws_change_nothing_and_progress_ends_at_one(monkeypatch):
    told = []
    whole = answer_shares.shares_by_code(many(20), FEW)
    monkeypatch.setattr("analysis.comprehension.answer_levels.BLOCK", 150)
    parts = answer_shares.shares_by_code(many(20), FEW, told.append)
    assert parts.overall.low.tolist() == whole.overall.low.tolist()
    assert told[-1] == 1
    assert len(told) > 2


def test_groups_worked_out_in_parts_are_the_same(monkeypatch):
    told = []
    whole = answer_shares.shares_by_pair(many(20), FEW).levels
    monkeypatch.setattr("analysis.comprehension.answer_levels.MOST_SAMPLES", 60 * 6 * 3)
    parts = answer_shares.shares_by_pair(many(20), FEW, told.append).levels
    assert told == [0.5, 1]
    for name in ("value", "low", "high", "counts", "questions", "stories", "judges"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name), equal_nan=True)
    assert whole.reason.tolist() == parts.reason.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("stories", "least"), [(6, 0.92), (12, 0.92), (51, 0.92)])
def test_intervals_cover(stories, least):
    """Four authors, stories and questions with a spread of their own; the truth is that of 40,000 stories."""

    def study(n, rng):
        story, wrote, asked, k = (
            x.ravel() for x in np.meshgrid(range(n), range(4), range(4), range(4), indexing="ij")
        )
        kept = (wrote != asked) & (k < rng.integers(2, 5, (n, 4))[story, asked])
        ease = rng.normal(size=n)[story] + rng.normal(size=(n, 4, 4))[story, asked, k]
        answer = np.where(rng.random(len(story)) < 1 / (1 + np.exp(-0.45 - ease)), 0, 3)
        judge = np.zeros(len(story), dtype=np.int64)
        return Answers(*(each[kept] for each in (story, wrote, asked, k, judge, answer)))

    rng = np.random.default_rng(1)
    large = study(40_000, rng)
    truth = group_shares(large, np.zeros(len(large), dtype=np.int64), 1)[0, 0]
    hits = 0
    for seed in range(300):
        small = study(stories, rng)
        group = np.zeros(len(small), dtype=np.int64)
        found = estimate_levels(small, group, 1, BootstrapSpec(500, seed)).estimate(0, "R")
        hits += found.low <= truth <= found.high
    assert hits / 300 >= least


# --- published -------------------------------------------------------------------------------------------

# Table 3 of the paper: the summary by A, the questions of B, C and D.
TABLE_3 = [("B", "NRIP"), ("C", "RR"), ("D", "RRN")]


def test_the_papers_own_sample():
    rows = [
        ("love", "A", asked, at, "x", answer)
        for asked, answers in TABLE_3
        for at, answer in enumerate(answers)
    ]
    found = shares_of(rows)
    assert [found.overall[f].value for f in FIGURES] == pytest.approx(
        [5 / 9, 1 / 9, 1 / 9, 2 / 9, 6 / 9, 7 / 9]
    )
    assert found.by_question_author["C"]["R"].value == 1
    assert found.overall["R"].reason == ONE_STORY


# --- bad input -------------------------------------------------------------------------------------------


def test_one_author_who_answers_the_own_questions_has_no_shares():
    found = answer_shares.shares(["s", "t"], ["A", "A"], ["A", "A"], ["R", "N"], bootstrap=FEW)
    assert found.set_aside == 2
    assert found.stories == 0
    for estimate in (found.overall["R"], found.by_summary_author["A"]["found"], found.by_pair["A", "A"]["N"]):
        assert isnan(estimate.value)
        assert estimate.reason == NO_ANSWER


def test_one_story_has_shares_and_no_interval():
    found = answer_shares.shares(["s"] * 4, list("AABB"), list("BBAA"), list("RPIN"), bootstrap=FEW)
    assert found.overall["R"].value == 0.25
    assert isnan(found.overall["R"].low)
    assert found.overall["R"].reason == ONE_STORY


def test_equal_answers_have_no_interval():
    found = answer_shares.shares(["s", "t", "u"], ["A"] * 3, ["B"] * 3, ["R"] * 3, bootstrap=FEW)
    assert found.overall["R"].value == 1
    assert found.overall["R"].reason == NO_SPREAD
    assert isnan(found.overall["R"].high)


def test_judges_of_different_questions_count_alike():
    rows = [("s", "A", "B", 0, "u", "R"), ("t", "A", "B", 0, "v", "N"), ("t", "B", "A", 0, "v", "R")]
    found = shares_of(rows)
    assert found.overall["R"].value == 0.75
    assert found.judges == 2


def test_no_answers_at_all():
    found = answer_shares.shares([], [], [], [])
    assert found.overall["R"].reason == NO_ANSWER
    assert found.by_summary_author == {}
    assert found.by_pair == {}
    assert answer_shares.shares_by_story_type(found.answers, []).differences == {}
    assert np.isnan(answer_shares.shares_of_summaries(found.answers, [0], [0])).all()


@pytest.mark.parametrize("bad", ["X", "", "RP", 1])
def test_another_answer_is_named(bad):
    with pytest.raises(InputError, match=f"`answer` must be R, P, I or N, got '{bad}'"):
        answer_shares.shares(["s", "s"], ["A", "A"], ["B", "B"], ["R", bad])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"story": ["s"]}, "`summary_author` must have one entry per answer, 1"),
        ({"summary_author": [["A"], ["B"]]}, "`summary_author` must have one entry"),
        ({"question_author": ["B", None]}, "`question_author` has no value at position 1"),
        ({"question_author": [1, 2]}, "ids of one kind"),
        ({"judge": [1.0, nan]}, "`judge` has no value at position 1"),
        ({"answer": ["R"]}, "`answer` must have one entry"),
        ({"question": [1, 2, 3]}, "`question` must have one entry"),
    ],
)
def test_bad_arrays_are_reported(change, told):
    rows = {
        "story": ["s", "t"],
        "summary_author": ["A", "B"],
        "question_author": ["B", "A"],
        "answer": ["R", "N"],
    }
    with pytest.raises(InputError, match=told):
        answer_shares.shares(**{**rows, **change})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"answer": np.array([0, 4])}, "`answer` must be a place in"),
        ({"answer": np.array([0, -1])}, "`answer` must be codes from 0"),
        ({"story": np.array([-1, 0])}, "`story` must be codes from 0"),
        ({"question": np.array([0])}, "`question` needs one code per answer, 2"),
    ],
)
def test_bad_codes_are_reported(change, told):
    answers, _ = encode_answers(["s", "t"], ["A", "B"], ["B", "A"], ["R", "N"])
    with pytest.raises(InputError, match=told):
        replace(answers, **change)


def test_bad_groups_figures_and_types_are_reported():
    answers, _ = encode_answers(["s", "t"], ["A", "B"], ["B", "A"], ["R", "N"])
    with pytest.raises(InputError, match="`group` needs a code for each answer"):
        estimate_levels(answers, np.array([0]), 1)
    with pytest.raises(InputError, match="`figure` must be one of"):
        answer_shares.shares_of_summaries(answers, [0], [0], "X")
    with pytest.raises(InputError, match="`story_type` needs one code per story, 2"):
        answer_shares.shares_by_story_type(answers, [0])
