"""Costs against the paper's."""

import numpy as np
import pandas as pd
import pytest

from analysis.repetitions.attenuation import CostSpec, costs, repetitions_of_times, summarize_times
from analysis.values.estimate import InputError


def paper(fixed: float = 82 * 1.2):
    """Iskender et al. 2020, section 3.2: 1.2 euros per task of nine ratings and per qualification, 82 of these."""
    return costs(50, 9, 24, CostSpec(price=1.2, per="assignment", fixed=fixed, seconds=249_884 / 10_800))


def test_the_papers_study_cost_1538_40_euros_and_69_4_hours():
    assert paper().money[23] == pytest.approx(1538.4)
    assert paper().seconds[23] / 3600 == pytest.approx(69.4, abs=0.05)


def test_eight_of_24_save_66_percent_of_the_ratings_and_62_of_the_whole():
    assert int(100 * paper().saved_of_ratings[7]) == 66
    assert int(100 * paper().saved[7]) == 62
    assert paper(fixed=0).saved[7] == pytest.approx(2 / 3)


def test_a_price_per_rating_counts_every_measure():
    found = costs(50, 9, 24, CostSpec(price=0.1, per="rating", seconds=5))
    assert found.money[23] == pytest.approx(10_800 * 0.1)
    assert found.seconds[23] == pytest.approx(10_800 * 5)


def test_without_a_price_nothing_is_known_to_be_saved_but_ratings():
    found = costs(10, 1, 4, CostSpec())
    assert np.isnan(found.saved).all()
    assert np.isnan(found.seconds).all()
    assert found.saved_of_ratings.tolist() == [0.75, 0.5, 0.25, 0]


def test_wrong_arguments_say_what_is_allowed():
    with pytest.raises(InputError, match="`price` must be 0 or more, got -1"):
        CostSpec(price=-1)
    with pytest.raises(InputError, match="`per` must be 'rating' or 'assignment', got 'hour'"):
        CostSpec(per="hour")
    with pytest.raises(InputError, match="`items` must be a whole number from 1, got 0"):
        costs(0, 1, 1, CostSpec())


def test_seconds_are_the_median_of_those_known():
    assert summarize_times([1, 1, 1, 1, 1], np.array([3.0, np.nan, 9.0, 4.0, np.inf])).median == 4
    assert np.isnan(summarize_times([1], np.array([np.nan])).median)


def test_a_time_repeated_on_fifteen_ratings_in_a_row_is_of_an_assignment():
    rng = np.random.default_rng(0)
    seconds = np.repeat(rng.integers(200, 400, 80), 15).astype(float)
    times = summarize_times(np.repeat(np.arange(20), 60), seconds)
    assert times.of_assignments
    assert times.ratings_per_time == pytest.approx(15, rel=0.05)
    assert times.seconds_per_rating(True) == pytest.approx(20, rel=0.2)
    assert times.seconds_per_rating(False) == np.median(seconds)


def test_whole_seconds_that_meet_by_chance_are_of_ratings():
    rng = np.random.default_rng(1)
    assert not summarize_times(
        np.repeat(np.arange(20), 50), rng.integers(3, 15, 1000).astype(float)
    ).of_assignments


def test_a_time_repeated_on_every_measure_is_of_an_assignment():
    rng = np.random.default_rng(2)
    rater, item, seconds = np.repeat(np.arange(10), 40), np.tile(np.arange(40), 10), rng.random(400)
    one = np.column_stack([rater, item, seconds])
    times = summarize_times(rater, seconds, repetitions_of_times(np.vstack([one] * 9)))
    assert times.of_assignments
    assert times.ratings_per_time == 9
    assert not summarize_times(rater, seconds, repetitions_of_times(one)).of_assignments


def test_what_the_import_settled_is_not_shared_out_again():
    times = summarize_times(np.zeros(8, int), np.repeat([40.0, 60.0], 4))
    assert (times.of_assignments, times.seconds_per_rating(True)) == (True, 12.5)
    settled = times.as_single_ratings()
    assert (settled.of_assignments, settled.seconds_per_rating(False), settled.seconds_per_rating(True)) == (
        False,
        50,
        50,
    )


def test_the_speech_studys_seconds_are_of_assignments_of_fifteen_clips(shared_data):
    rows = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv", low_memory=False)
    rows = rows[(rows.group != "lab") & rows.check.isna()]
    times = summarize_times(rows.rater.to_numpy(), rows.seconds.to_numpy())
    assert times.of_assignments
    assert times.ratings_per_time == pytest.approx(15, abs=0.2)
