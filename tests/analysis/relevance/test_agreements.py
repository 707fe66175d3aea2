"""Agreement with gold and with the rater's own judgment: by hand, against slow loops, laws, bad input, the paper."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import special, stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from analysis.relevance import agreements, rater_pairs
from analysis.relevance.agreements import agreement, paper_kappa, relevance_prediction
from analysis.relevance.judgments import Judgments, own_full_text
from analysis.relevance.rater_pairs import compare_agreements, compare_agreements_by_event
from analysis.values.estimate import BootstrapSpec, Estimate, InputError
from tests.analysis.relevance.relevance_studies import (
    ANGLES,
    HEADLINE,
    LOGS,
    PLAIN,
    TEXT,
    by_hand,
    random_study,
    slow_interval,
    spelled_out,
    without,
)

NONE = BootstrapSpec(draws=0)
FEW = BootstrapSpec(draws=30, seed=3)
FIGURES = ("accuracy", "precision", "recall", "f_score", "kappa")
PERSONAL = ("rater", "event", "document", "surrogate", "judgment")


def figures(found):
    return [getattr(found, name).value for name in FIGURES]


def counts(found):
    return found.tp, found.tn, found.fp, found.fn


def test_a_study_worked_by_hand():
    # headline against gold, documents A1 A2 A3 B1 B2 B3 (TP = judged 1, is 1; FN = judged 0, is 1 ...)
    # p: TP FN TN TP FP FP: 2 TP 1 TN 2 FP 1 FN, 3 of 6 right     q: TP FN FP FN TN TN: 1 2 1 2, 3 of 6 right
    # headline against the own judgment of the full text
    # p: TP FN TN TP TP FP: 3 TP 1 TN 1 FP 1 FN, 4 of 6 right     q: TP TN FP FN TN TN: 1 3 1 1, 4 of 6 right
    study = by_hand()
    found = compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=NONE)
    assert counts(found.ldc[HEADLINE]) == (3, 3, 3, 3)
    assert counts(found.prediction[HEADLINE]) == (4, 4, 2, 2)
    # kappa, p: P_A = 4/6, says yes 4 of 6 and so does its truth: P_E = (16 + 4)/36 = 5/9, (2/3 - 5/9)/(4/9) = 1/4
    # q: P_A = 4/6, yes 2 of 6 both times: P_E = (4 + 16)/36, kappa 1/4 too. Against gold: P_A = P_E = 1/2, kappa 0
    assert figures(found.ldc[HEADLINE]) == pytest.approx([1 / 2, 1 / 2, 1 / 2, 1 / 2, 0])
    assert figures(found.prediction[HEADLINE]) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2 / 3, 1 / 4])
    # full text against gold: p differs on B2 (FP), q on A2 (FN)
    assert counts(found.ldc[TEXT]) == (5, 5, 1, 1)
    assert found.prediction[TEXT].reason == rater_pairs.IS_FULL_TEXT
    # both raters gain 4/6 - 3/6 = 1/6, so there is nothing to test against
    difference = found.difference[HEADLINE]
    assert difference.difference.value == pytest.approx(1 / 6)
    assert difference.reason == rater_pairs.EQUAL_DIFFERENCES
    assert isnan(difference.p)
    assert [time.value for time in found.seconds] == [20, 5]
    assert found.seconds_saved[HEADLINE].value == 15
    assert found.ldc_lost[HEADLINE].value == pytest.approx(10 / 12 - 6 / 12)
    assert found.prediction_lost[HEADLINE].value == pytest.approx(4 / 12)
    assert found.ldc_lost[TEXT].reason == found.prediction_lost[TEXT].reason == rater_pairs.IS_FULL_TEXT
    assert (found.raters, found.events, found.documents) == (2, 2, 6)
    # event A alone against gold: p TP FN TN, q TP FN FP
    of_event = compare_agreements_by_event(Judgments(**study), full_text=TEXT, bootstrap=NONE)
    assert counts(of_event["A"].ldc[HEADLINE]) == (2, 1, 1, 2)


def slow(rater, judged, truth):
    """Counts and figures of rows, by loops; each rater has its own kappa by statsmodels."""
    known = [row for row in range(len(judged)) if not isnan(truth[row])]
    tp = sum(judged[row] == 1 and truth[row] == 1 for row in known)
    tn = sum(judged[row] == 0 and truth[row] == 0 for row in known)
    fp = sum(judged[row] == 1 and truth[row] == 0 for row in known)
    fn = sum(judged[row] == 0 and truth[row] == 1 for row in known)
    kappas = []
    for who in sorted({rater[row] for row in known}):
        table = np.zeros((2, 2))
        for row in known:
            if rater[row] == who:
                table[int(judged[row]), int(truth[row])] += 1
        if table[0, 0] < table.sum() and table[1, 1] < table.sum():
            kappas.append(cohens_kappa(table, return_results=False))
    found = [
        (tp + tn) / len(known) if known else nan,
        tp / (tp + fp) if tp + fp else nan,
        tp / (tp + fn) if tp + fn else nan,
        tp / (tp + (fp + fn) / 2) if tp + fp + fn else nan,
        sum(kappas) / len(kappas) if kappas else nan,
    ]
    return (tp, tn, fp, fn), found, len(kappas)


def slow_own(study, text=TEXT):
    """Each judgment's own full-text judgment, by looking through all rows."""
    found = []
    for row in range(len(study["judgment"])):
        same = [
            other
            for other in range(len(study["judgment"]))
            if study["surrogate"][other] == text
            and all(study[name][other] == study[name][row] for name in ("rater", "event", "document"))
        ]
        same.sort(key=lambda other: study["order"][other])
        sitting = [other for other in same if study["session"][other] == study["session"][row]]
        which = sitting or same
        found.append(study["judgment"][which[0]] if which and study["surrogate"][row] != text else nan)
    return np.array(found)


