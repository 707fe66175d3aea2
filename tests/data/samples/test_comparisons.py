"""The sample of comparisons: its design, and the truths planted in it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from analysis.values.votes import encode_votes
from analysis.workers import pcch, pcch_reliability
from data.samples import comparisons

README = Path(__file__).resolve().parents[3] / "data" / "samples" / "README.md"
OTHER_SEEDS = range(500, 510)  # neither calibrated on nor chosen from
ATTENTION = {worker.name: worker.attention for worker in comparisons.WORKERS}
OPTIONS = {"2-choice": 2, "4-choice": 4}
POLLS = [(pair.first, pair.second, design) for pair in comparisons.PAIRS for design in pair.designs]
KW = ("KW", "UI", "4-choice")

PAPER = {  # Habibi and Popescu-Belis 2012, Tables 2, 5 and 7: the first system's share, equal weights and PCC-H
    ("AW", "UI", "2-choice"): (0.30, 0.19),
    ("AW", "UI", "4-choice"): (0.26, 0.15),
    ("KW", "UI", "2-choice"): (0.45, 0.23),
    ("KW", "UI", "4-choice"): (0.35, 0.26),
    ("SS", "KW", "4-choice"): (0.88, 0.93),
}
PAPER_RANGES = {"e_w": (0.31, 0.66), "r_w": (0.12, 0.81)}  # Table 1, the 4-choice poll of KW and UI


@dataclass(frozen=True, eq=False)
class Study:
    """A study by poll: rows told by system, and what comes out of them."""

    rows: dict[tuple[str, str, str], comparisons.Table]

    def shares(self, poll: tuple[str, str, str]) -> tuple[float, float]:
        """The first system's share with equal weights, counted, and under PCC-H."""
        rows, first, second = self.rows[poll], poll[0], poll[1]
        half = (np.mean(rows["said"] == "both") - np.mean(rows["said"] == "neither")) / 2
        ours, theirs = (np.mean(rows["said"] == system) + half for system in (first, second))
        lists = (first, second, "both", "neither")[: OPTIONS[poll[2]]]
        fitted = pcch.fit(rows["rater_id"], rows["item_id"], rows["said"], lists)
        return float(ours / (ours + theirs)), fitted.prv_of_lists(*lists)[first]

    def r(self, poll: tuple[str, str, str]) -> dict[str, float]:
        rows = self.rows[poll]
        lists = (poll[0], poll[1], "both", "neither")[: OPTIONS[poll[2]]]
        return pcch.fit(rows["rater_id"], rows["item_id"], rows["said"], lists).r

    def e(self, poll: tuple[str, str, str]) -> dict[str, float]:
        rows = self.rows[poll]
        return {
            name: float(np.mean((rows["said"] == rows["expert_said"])[rows["rater_id"] == name]))
            for name in ATTENTION
        }

    def pooled(self) -> dict[str, float]:
        """r_w over all polls, options of different polls being different ones."""
        item = [f"{poll} {name}" for poll in POLLS for name in self.rows[poll]["item_id"]]
        said = [f"{poll} {name}" for poll in POLLS for name in self.rows[poll]["said"]]
        rater = [name for poll in POLLS for name in self.rows[poll]["rater_id"]]
        options = [
            f"{poll} {name}"
            for poll in POLLS
            for name in (poll[0], poll[1], "both", "neither")[: OPTIONS[poll[2]]]
        ]
        of_all = encode_votes(rater, item, said, options)
        of_poll = {
            f"{poll} {name}": at for at, poll in enumerate(POLLS) for name in self.rows[poll]["item_id"]
        }
        poll = np.array([of_poll[name] for name in of_all.item_ids])
        r = pcch_reliability.reliabilities(of_all.votes, poll=poll)[0]
        return dict(zip(of_all.rater_ids.tolist(), r.tolist(), strict=True))


def study_of(seed: int) -> Study:
    table = comparisons.generate(seed)
    said = {name: told(table, name) for name in ("choice", "expert")}
    table = table | {"said": said["choice"], "expert_said": said["expert"]}
    found = {}
    for first, second, design in POLLS:
        ours = np.isin(table["option_a"], (first, second)) & np.isin(table["option_b"], (first, second))
        kept = ours & (table["design"] == design)
        found[first, second, design] = {name: column[kept] for name, column in table.items()}
    return Study(found)


def told(table: comparisons.Table, column: str) -> NDArray[np.str_]:
    """Position words by system."""
    word = table[column]
    return np.select([word == "first", word == "second"], [table["option_a"], table["option_b"]], word)


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(comparisons.SEED)


@pytest.fixture(scope="module")
def others() -> list[Study]:
    return [study_of(seed) for seed in OTHER_SEEDS]


# --- design --------------------------------------------------------------------------------------------------------


def test_ten_workers_judged_every_fragment_of_every_poll(study: Study) -> None:
    for poll, rows in study.rows.items():
        items = 36 if poll[0] == "SS" else 24
        assert len(rows["item_id"]) == 10 * items
        assert len(set(zip(rows["item_id"], rows["rater_id"], strict=True))) == 10 * items
        allowed = {"first", "second"} if poll[2] == "2-choice" else set(comparisons.WORDS)
        assert set(rows["choice"]) <= allowed
        assert set(rows["expert"]) <= allowed


def test_positions_are_balanced_and_belong_to_the_fragment(study: Study) -> None:
    for rows in study.rows.values():
        places = set(zip(rows["item_id"], rows["option_a"], strict=True))
        assert len(places) == len(set(rows["item_id"]))
        assert np.mean(rows["option_a"] == rows["option_a"][0]) == pytest.approx(0.5)


