"""The sample of cross comprehension: its design, and the truths planted in it."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.agreement.alpha import krippendorff_alpha
from data.samples import comprehension
from data.samples.comprehension import AUTHORS, COLUMNS, MACHINE, STORIES, Table

README = Path(__file__).resolve().parents[3] / "data" / "samples" / "README.md"
OTHER_SEEDS = range(500, 510)  # neither calibrated on nor chosen from
NAMES = [author.name for author in AUTHORS]

# Kolluru and Gotoh 2005, sections 3.4, 5.1 and 5.2; section 5.2 tells 55 to 59% for A, B and D together
PAPER_OVERALL = {"R": 0.47, "RP": 0.61, "N": 0.35}
PAPER_FOUND = {"A": 0.71, "B": 0.61, "C": 0.54, "D": 0.73}
PAPER_ASKED = {"A": (0.55, 0.59), "B": (0.55, 0.59), "C": (0.80, 0.80), "D": (0.55, 0.59)}
PAPER_LENGTH = {"A": 113, "B": 99, "C": 81, "D": 131}
PAPER_PER_WORD = {"A": 6.1, "B": 4.9, "C": 5.8, "D": 5.3}

Mask = NDArray[np.bool_]


def crossed(table: Table) -> Mask:
    return np.asarray(table["summary_author"] != table["question_author"])


def people(table: Table) -> Mask:
    return np.asarray(crossed(table) & (table["author_kind"] == "person"))


def share(table: Table, answers: str, rows: Mask) -> float:
    return float(np.mean(np.isin(table["answer"][rows], list(answers))))


def figures(table: Table) -> dict[str, float]:
    """Figures of the README, by row name."""
    ours = people(table)
    found = {f"overall {answers}": share(table, answers, ours) for answers in PAPER_OVERALL}
    for name in NAMES:
        found[f"found in {name}"] = share(table, "RPI", ours & (table["summary_author"] == name))
        found[f"asked by {name}"] = share(table, "RP", ours & (table["question_author"] == name))
    found["machine RP"] = share(table, "RP", table["author_kind"] == "machine")
    for kind in ("factual", "not factual"):
        found[f"{kind} RP"] = share(table, "RP", ours & (table["story_type"] == kind))
    first, second = (
        table["answer"][crossed(table) & (table["judge_id"] == judge)] for judge in comprehension.JUDGES
    )
    found["judges equal"] = float(np.mean(first == second))
    rank = {"R": 2, "P": 1, "I": 0, "N": 0}
    values = [rank[answer] for answer in (*first, *second)]
    found["judges alpha"] = krippendorff_alpha([*range(len(first))] * 2, values, "ordinal").value
    return found


@pytest.fixture(scope="module")
def table() -> Table:
    return comprehension.generate()


@pytest.fixture(scope="module")
def others() -> list[Table]:
    return [comprehension.generate(seed) for seed in OTHER_SEEDS]


@pytest.fixture(scope="module")
def found(table: Table) -> dict[str, float]:
    return figures(table)


@pytest.fixture(scope="module")
def elsewhere(others: list[Table]) -> dict[str, float]:
    each = [figures(other) for other in others]
    return {name: float(np.mean([one[name] for one in each])) for name in each[0]}


# --- design --------------------------------------------------------------------------------------------------------


def test_every_summary_is_asked_the_other_authors_questions_by_two_judges(table: Table) -> None:
    rows = zip(*(table[name][crossed(table)].tolist() for name in COLUMNS[:7]), strict=True)
    seen = {(story, summary, asker, question, judge) for story, _, summary, _, asker, question, judge in rows}
    assert len(seen) == np.count_nonzero(crossed(table))
    asked = {(story, asker, question) for story, _, asker, question, _ in seen}
    for story, asker, question in asked:
        for summary in {*NAMES, MACHINE.name} - {asker}:
            for judge in comprehension.JUDGES:
                assert (story, summary, asker, question, judge) in seen
    per_pair = np.unique([f"{story} {asker}" for story, asker, _ in asked], return_counts=True)[1]
    assert len(per_pair) == STORIES * len(AUTHORS)
    assert set(per_pair) == {2, 3, 4}


def test_a_few_summaries_were_asked_their_own_authors_questions(table: Table) -> None:
    own = ~crossed(table)
    assert set(zip(table["story_id"][own], table["summary_author"][own], strict=True)) == {
        (f"story {story + 1:02d}", NAMES[author]) for story, author in comprehension.OWN
    }
    assert set(table["answer"][own]) == {"R"}


def test_the_same_seed_gives_the_same_study_and_another_one_another(table: Table) -> None:
    again, other = comprehension.generate(), comprehension.generate(1)
    assert tuple(table) == COLUMNS
    for name in COLUMNS:
        assert table[name].tolist() == again[name].tolist()
    assert table["answer"][:500].tolist() != other["answer"][:500].tolist()


def test_lengths_are_the_papers(table: Table) -> None:
    texts = dict(
        zip(zip(table["summary_author"], table["story_id"], strict=True), table["summary_text"], strict=True)
    )
    assert len(set(texts.values())) == STORIES * 5
    for name in NAMES:
        written = [text for (author, _), text in texts.items() if author == name]
        assert np.mean([len(text) for text in written]) == pytest.approx(PAPER_LENGTH[name], abs=0.5)
        words = sum(len(text.split()) for text in written)
        assert sum(map(len, written)) / words == pytest.approx(PAPER_PER_WORD[name], abs=0.1)


def test_answers_have_the_texts_that_belong_to_them(table: Table) -> None:
    first = table["judge_id"] == "judge 1"
    for answer, expected, found_, summary in zip(
        *(
            table[name][first].tolist()
            for name in ("answer", "expected_answer", "found_answer", "summary_text")
        ),
        strict=True,
    ):
        assert (found_ == "") == (answer == "N")
        assert (found_ == expected) == (answer == "R")
        assert answer != "P" or expected.startswith(f"{found_} ")
        assert answer != "I" or found_ in summary


# --- planted -------------------------------------------------------------------------------------------------------


def test_shares_are_near_the_papers(found: dict[str, float]) -> None:
    for answers, paper in PAPER_OVERALL.items():
        assert found[f"overall {answers}"] == pytest.approx(paper, abs=0.01)
    for name in NAMES:
        assert found[f"found in {name}"] == pytest.approx(PAPER_FOUND[name], abs=0.01)
        low, high = PAPER_ASKED[name]
        assert low - 0.01 <= found[f"asked by {name}"] <= high + 0.01


def test_shares_are_planted_and_the_same_for_every_seed(
    found: dict[str, float], elsewhere: dict[str, float]
) -> None:
    for name in found:
        if name.startswith(("overall", "found", "asked", "machine")):
            assert elsewhere[name] == pytest.approx(found[name], abs=1e-12)


def test_the_machine_stands_below_every_author(table: Table, found: dict[str, float]) -> None:
    assert MACHINE.name not in table["question_author"]
    lowest = min(share(table, "RP", people(table) & (table["summary_author"] == name)) for name in NAMES)
    assert found["machine RP"] == pytest.approx(0.38, abs=0.01)
    assert found["machine RP"] < lowest - 0.1


def test_more_is_shared_in_factual_stories(found: dict[str, float], elsewhere: dict[str, float]) -> None:
    for each in (found, elsewhere):
        assert 0.08 < each["factual RP"] - each["not factual RP"] < 0.2


def test_longer_summaries_of_an_author_answer_more(others: list[Table]) -> None:
    differences = []
    for table in others:
        for name in NAMES:
            ours = crossed(table) & (table["summary_author"] == name)
            length = np.array([len(text) for text in table["summary_text"]])
            longer = length > np.median(length[ours])
            differences.append(share(table, "RPI", ours & longer) - share(table, "RPI", ours & ~longer))
    assert np.mean(differences) > 0.05


def test_judges_mostly_agree_and_neither_is_milder(table: Table, found: dict[str, float]) -> None:
    assert 0.78 < found["judges equal"] < 0.88
    assert 0.82 < found["judges alpha"] < 0.92
    by_judge = [
        table["answer"][crossed(table) & (table["judge_id"] == judge)] for judge in comprehension.JUDGES
    ]
    assert sorted(by_judge[0]) == sorted(by_judge[1])


def test_the_readme_says_what_there_is(found: dict[str, float], elsewhere: dict[str, float]) -> None:
    text = README.read_text(encoding="utf-8")
    for name, row in ROWS.items():
        assert row.format(ours=f"{found[name]:.3f}", others=f"{elsewhere[name]:.3f}") in text, name


ROWS = {
    "overall R": "| relevant, overall | 0.47 / **{ours}** / {others} |",
    "overall RP": "| relevant or partially relevant, overall | 0.61 / **{ours}** / {others} |",
    "overall N": "| not found, overall | 0.35 / **{ours}** / {others} |",
    "found in A": "| found in summaries of A | 0.71 / **{ours}** / {others} |",
    "found in B": "| found in summaries of B | 0.61 / **{ours}** / {others} |",
    "found in C": "| found in summaries of C | 0.54 / **{ours}** / {others} |",
    "found in D": "| found in summaries of D | 0.73 / **{ours}** / {others} |",
    "asked by A": "| relevant or partially relevant, questions of A | 0.55 to 0.59 / **{ours}** / {others} |",
    "asked by B": "| relevant or partially relevant, questions of B | 0.55 to 0.59 / **{ours}** / {others} |",
    "asked by C": "| relevant or partially relevant, questions of C | 0.80 / **{ours}** / {others} |",
    "asked by D": "| relevant or partially relevant, questions of D | 0.55 to 0.59 / **{ours}** / {others} |",
    "machine RP": "| relevant or partially relevant, the machine's summaries | none / **{ours}** / {others} |",
    "factual RP": "| relevant or partially relevant, factual stories | none / **{ours}** / {others} |",
    "not factual RP": "| relevant or partially relevant, other stories | none / **{ours}** / {others} |",
    "judges equal": "| both judges say the same | none / **{ours}** / {others} |",
    "judges alpha": "| the judges' ordinal alpha (R > P > I = N) | none / **{ours}** / {others} |",
}
"""Rows of the README's table, the paper's figure in them."""