@given(some.integers(0, 10**6), some.integers(1, 5), some.integers(1, 3), some.integers(1, 120))
def test_both_agreements_equal_slow_loops(seed, raters, events, rows):
    study = random_study(seed, raters, events, rows=rows)
    own = own_full_text(Judgments(**study), TEXT)
    np.testing.assert_array_equal(own, slow_own(study))
    found = compare_agreements(Judgments(**study, surrogates=range(3)), full_text=TEXT, bootstrap=NONE)
    for side, truth in ((found.ldc, study["gold"]), (found.prediction, own)):
        for place in range(3):
            at = study["surrogate"] == place
            expected, values, kappas = slow(study["rater"][at], study["judgment"][at], truth[at])
            assert counts(side[place]) == expected
            assert figures(side[place]) == pytest.approx(values, nan_ok=True, abs=1e-12)
            assert side[place].kappa.n == kappas
            assert side[place].n + side[place].set_aside == at.sum()
            for name in FIGURES:
                estimate = getattr(side[place], name)
                assert estimate.defined == (estimate.reason == "")
    for place in range(3):
        at = study["surrogate"] == place
        times = study["seconds"][at]
        times = times[~np.isnan(times)]
        assert found.seconds[place].n == len(times)
        assert found.seconds[place].value == pytest.approx(times.mean() if len(times) else nan, nan_ok=True)