def test_both_designs_show_the_same_fragments_in_the_same_positions(study: Study) -> None:
    for first in ("AW", "KW"):
        two, four = (study.rows[first, "UI", design] for design in ("2-choice", "4-choice"))
        assert two["option_a"].tolist() == four["option_a"].tolist()


def test_the_same_seed_gives_the_same_study() -> None:
    one, other = (comparisons.generate(7) for _ in range(2))
    assert all(one[name].tolist() == other[name].tolist() for name in comparisons.COLUMNS)
    assert one["choice"].tolist() != comparisons.generate(8)["choice"].tolist()


# --- the paper's levels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("poll", POLLS, ids=" ".join)
def test_shares_come_close_to_the_papers(
    study: Study, others: list[Study], poll: tuple[str, str, str]
) -> None:
    assert study.shares(poll) == pytest.approx(PAPER[poll], abs=0.06)
    assert np.mean([other.shares(poll) for other in others], axis=0) == pytest.approx(PAPER[poll], abs=0.05)


def test_reliability_and_agreement_with_the_expert_range_as_in_table_1(
    study: Study, others: list[Study]
) -> None:
    for figures, (low, high) in zip(("e", "r"), PAPER_RANGES.values(), strict=True):
        found = list(getattr(study, figures)(KW).values())
        assert (min(found), max(found)) == pytest.approx((low, high), abs=0.08)
        ends = [(min(v), max(v)) for v in (list(getattr(other, figures)(KW).values()) for other in others)]
        assert np.mean(ends, axis=0) == pytest.approx((low, high), abs=0.06)


def test_who_agrees_with_the_expert_agrees_with_the_others(study: Study, others: list[Study]) -> None:
    for each in (study, *others):
        assert (
            np.corrcoef(*[[of[name] for name in ATTENTION] for of in (each.e(KW), each.r(KW))])[0, 1] > 0.75
        )


# --- planted -------------------------------------------------------------------------------------------------------


def test_pooled_reliabilities_recover_the_planted_order(study: Study, others: list[Study]) -> None:
    found = [in_order(each.pooled()) for each in (study, *others)]
    assert found[0] >= 0.9
    assert np.mean(found) >= 0.9
    assert min(found) >= 0.8


def test_one_batch_recovers_the_order_roughly(study: Study) -> None:
    assert in_order(study.r(KW)) >= 0.8


def test_the_unreliable_workers_are_among_the_last_four(study: Study, others: list[Study]) -> None:
    def last(each: Study, many: int) -> set[str]:
        pooled = each.pooled()
        return set(sorted(pooled, key=pooled.__getitem__)[:many])

    unreliable = set(comparisons.UNRELIABLE)
    assert last(study, 2) == {"worker 04", "worker 07"}
    assert unreliable < last(study, 4)
    assert sum(unreliable < last(other, 4) for other in others) >= 8


def test_unreliable_workers_are_fast_and_one_clicks_the_first_list(study: Study) -> None:
    rows = {
        name: np.concatenate([part[name] for part in study.rows.values()])
        for name in ("rater_id", "choice", "seconds")
    }
    pace = {name: np.median(rows["seconds"][rows["rater_id"] == name]) for name in ATTENTION}
    assert set(sorted(pace, key=pace.__getitem__)[:3]) == set(comparisons.UNRELIABLE)
    first = {name: np.mean(rows["choice"][rows["rater_id"] == name] == "first") for name in ATTENTION}
    assert max(first, key=first.__getitem__) == "worker 09"
    assert first["worker 09"] > 0.6
    assert rows["seconds"].mean() == pytest.approx(50, abs=0.1)


def test_some_fragments_have_nothing_relevant(study: Study) -> None:
    for first, second, design in POLLS:
        if design == "4-choice":
            rows = study.rows[first, second, design]
            pair = next(pair for pair in comparisons.PAIRS if pair.first == first)
            share = [
                np.mean(rows["said"][rows["item_id"] == item] == "neither") for item in set(rows["item_id"])
            ]
            assert sum(each >= 0.5 for each in share) == pytest.approx(pair.truths[3], abs=1)


def test_pcch_stands_further_from_even_than_equal_weights(study: Study, others: list[Study]) -> None:
    for poll in POLLS:
        means = np.mean([each.shares(poll) for each in (study, *others)], axis=0)
        assert abs(means[1] - 0.5) > abs(means[0] - 0.5)


def in_order(r: dict[str, float]) -> float:
    return float(stats.spearmanr([r[name] for name in ATTENTION], list(ATTENTION.values())).statistic)


# --- README --------------------------------------------------------------------------------------------------------


def test_the_readme_shows_these_figures(study: Study, others: list[Study]) -> None:
    assert readme_table(study, others) in README.read_text(encoding="utf-8")


def readme_table(study: Study, others: list[Study]) -> str:
    lines = ["| poll | equal weights | PCC-H |", "|---|---|---|"]
    for poll in POLLS:
        means = np.mean([other.shares(poll) for other in others], axis=0)
        cells = [
            f"{printed:.2f} / **{found:.2f}** / {mean:.2f}"
            for printed, found, mean in zip(PAPER[poll], study.shares(poll), means, strict=True)
        ]
        lines.append(f"| {poll[0]} against {poll[1]}, {poll[2]}: {poll[0]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
