"""Dawid-Skene against the package crowd-kit, a slow loop, planted truth, and laws."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.values.estimate import InputError
from analysis.values.votes import Votes
from analysis.workers import dawid_skene
from analysis.workers.dawid_skene import DawidSkeneSpec
from analysis.workers.polls import most_probable_option, shares
from tests.reference.crowdkit_numbers import REAL, SIMULATED, simulated

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "crowdkit_numbers.json"
VOTES = some.lists(
    some.tuples(some.integers(0, 4), some.integers(0, 5), some.integers(0, 2)), min_size=1, max_size=40
)


@pytest.fixture(scope="module")
def crowdkit():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))["Dawid-Skene"]


def votes_of(rows, items=6, raters=5, options=3):
    rater, item, choice = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Votes(item, rater, choice, items, raters, options)


def simulated_votes(options=3, items=30, raters=6, judged=4, seed=0):
    item, rater, label, *_ = simulated(seed, items, raters, options, judged)
    return Votes(item, rater, label, items, raters, options)


def is_crowdkits(rater, item, label, oracle):
    """Crowd-kit is the oracle of a step, not of where to stop: as many iterations as it did."""
    found = dawid_skene.fit(rater, item, label, DawidSkeneSpec(oracle["iterations"], -np.inf))
    assert found.label.keys() == oracle["label"].keys()
    assert np.mean([found.label[item] == label for item, label in oracle["label"].items()]) >= 0.99
    for place, option in enumerate(found.options):
        assert found.prior[option] == pytest.approx(oracle["prior"][option], abs=1e-8)
        for name, rater in oracle["diagonal"].items():
            told = found.confusion[name][place, place]
            assert told == pytest.approx(rater[option], abs=1e-6)


def read(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [[row[key] for row in rows] for key in ("rater", "item", "label")]


@pytest.mark.parametrize("name", REAL)
def test_real_sets_are_crowdkits(shared_data, crowdkit, name):
    is_crowdkits(*read(shared_data, name), crowdkit[name])


def test_website_labels_run_to_the_maximum(shared_data, crowdkit):
    """Crowd-kit stops after 2 iterations at -1425.1, where workers' accuracies are off by up to .8."""
    rows = read(shared_data, "choice4_website_gold")
    early = dawid_skene.fit(*rows, DawidSkeneSpec(crowdkit["choice4_website_gold"]["iterations"], -np.inf))
    assert early.fit.log_likelihood[-1] == pytest.approx(-1425.1, abs=0.05)
    assert not early.fit.converged
    ended = dawid_skene.fit(*rows)
    assert ended.fit.converged
    assert ended.fit.log_likelihood[-1] == pytest.approx(-1360.3, abs=0.05)
    assert np.diff(ended.fit.log_likelihood)[-1] < 1e-8 * len(rows[0])
    assert (np.diff(ended.fit.log_likelihood)[:-1] >= 1e-8 * len(rows[0])).all()
    apart = np.abs(early.fit.accuracy - ended.fit.accuracy)
    assert apart.max() > 0.5
    further = dawid_skene.fit(*rows, DawidSkeneSpec(500, -np.inf))
    assert further.fit.log_likelihood[-1] == pytest.approx(ended.fit.log_likelihood[-1], abs=0.01)
    assert further.label == ended.label


def test_too_few_iterations_have_not_converged():
    votes = simulated_votes()
    stopped = dawid_skene.fit_votes(votes, DawidSkeneSpec(2))
    assert not stopped.converged
    assert stopped.iterations == 2


@given(VOTES)
def test_the_log_likelihood_never_falls(rows):
    rising = np.diff(dawid_skene.fit_votes(votes_of(rows)).log_likelihood)
    assert (rising > -1e-6).all()


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_sets_are_crowdkits(crowdkit, name):
    item, rater, label, *_ = simulated(**SIMULATED[name])
    is_crowdkits(rater.astype(str), item.astype(str), label.astype(str), crowdkit[name])


def looped(votes, iterations):
    """EM as the paper's Eqs. 2.3 to 2.5 have it, vote by vote."""
    k, votes_at = votes.options, list(zip(votes.item, votes.rater, votes.choice, strict=True))
    posterior = np.zeros((votes.items, k))
    for item, _, choice in votes_at:
        posterior[item, choice] += 1
    posterior /= posterior.sum(axis=1, keepdims=True)
    for step in range(iterations + 1):
        prior = posterior.mean(axis=0)
        confusion = np.zeros((votes.raters, k, k))
        for item, rater, choice in votes_at:
            for true in range(k):
                confusion[rater, true, choice] += posterior[item, true]
        confusion = np.maximum(confusion, 1e-300)
        confusion /= confusion.sum(axis=2, keepdims=True)
        if step == iterations:
            return posterior, confusion, prior
        posterior = np.tile(prior, (votes.items, 1))
        for item, rater, choice in votes_at:
            posterior[item] *= confusion[rater, :, choice]
        posterior /= posterior.sum(axis=1, keepdims=True)
    raise AssertionError


@pytest.mark.parametrize("options", [2, 3])
def test_equals_the_loop(options):
    votes = simulated_votes(options, items=60, raters=5)
    found = dawid_skene.fit_votes(votes, DawidSkeneSpec(5, -np.inf))
    posterior, confusion, prior = looped(votes, 5)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-6)
    np.testing.assert_allclose(found.confusion, confusion, atol=1e-6)
    np.testing.assert_allclose(found.prior, prior, atol=1e-6)
    np.testing.assert_allclose(
        found.accuracy, (prior * np.diagonal(confusion, axis1=1, axis2=2)).sum(axis=1), atol=1e-6
    )