@pytest.mark.parametrize(
    ("seed", "raters", "events"), [(0, 4, 3), (1, 5, 4), (2, 4, 1), (3, 1, 3)], ids=lambda value: str(value)
)
def test_intervals_are_those_of_draws_spelled_out_row_by_row(seed, raters, events):
    study = random_study(seed, raters, events, rows=160)
    found = compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=FEW)
    documents = raters == 1 or events == 1
    unit = study["event"] * 10 + study["document"] if documents else study["event"]
    own = slow_own(study)
    drawn = {}
    for rows, copies in spelled_out(study["rater"], unit, FEW):
        times = {}
        for place in range(3):
            at = study["surrogate"][rows] == place
            inside = rows[at]
            with np.errstate(invalid="ignore"):
                known = study["seconds"][inside][~np.isnan(study["seconds"][inside])]
            times[place] = known.mean() if len(known) else nan
            who = study["rater"][inside] * 100 + copies[at]
            for side, truth in ((0, study["gold"]), (1, own)):
                values = slow(who, study["judgment"][inside], truth[inside])[1]
                for name, value in zip(FIGURES, values, strict=True):
                    drawn.setdefault((side, place, name), []).append(value)
        for place in range(3):
            drawn.setdefault(("seconds", place), []).append(times[place])
            drawn.setdefault(("saved", place), []).append(times[TEXT] - times[place])
            of_text, own_accuracy = (drawn[0, which, "accuracy"][-1] for which in (TEXT, place))
            drawn.setdefault(("lost", place), []).append(of_text - own_accuracy)
    checked = 0
    estimates = {("seconds", place): found.seconds[place] for place in range(3)}
    estimates |= {("saved", place): found.seconds_saved[place] for place in (1, 2)}
    estimates |= {("lost", place): found.ldc_lost[place] for place in (1, 2)}
    for side, of in enumerate((found.ldc, found.prediction)):
        for place in range(3):
            estimates |= {(side, place, name): getattr(of[place], name) for name in FIGURES}
    for key, estimate in estimates.items():
        if not estimate.defined:
            continue
        known = np.array(drawn[key])
        known = known[~np.isnan(known)]
        if np.ptp(known) < 1e-12:
            continue  # Wilson's interval, or none: told in tests of its own
        scale = LOGS if key[0] == "seconds" else ANGLES if key[-1] in FIGURES[:-1] else PLAIN
        units = len(np.unique(unit))
        low, high = slow_interval(estimate.value, drawn[key], raters, units, FEW.level, scale)
        if key[-1] == "kappa":
            low, high = max(low, -1), min(high, 1)
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-9)
        checked += 1
    assert checked > 20
    assert found.resampled.startswith(
        "raters and events" if not documents else "raters and documents" if raters > 1 else "documents"
    )
    assert ("there is only" in found.resampled) == documents


@pytest.mark.parametrize("seed", range(2))
def test_the_paired_t_equals_scipys_over_raters_rates_and_holm_statsmodels(seed):
    study = random_study(seed, raters=6, rows=500)
    found = compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=NONE)
    own = slow_own(study)
    both = ~np.isnan(own) & ~np.isnan(study["gold"])
    rates = {
        "accuracy": lambda judged, true: (judged == true).mean(),
        "precision": lambda judged, true: true[judged == 1].mean(),
        "f_score": lambda judged, true: 2 * (judged * true).sum() / (judged.sum() + true.sum()),
    }
    for name, rate in rates.items():
        p = []
        for place in (1, 2):
            prediction, ldc = [], []
            for rater in range(6):
                at = both & (study["surrogate"] == place) & (study["rater"] == rater)
                prediction.append(rate(study["judgment"][at], own[at]))
                ldc.append(rate(study["judgment"][at], study["gold"][at]))
            expected = stats.ttest_rel(prediction, ldc)
            one = found.differences[name][place]
            assert (one.t, one.p, one.degrees) == pytest.approx(
                (expected.statistic, expected.pvalue, expected.df)
            )
            interval = expected.confidence_interval(0.95)
            assert (one.difference.low, one.difference.high) == pytest.approx((interval.low, interval.high))
            assert one.n == (both & (study["surrogate"] == place)).sum()
            p.append(expected.pvalue)
        adjusted = multipletests(p, method="holm")[1]
        assert [found.differences[name][place].p_holm for place in (1, 2)] == pytest.approx(adjusted.tolist())
    assert found.difference[TEXT].n == 0


def test_precision_is_compared_of_raters_who_judged_anything_relevant():
    # three raters, two documents: c says no to all; against the own full text a and b are right
    rater, document = np.repeat(["a", "b", "c"], 4), np.tile([1, 2, 1, 2], 3)
    surrogate = np.tile([1, 1, TEXT, TEXT], 3)
    judged = [1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0]
    of = Judgments(rater, ["e"] * 12, document, surrogate, judged, gold=np.tile([0, 1], 6))
    found = compare_agreements(of, full_text=TEXT, bootstrap=NONE)
    one = found.differences["precision"][1]
    assert one.difference.value == pytest.approx((1 + 0.5) / 2)  # 1 - 0 of a, 1 - 1/2 of b
    assert one.difference.n == 2
    assert found.differences["accuracy"][1].difference.n == 3


