"""GLAD against the package crowd-kit, a slow loop, planted truth, and laws."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import norm, spearmanr

from analysis.values.estimate import InputError
from analysis.values.votes import Votes
from analysis.workers import glad
from analysis.workers.glad import GladSpec
from tests.reference.crowdkit_numbers import REAL, SIMULATED, simulated

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "crowdkit_numbers.json"
TO_THE_END = GladSpec(iterations=40, tolerance=-np.inf)
VOTES = some.lists(
    some.tuples(some.integers(0, 4), some.integers(0, 5), some.integers(0, 2)), min_size=1, max_size=40
)


@pytest.fixture(scope="module")
def crowdkit():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


def read(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [[row[key] for row in rows] for key in ("rater", "item", "label")]


def drawn_up(name):
    item, rater, label, *_ = simulated(**SIMULATED[name])
    return rater.astype(str), item.astype(str), label.astype(str)


def votes_of(rows, items=6, raters=5, options=3):
    rater, item, choice = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Votes(item, rater, choice, items, raters, options)


def simulated_votes(options=3, items=40, raters=8, judged=5, seed=0):
    item, rater, label, *_ = simulated(seed, items, raters, options, judged)
    return Votes(item, rater, label, items, raters, options)


def same_labels(found, oracle):
    assert found.label.keys() == oracle["label"].keys()
    return np.mean([found.label[item] == label for item, label in oracle["label"].items()])


def same_order(found, oracle):
    return spearmanr(list(found.values()), [oracle[name] for name in found]).statistic


@pytest.mark.parametrize("name", REAL)
def test_labels_and_abilities_of_real_sets_are_crowdkits(shared_data, crowdkit, name):
    oracle = crowdkit["GLAD"][name]
    found = glad.fit(*read(shared_data, name), GladSpec(oracle["iterations"], -np.inf))
    assert same_labels(found, oracle) >= 0.99
    assert same_order(found.ability, oracle["ability"]) >= 0.99
    assert same_order(found.difficulty, oracle["beta"]) <= -0.99


@pytest.mark.parametrize("name", SIMULATED)
def test_labels_and_abilities_of_simulated_sets_are_crowdkits(crowdkit, name):
    oracle = crowdkit["GLAD"][name]
    found = glad.fit(*drawn_up(name), GladSpec(oracle["iterations"], -np.inf))
    assert same_labels(found, oracle) >= 0.99
    assert same_order(found.ability, oracle["ability"]) >= 0.99


@pytest.mark.parametrize("name", ["choice4_website_gold", "simulated, 5 options"])
def test_after_many_iterations_the_numbers_are_crowdkits(request, crowdkit, name):
    rows = drawn_up(name) if name in SIMULATED else read(request.getfixturevalue("shared_data"), name)
    found, oracle = glad.fit(*rows, TO_THE_END), crowdkit["GLAD, 40 iterations"][name]
    assert same_labels(found, oracle) == 1
    for rater, ability in found.ability.items():
        assert ability == pytest.approx(oracle["ability"][rater], abs=2e-3)
    for item, difficulty in found.difficulty.items():
        assert -difficulty == pytest.approx(oracle["beta"][item], abs=2e-3)


@pytest.mark.parametrize("name", REAL)
def test_em_stops_only_where_votes_and_priors_gain_next_to_nothing(shared_data, name):
    rows = read(shared_data, name)
    ended = glad.fit(*rows).fit
    rising = np.diff(ended.log_likelihood)
    assert ended.converged
    assert rising[-1] < 1e-8 * len(rows[0])
    assert (rising[:-1] >= 1e-8 * len(rows[0])).all()
    further = glad.fit(*rows, GladSpec(2 * ended.iterations, -np.inf)).fit
    assert further.log_likelihood[-1] == pytest.approx(ended.log_likelihood[-1], abs=0.01)


def test_too_few_iterations_have_not_converged():
    assert not glad.fit_votes(simulated_votes(), GladSpec(2)).converged


def looped_e_step(votes, alpha, beta):
    """Posterior and log-likelihood plus log priors, vote by vote, as Eq. 1 of the paper has them."""
    k = votes.options
    height = norm.logpdf(alpha, 1).sum() + norm.logpdf(beta, 1).sum()
    height += np.log(2 * np.pi) / 2 * (len(alpha) + len(beta))
    posterior = np.full((votes.items, k), np.nan)
    for item in range(votes.items):
        likely = np.full(k, 1 / k)
        for vote in np.flatnonzero(votes.item == item):
            right = 1 / (1 + np.exp(-alpha[votes.rater[vote]] * np.exp(beta[item])))
            for option in range(k):
                likely[option] *= right if option == votes.choice[vote] else (1 - right) / (k - 1)
        height += np.log(likely.sum())
        posterior[item] = likely / likely.sum()
    return posterior, height


@pytest.mark.parametrize("options", [2, 4])
def test_posterior_is_that_of_the_loop(options):
    votes = simulated_votes(options)
    found = glad.fit_votes(votes)
    posterior, _ = looped_e_step(votes, found.ability, -found.difficulty)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-10)
    _, height = looped_e_step(votes, np.ones(votes.raters), np.ones(votes.items))
    assert found.log_likelihood[0] == pytest.approx(height, abs=1e-9)


@pytest.mark.parametrize("options", [2, 4])
def test_the_end_of_em_is_a_maximum(options):
    votes = simulated_votes(options)
    found = glad.fit_votes(votes, GladSpec(300, -np.inf))
    assert (np.diff(found.log_likelihood) > -1e-9).all()
    start = np.concatenate([found.ability, -found.difficulty])

    def height(parameters):
        return looped_e_step(votes, parameters[: votes.raters], parameters[votes.raters :])[1]

    for place in range(0, len(start), 5):
        ahead = np.eye(len(start))[place] * 1e-4
        assert (height(start + ahead) - height(start - ahead)) / 2e-4 == pytest.approx(0, abs=0.01)


def test_planted_truth_is_recovered():
    item, rater, label, truth, ability, difficulty = simulated(5, 400, 20, 4, 12)
    found = glad.fit_votes(Votes(item, rater, label, 400, 20, 4))
    assert (found.label == truth).mean() > 0.95
    assert spearmanr(found.ability, ability).statistic > 0.95
    assert spearmanr(found.difficulty, difficulty).statistic > 0.6
    assert found.converged


@given(VOTES, some.permutations(range(5)), some.permutations(range(6)), some.permutations(range(3)))
def test_new_names_only_rename(rows, raters, items, options):
    renamed = [(raters[rater], items[item], options[choice]) for rater, item, choice in rows]
    one, other = glad.fit_votes(votes_of(rows)), glad.fit_votes(votes_of(renamed))
    np.testing.assert_allclose(other.posterior[np.ix_(items, options)], one.posterior, atol=1e-6)
    np.testing.assert_allclose(other.ability[list(raters)], one.ability, atol=1e-6)
    np.testing.assert_allclose(other.difficulty[list(items)], one.difficulty, atol=1e-6)


@given(VOTES)
def test_posteriors_add_to_one_and_unknown_items_have_none(rows):
    found = glad.fit_votes(votes_of(rows))
    judged = np.isin(np.arange(6), [row[1] for row in rows])
    np.testing.assert_allclose(found.posterior[judged].sum(axis=1), 1)
    assert np.isnan(found.posterior[~judged]).all()
    assert (found.label[~judged] == -1).all()
    assert np.isnan(found.difficulty[~judged]).all()


@given(some.lists(some.integers(0, 2), min_size=2, max_size=6), some.integers(2, 5))
def test_what_all_say_is_the_label(labels, raters):
    rows = [(rater, item, label) for item, label in enumerate(labels) for rater in range(raters)]
    found = glad.fit_votes(votes_of(rows))
    assert found.label[: len(labels)].tolist() == labels
    assert (found.ability[:raters] > 0).all()


def test_a_draw_of_everyone_once_is_the_fit():
    votes = simulated_votes()
    draws = glad.bootstrap_posteriors(votes, np.ones((2, votes.raters)), np.ones((2, votes.items)))
    np.testing.assert_allclose(draws[0], glad.fit_votes(votes).posterior, atol=1e-12)
    np.testing.assert_array_equal(draws[0], draws[1])


def copied(votes, raters, items):
    """The data set that a draw holds, every copy under an id of its own, and where each item came from."""
    item, rater, choice, source = [], [], [], np.repeat(np.arange(votes.items), items)
    whose = np.repeat(np.arange(votes.raters), raters)
    for vote in range(len(votes)):
        for q in np.flatnonzero(source == votes.item[vote]):
            for w in np.flatnonzero(whose == votes.rater[vote]):
                item.append(q)
                rater.append(w)
                choice.append(votes.choice[vote])
    codes = (np.array(part, dtype=np.int64) for part in (item, rater, choice))
    return Votes(*codes, len(source), len(whose), votes.options), source


@pytest.mark.parametrize("options", [2, 4])
def test_a_draw_is_the_fit_of_the_data_set_drawn(options):
    votes = simulated_votes(options, items=15, raters=6, judged=4)
    rng = np.random.default_rng(1)
    raters, items = rng.multinomial(6, [1 / 6] * 6, 6), rng.multinomial(15, [1 / 15] * 15, 6)
    draws = glad.bootstrap_posteriors(votes, raters.astype(np.float64), items.astype(np.float64))
    for draw in range(6):
        drawn, source = copied(votes, raters[draw], items[draw])
        np.testing.assert_allclose(draws[draw][source], glad.fit_votes(drawn).posterior, atol=1e-6)


def test_a_draw_does_not_mind_the_others_of_its_block():
    votes = simulated_votes()
    rng = np.random.default_rng(2)
    raters = rng.multinomial(8, [1 / 8] * 8, 20).astype(np.float64)
    items = rng.multinomial(40, [1 / 40] * 40, 20).astype(np.float64)
    block = glad.bootstrap_posteriors(votes, raters, items)
    for draw in range(0, 20, 7):
        alone = glad.bootstrap_posteriors(votes, raters[draw : draw + 1], items[draw : draw + 1])
        np.testing.assert_allclose(block[draw], alone[0], atol=1e-9)


def test_one_rater_alone_gives_labels_but_no_ability():
    found = glad.fit(["a", "a"], [1, 2], ["x", "y"])
    assert found.label == {1: "x", 2: "y"}
    assert np.isnan(found.ability["a"])
    assert np.isnan(found.difficulty[1])
    assert "one rater" in found.reason


def test_one_option_is_always_right():
    found = glad.fit(["a", "b"], [1, 1], ["x", "x"])
    assert found.label == {1: "x"}
    assert found.posterior[1].tolist() == [1]
    assert np.isnan(found.ability["a"])
    assert "one option" in found.reason


def test_no_votes_give_nothing():
    assert glad.fit([], [], []).label == {}


def test_a_tie_is_reported_and_gives_the_lowest():
    found = glad.fit(["a", "b"], [1, 1], ["y", "x"])
    assert found.label == {1: "x"}
    assert found.tied == {1: True}


def test_someone_who_contradicts_everyone_is_worse_than_guessing():
    rows = [(rater, item, item % 2) for rater in range(4) for item in range(6)]
    rows += [(4, item, 1 - item % 2) for item in range(6)]
    assert glad.fit_votes(votes_of(rows, options=2)).ability[4] < 0


@pytest.mark.parametrize("bad", [{"iterations": 0}, {"tolerance": float("nan")}])
def test_a_bad_spec_is_reported(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        GladSpec(**bad)