def test_planted_confusions_are_recovered():
    rng = np.random.default_rng(0)
    truth, raters = rng.integers(0, 3, 800), 6
    planted = np.array([np.full((3, 3), part / 2) for part in np.linspace(0.1, 0.6, raters)])
    for rater, part in enumerate(np.linspace(0.1, 0.6, raters)):
        np.fill_diagonal(planted[rater], 1 - part)
    item, rater = np.repeat(np.arange(800), raters), np.tile(np.arange(raters), 800)
    choice = (rng.random((len(item), 1)) > planted[rater, truth[item]].cumsum(axis=1)).sum(axis=1)
    votes = Votes(item, rater, choice, 800, raters, 3)
    found = dawid_skene.fit_votes(votes)
    heads, _ = most_probable_option(shares(votes)[0])
    known = np.log(planted)[rater, :, choice].reshape(800, raters, 3).sum(axis=1).argmax(axis=1)
    assert (found.label == truth).mean() >= (known == truth).mean() - 0.02
    assert (found.label == truth).mean() > (heads == truth).mean() + 0.02
    np.testing.assert_allclose(found.confusion, planted, atol=0.08)
    assert found.accuracy.argsort().tolist() == [5, 4, 3, 2, 1, 0]


@given(VOTES, some.permutations(range(5)), some.permutations(range(6)), some.permutations(range(3)))
def test_new_names_only_rename(rows, raters, items, options):
    renamed = [(raters[rater], items[item], options[choice]) for rater, item, choice in rows]
    few = DawidSkeneSpec(4, -np.inf)
    one, other = dawid_skene.fit_votes(votes_of(rows), few), dawid_skene.fit_votes(votes_of(renamed), few)
    np.testing.assert_allclose(other.posterior[np.ix_(items, options)], one.posterior, atol=1e-6)
    np.testing.assert_allclose(other.accuracy[list(raters)], one.accuracy, atol=1e-6)
    np.testing.assert_allclose(other.confusion[np.ix_(raters, options, options)], one.confusion, atol=1e-6)


@given(VOTES)
def test_rows_add_to_one_and_who_has_no_votes_is_unknown(rows):
    found = dawid_skene.fit_votes(votes_of(rows))
    judged, judging = (np.isin(np.arange(n), [row[p] for row in rows]) for n, p in ((6, 1), (5, 0)))
    np.testing.assert_allclose(found.posterior[judged].sum(axis=1), 1)
    assert np.isnan(found.posterior[~judged]).all()
    np.testing.assert_allclose(found.confusion[judging].sum(axis=2), 1)
    assert not np.isnan(found.confusion).any()
    np.testing.assert_array_equal(np.isnan(found.accuracy), ~judging)
    assert found.prior.sum() == pytest.approx(1)


@given(some.lists(some.integers(0, 2), min_size=1, max_size=6), some.integers(1, 5))
def test_what_all_say_is_the_label(labels, raters):
    rows = [(rater, item, label) for item, label in enumerate(labels) for rater in range(raters)]
    found = dawid_skene.fit_votes(votes_of(rows))
    assert found.label[: len(labels)].tolist() == labels
    np.testing.assert_allclose(found.accuracy[:raters], 1)


def test_classes_a_rater_never_met_do_not_count_for_accuracy():
    rows = [(rater, item, item % 2) for rater in range(3) for item in range(6)] + [(3, 0, 0)]
    found = dawid_skene.fit_votes(votes_of(rows, options=2))
    assert found.met[3].round(6).tolist() == [1, 0]
    assert found.accuracy[3] == pytest.approx(1)


def test_a_draw_of_everyone_once_is_the_fit():
    votes = simulated_votes()
    draws = dawid_skene.bootstrap_posteriors(votes, np.ones((2, votes.raters)), np.ones((2, votes.items)))
    np.testing.assert_allclose(draws[0], dawid_skene.fit_votes(votes).posterior, atol=1e-12)
    np.testing.assert_array_equal(draws[0], draws[1])


@pytest.mark.parametrize("options", [2, 4])
def test_a_draw_is_the_fit_of_the_data_set_drawn(options):
    votes = simulated_votes(options, items=15, raters=6)
    rng = np.random.default_rng(1)
    raters, items = rng.multinomial(6, [1 / 6] * 6, 6), rng.multinomial(15, [1 / 15] * 15, 6)
    draws = dawid_skene.bootstrap_posteriors(votes, raters.astype(np.float64), items.astype(np.float64))
    for draw in range(6):
        source, whose = (np.repeat(np.arange(len(n)), n) for n in (items[draw], raters[draw]))
        drawn = [
            (w, q, votes.choice[vote])
            for vote in range(len(votes))
            for q in np.flatnonzero(source == votes.item[vote])
            for w in np.flatnonzero(whose == votes.rater[vote])
        ]
        again = dawid_skene.fit_votes(votes_of(drawn, len(source), len(whose), options))
        np.testing.assert_allclose(draws[draw][source], again.posterior, atol=1e-9)


def test_no_votes_give_nothing():
    assert dawid_skene.fit([], [], []).label == {}


def test_one_vote_and_one_option_are_right():
    found = dawid_skene.fit(["a"], [1], ["x"])
    assert found.label == {1: "x"}
    assert found.accuracy == {"a": 1}


def test_a_tie_is_reported_and_gives_the_lowest():
    found = dawid_skene.fit(["a", "b"], [1, 1], ["y", "x"])
    assert found.label == {1: "x"}
    assert found.tied == {1: True}


@pytest.mark.parametrize("bad", [{"iterations": 0}, {"tolerance": float("nan")}])
def test_a_bad_spec_is_reported(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        DawidSkeneSpec(**bad)