def test_without_raters_and_events_intervals_are_wilsons():
    rng = np.random.default_rng(0)
    surrogate, judged, truth = rng.integers(0, 2, 80), rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    for place, one in agreement(surrogate, judged, truth).items():
        at = surrogate == place
        for found, hits in ((one.accuracy, one.tp + one.tn), (one.precision, one.tp), (one.recall, one.tp)):
            expected = proportion_confint(hits, found.n, method="wilson")
            assert (found.low, found.high) == pytest.approx(expected)
        assert one.f_score.reason == agreements.NO_RATERS
        assert one.kappa.value == pytest.approx(slow(np.zeros(at.sum()), judged[at], truth[at])[1][4])


def test_with_raters_and_events_both_ways_of_asking_agree():
    study = random_study(5)
    core = compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=FEW)
    ldc = agreement(
        study["surrogate"],
        study["judgment"],
        study["gold"],
        *(study[name] for name in ("rater", "event", "document")),
        bootstrap=FEW,
    )
    assert tuple(ldc.values()) == core.ldc
    prediction = relevance_prediction(
        **{name: study[name] for name in (*PERSONAL, "session", "order")}, full_text=TEXT, bootstrap=FEW
    )
    assert list(prediction) == [1, 2]
    assert [counts(one) for one in prediction.values()] == [counts(one) for one in core.prediction[1:]]
    assert [one.set_aside for one in prediction.values()] == [one.set_aside for one in core.prediction[1:]]


def test_within_an_event_it_is_the_study_of_its_rows():
    study = random_study(8)
    found = compare_agreements_by_event(Judgments(**study), full_text=TEXT, bootstrap=FEW)
    assert list(found) == [0, 1, 2]
    for event, one in found.items():
        own = {name: column[study["event"] == event] for name, column in study.items()}
        assert str(one) == str(
            compare_agreements(Judgments(**own, surrogates=range(3)), full_text=TEXT, bootstrap=FEW)
        )


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10**6))
def test_perfect_agreement_gives_one(seed):
    study = random_study(seed)
    whole = np.random.default_rng(seed).integers(0, 2, (4, 3, 4)).astype(float)
    study["judgment"] = whole[study["rater"], study["event"], study["document"]]
    for place, one in enumerate(
        compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=FEW).prediction
    ):
        if place != TEXT and one.n:
            assert one.accuracy.value == one.accuracy.high == 1
            assert one.accuracy.low < 1
            assert one.kappa.value == 1 or one.kappa.reason == agreements.NO_KAPPA
            assert one.f_score.value == 1 or one.f_score.reason == agreements.NONE_EITHER


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10**6), some.randoms())
def test_names_and_the_order_of_rows_change_nothing(seed, random):
    study = random_study(seed)
    plain = relevance_prediction(
        **{name: study[name] for name in (*PERSONAL, "session", "order")}, full_text=TEXT, bootstrap=NONE
    )
    rows = list(range(len(study["judgment"])))
    random.shuffle(rows)
    mixed = {name: study[name][rows] for name in (*PERSONAL, "session", "order")}
    called = {TEXT: "Full Text", 1: "Headline", 2: "Human"}
    mixed["surrogate"] = np.array([called[place] for place in mixed["surrogate"].tolist()])
    for name in ("rater", "event", "document"):
        mixed[name] = np.array([f"{name} {9 - code}" for code in mixed[name].tolist()])
    renamed = relevance_prediction(**mixed, bootstrap=NONE)
    for place, one in plain.items():
        other = renamed[called[place]]
        assert counts(one) == counts(other)
        assert figures(one) == pytest.approx(figures(other), nan_ok=True, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 10**6))
def test_a_rater_without_full_text_changes_nothing_but_the_count(seed):
    study = random_study(seed)
    study = {name: study[name] for name in (*PERSONAL, "session", "order")}
    plain = relevance_prediction(**study, full_text=TEXT, bootstrap=FEW)
    newcomer = {name: column[study["surrogate"] != TEXT] for name, column in study.items()}
    newcomer["rater"] = np.full(len(newcomer["rater"]), 99)
    more = {name: np.concatenate([study[name], newcomer[name]]) for name in study}
    for place, one in relevance_prediction(**more, full_text=TEXT, bootstrap=FEW).items():
        assert one.set_aside == plain[place].set_aside + (newcomer["surrogate"] == place).sum()
        assert str(one).replace(f"set_aside={one.set_aside}", "") == str(plain[place]).replace(
            f"set_aside={plain[place].set_aside}", ""
        )


def test_a_rater_who_always_says_no_scores_one_and_has_no_kappa():
    study = random_study(1)
    study["judgment"][:] = 0
    found = compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=FEW).prediction[HEADLINE]
    assert found.accuracy.value == 1
    assert found.kappa.reason == agreements.NO_KAPPA
    assert (found.kappa.n, found.raters_without_kappa) == (0, 4)
    assert found.precision.reason == agreements.NONE_CALLED_RELEVANT
    assert found.recall.reason == agreements.NONE_RELEVANT
    assert found.f_score.reason == agreements.NONE_EITHER


def test_saying_no_to_everything_when_the_own_full_text_varies_is_worth_nothing_by_kappa():
    found = relevance_prediction(
        [1] * 8,
        [1] * 8,
        [1, 2, 3, 4] * 2,
        ["h"] * 4 + ["Full Text"] * 4,
        [0] * 4 + [0, 0, 0, 1],
        bootstrap=NONE,
    )["h"]
    assert (found.accuracy.value, found.kappa.value) == (0.75, 0)


def test_of_several_full_texts_the_same_session_counts_else_the_first():
    rater, event = [1] * 6, [1] * 6
    document, surrogate = [1] * 6, ["t", "t", "t", "h", "h", "h"]
    judged, session, order = [0, 1, 0, 1, 1, 1], [1, 2, 2, 1, 2, 3], [1, 3, 2, 4, 5, 6]
    columns = rater, event, document, surrogate, judged
    found = own_full_text(Judgments(*columns, session=session, order=order), "t")
    assert found[3:].tolist() == [0, 0, 0]
    found = own_full_text(Judgments(*columns, session=session), "t")
    assert found[3:].tolist() == [0, 1, 0]
    found = own_full_text(Judgments(*columns, order=[3, 1, 2, 4, 5, 6]), "t")
    assert found[3:].tolist() == [1, 1, 1]


def test_documents_of_one_name_in_two_events_are_two():
    found = own_full_text(Judgments([1, 1], ["a", "b"], [7, 7], ["h", "t"], [1, 1]), "t")
    assert np.isnan(found).all()


def test_without_gold_only_prediction_remains():
    study = random_study(2)
    for gold in (None, np.full(len(study["rater"]), nan)):
        found = compare_agreements(Judgments(**without(study, "gold"), gold=gold), TEXT, bootstrap=FEW)
        assert {one.reason for one in found.ldc} == {rater_pairs.NO_GOLD}
        assert found.ldc[1].set_aside == (study["surrogate"] == 1).sum()
        assert found.prediction[1].accuracy.defined
        assert found.difference[1].n == 0
        assert "both gold and" in found.difference[1].reason


def test_without_a_full_text_only_ldc_remains():
    study = random_study(2)
    found = compare_agreements(Judgments(**without(study, "seconds")), full_text=-1, bootstrap=FEW)
    assert {one.reason for one in found.prediction} == {agreements.NO_FULL_TEXT}
    assert all(one.accuracy.defined for one in found.ldc)
    assert {one.reason for one in found.seconds} == {rater_pairs.NO_SECONDS}
    assert {one.reason for one in found.seconds_saved} == {rater_pairs.NO_SECONDS}
    assert {one.reason for one in found.ldc_lost} == {rater_pairs.NO_TEXT_TO_LOSE}
    assert {one.reason for one in found.prediction_lost} == {agreements.NO_FULL_TEXT}
    timed = compare_agreements(Judgments(**study), full_text=-1, bootstrap=FEW)
    assert {one.reason for one in timed.seconds_saved} == {rater_pairs.NO_SECONDS_OF_TEXT}


def test_one_rater_and_one_surrogate():
    study = by_hand()
    kept = (study["rater"] == "p") & (study["surrogate"] == HEADLINE)
    found = compare_agreements(
        Judgments(**study, surrogates=range(2)).where(kept), full_text=TEXT, bootstrap=FEW
    )
    assert found.ldc[TEXT].reason == found.seconds[TEXT].reason == agreements.NO_JUDGMENT
    assert found.ldc[HEADLINE].accuracy.low < 0.5 < found.ldc[HEADLINE].accuracy.high
    assert found.prediction[HEADLINE].reason == agreements.NO_FULL_TEXT
    assert "only one rater" in found.resampled
    kept = study["rater"] == "p"
    alone = compare_agreements(
        Judgments(**study, surrogates=range(2)).where(kept), full_text=TEXT, bootstrap=FEW
    )
    assert alone.difference[HEADLINE].reason == rater_pairs.ONE_RATER
    assert alone.difference[HEADLINE].difference.value == pytest.approx(1 / 6)


def test_a_single_judgment_has_wilsons_interval_and_says_why_times_have_none():
    found = compare_agreements(Judgments([0], [0], [0], [0], [1], [1], [4.0]), -1, bootstrap=FEW)
    assert found.resampled == "nothing"
    assert (found.ldc[0].accuracy.low, found.ldc[0].accuracy.high) == pytest.approx(
        proportion_confint(1, 1, method="wilson")
    )
    assert found.seconds[0].value == 4
    assert "no interval" in found.seconds[0].reason


def test_no_judgments_at_all():
    empty = np.array([], dtype=int)
    found = compare_agreements(Judgments(*[empty] * 5, surrogates=range(2)), 0)
    assert {one.reason for one in (*found.ldc, *found.prediction)} == {agreements.NO_JUDGMENT}
    assert agreement([], [], []) == {}
    assert compare_agreements_by_event(Judgments(*[empty] * 5), 0) == {}


def test_progress_of_events_runs_up_to_one():
    told = []
    compare_agreements_by_event(
        Judgments(**random_study(3)), full_text=TEXT, bootstrap=FEW, on_progress=told.append
    )
    assert told == sorted(told)
    assert (len(told), told[-1]) == (3, 1)


def test_progress_runs_up_to_one_and_a_seed_repeats_itself():
    told = []
    study = random_study(3)
    found = compare_agreements(Judgments(**study), full_text=TEXT, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert str(found) == str(compare_agreements(Judgments(**study), full_text=TEXT))
    assert str(found) != str(
        compare_agreements(Judgments(**study), full_text=TEXT, bootstrap=BootstrapSpec(seed=1))
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"judgment": np.full(150, 2.0)}, "`judgment` must be 0 or 1, got 2 at position 0"),
        ({"judgment": np.full(150, nan)}, "`judgment` must be 0 or 1"),
        ({"judgment": ["yes"] * 150}, "must hold numbers"),
        ({"gold": np.full(150, 0.5)}, "`gold` must be 0, 1 or NaN"),
        ({"seconds": [1.0]}, "`seconds` needs one number per judgment"),
        ({"event": [1]}, "`event` must have one id per judgment, 150"),
        (
            {"surrogate": np.full(150, -1), "surrogates": range(3)},
            "`surrogate` must be one of 0, 1, 2, got -1",
        ),
        ({"surrogate": [1, 2]}, "`surrogate` must have one id per judgment, 150"),
        ({"session": [1, 2]}, "`session` must have one id per judgment, 150"),
        ({"presentation": ["S1"]}, "`presentation` must have one id per judgment, 150"),
        ({"rater": np.zeros((2, 2))}, "`rater` must be 1-d"),
    ],
)
def test_bad_input_is_reported(change, told):
    with pytest.raises(InputError, match=told):
        Judgments(**{**random_study(0), **change})


def test_other_bad_input_is_reported():
    with pytest.raises(InputError, match="belong together"):
        agreement([1], [1], [1], rater=[1])
    with pytest.raises(InputError, match="one of the surrogates"):
        relevance_prediction([1], [1], [1], ["h"], [1])
    with pytest.raises(InputError, match="`chance`"):
        paper_kappa(Estimate(0.5), 1)


def from_counts(tp, tn, fp, fn):
    judged = np.repeat([1, 0, 1, 0], [tp, tn, fp, fn])
    truth = np.repeat([1, 0, 0, 1], [tp, tn, fp, fn])
    return agreement(np.zeros(len(judged), dtype=int), judged, truth)[0]


def test_the_papers_rates_of_relevance_prediction_fit_its_false_judgments():
    # Sections 5.2, 5.3.1 and 5.4: 10 raters judged 60 documents; accuracy .760 (Headline) and .813 (Human); 27 and 35
    # false positives, "under 6%"; false negatives "50% higher" for Headline. The tables' other cells are not legible
    # in our copy, so the split of the right ones into TP and TN is any.
    headline, human = from_counts(200, 256, 27, 117), from_counts(230, 258, 35, 77)
    assert (headline.n, human.n) == (600, 600)
    assert round(headline.accuracy.value, 3) == 0.760
    assert round(human.accuracy.value, 3) == 0.813
    assert max(headline.fp, human.fp) / 600 < 0.06
    assert round(headline.fn / human.fn, 1) == 1.5


def test_the_papers_rate_of_ldc_agreement_is_one_of_600_judgments():
    # Section 5.3.1: .707 for Human
    assert round(from_counts(200, 224, 70, 106).accuracy.value, 3) == 0.707


def test_the_papers_kappa_of_summac():
    # Sections 4.1 and 4.3.1: at most 69% agreement and a kappa of .38 in SUMMAC, with P_E = .5
    found = paper_kappa(Estimate(0.69, 0.16, 1.0, 10))
    assert round(found.value, 2) == 0.38
    assert (found.low, found.high, found.n) == pytest.approx((-0.68, 1.0, 10))


@given(some.floats(0, 1), some.floats(0, 0.9))
def test_the_papers_kappa_is_one_for_full_and_zero_for_chance_agreement(agreed, chance):
    assert paper_kappa(Estimate(1.0), chance).value == pytest.approx(1)
    assert paper_kappa(Estimate(chance), chance).value == 0
    assert paper_kappa(Estimate(agreed), 0).value == agreed


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "events", "documents"), [(10, 3, 20), (20, 20, 20), (6, 8, 10)])
def test_intervals_of_accuracy_cover_the_true_one(raters, events, documents):
    # Raters, events and documents each shift the chance of deciding as on the full text; truth by simulation
    rng = np.random.default_rng(1)
    spread = (0.3, 0.3, 0.5)
    true = special.expit(1.3 + np.sqrt(np.square(spread).sum()) * rng.normal(size=400_000)).mean()
    rater, event, document = (
        each.ravel() for each in np.meshgrid(*map(np.arange, (raters, events, documents)), indexing="ij")
    )
    covered, repetitions = 0, 200
    for _ in range(repetitions):
        shifts = [
            rng.normal(0, sd, size)
            for sd, size in zip(spread, (raters, events, (events, documents)), strict=True)
        ]
        chance = special.expit(1.3 + shifts[0][rater] + shifts[1][event] + shifts[2][event, document])
        whole = rng.integers(0, 2, len(rater))
        judged = np.where(rng.random(len(rater)) < chance, whole, 1 - whole)
        twice = [np.tile(each, 2) for each in (rater, event, document)]
        surrogate = np.repeat([TEXT, HEADLINE], len(rater))
        study = Judgments(*twice, surrogate, np.concatenate([whole, judged]))
        found = compare_agreements(study, TEXT, bootstrap=BootstrapSpec(500))
        accuracy = found.prediction[HEADLINE].accuracy
        covered += accuracy.low <= true <= accuracy.high
    assert covered / repetitions > 0.93
