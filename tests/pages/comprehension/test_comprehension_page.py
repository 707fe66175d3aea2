"""The Comprehension page through its frame: the sample on every panel, and the states that it does not show."""

from collections.abc import Callable
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from tests.pages.conftest import LastFinding, after_doubts, figures, sentences, sentences_of

Open = Callable[..., AppTest]
Add = Callable[..., str]
SAMPLE = "sample-comprehension"
PANELS = ("How much is shared", "Author by author", "Summary length", "Judges", "Machine summaries")
BAD = "<img src=x onerror=alert(1)> [a](http://b) $x$"
HEADER = "story_id,summary_author,question_author,question_id,answer"
FULL = HEADER + ",judge_id,author_kind,story_type,summary_text,question_text,expected_answer,found_answer"


def opened(open_page: Open, key: str = SAMPLE, about: str = PANELS[0], **address: str) -> AppTest:
    app = open_page("comprehension.py", d=key, about=about, all_columns="true", **address)
    for figure in figures(app):
        go.Figure(figure)
    return app


def tables(app: AppTest) -> list:
    return [table.value for table in app.dataframe]


def rows(authors: str = "ABC", stories: int = 6, answers: str = "RPNRIRNR") -> list[tuple[object, ...]]:
    """Every author's two questions put to every other author's summary, the answers one after another."""
    asked = [
        (f"s{story}", wrote, asked, f"q{question}")
        for story in range(stories)
        for wrote in authors
        for asked in authors
        if wrote != asked
        for question in (1, 2)
    ]
    return [(*row, answers[(at * at + at // 7) % len(answers)]) for at, row in enumerate(asked)]


def verdict(app: AppTest) -> str:
    """Return the first sentence of the page, without doubts about its data."""
    return after_doubts(unescape(sentences(app)))


def test_the_sample_says_how_much_is_shared(open_page: Open) -> None:
    app = opened(open_page)
    assert verdict(app).startswith("People's summaries share 61% of what others found important.")
    bars, types = figures(app)
    titles = [note["text"] for note in bars["layout"]["annotations"]]
    parts = {"<b>By summary author</b>", "<b>By question author</b>", "<b>Machine summaries</b>"}
    assert {*parts, "R + P 61%"} <= {*titles}
    assert list(types["layout"]["yaxis"]["ticktext"]) == ["factual", "not factual"]
    overall, by_author, of_types, of_authors = tables(app)
    assert set(of_authors["Adjusted for"]) == {"Nothing", "Summary length"}
    np.testing.assert_allclose(overall["Share"][:4].sum(), 1)
    assert (overall["Share from"] < overall["Share"]).all()
    assert by_author["As"].tolist().count("question author") == 4
    assert by_author["Kind"].tolist().count("machine") == 1
    assert of_types["Type"].tolist() == ["factual", "not factual"]


def test_machines_count_when_asked_to(open_page: Open) -> None:
    app = opened(open_page)
    before = tables(app)[0]["Share"]
    app.toggle(key="count_machines").set_value(True).run()
    assert not app.exception
    assert tables(app)[0]["Share"][4] < before[4]  # a machine answers less
    assert verdict(app).startswith("Summaries share")


def test_the_sample_author_by_author_down_to_the_answers(open_page: Open) -> None:
    app = opened(open_page, about="Author by author", summary_of="D", questions_of="C")
    assert verdict(app).startswith("R + P is highest for summaries of D and questions of C")
    (heat,) = figures(app)
    assert len(heat["data"][0]["z"]) == 5
    pairs, answers, summaries = tables(app)
    assert len(pairs) == 16
    assert len(answers) == pairs.set_index(["Summary of", "Questions of"]).loc[("D", "C"), "Questions"] * 2
    assert set(answers["Answer"]) <= set("RPIN")
    assert "Expected answer" in answers
    assert len(summaries) == 51
    story = answers["Story"][0]
    app.selectbox(key="of_story").select(story).run()
    assert not app.exception
    _, answers = tables(app)
    assert set(answers["Story"]) == {story}
    assert {"who wrote", "who asked"} <= {
        words for words in ("who wrote", "who asked") if words in sentences(app)
    }


def test_people_and_machines_are_compared_only_when_asked_to(open_page: Open) -> None:
    app = opened(open_page, about="Author by author", pair_share="Not found (N)")
    assert "summaries of machine" not in verdict(app).partition("clear")[0]
    assert "people only" in verdict(app)
    app.toggle(key="count_machines").set_value(True).run()
    assert "summaries of machine" in verdict(app).partition("clear")[0]


def test_the_sample_s_length_within_stories_and_across_authors(open_page: Open) -> None:
    app = opened(open_page, about="Summary length")
    assert verdict(app).startswith("Within a story, longer summaries answer more questions, r = ")
    assert "across the 4 authors" in verdict(app)
    (scatter,) = figures(app)
    assert sorted(text.strip() for text in scatter["data"][0]["text"]) == list("ABCD")
    (table,) = tables(app)
    assert table["Characters"][:4].round().tolist() == [113, 99, 81, 131]
    assert {"Words, SD", "Characters per word", "Questions per summary"} <= set(table)


def test_the_sample_s_judges_and_machine(open_page: Open) -> None:
    app = opened(open_page, about="Judges")
    assert verdict(app).startswith("Judges agree beyond chance")
    (alphas,) = figures(app)
    assert len(alphas["data"][0]["x"]) == 3
    assert [len(table) for table in tables(app)] == [3, 2, 1]
    app = opened(open_page, about="Machine summaries")
    assert "of the human level" in verdict(app)
    assert "machines" not in {control.key for control in app.multiselect}
    (table,) = tables(app)
    ratio = table["Machine: R + P"] / table["People: R + P"]
    np.testing.assert_allclose(table["Share of the human level"], ratio)


def test_an_excluded_judge_is_stated_above_the_verdict(open_page: Open) -> None:
    judges = opened(open_page, about="Judges")
    name = tables(judges)[1]["Judge"][0]
    app = opened(open_page, without=name)
    called = name if name.casefold().startswith("judge") else f"judge {name}"
    assert f". Without {called}, " in verdict(app)
    assert name in app.multiselect(key="without").value
    assert "Without" not in verdict(opened(open_page)).partition(".")[0]


def test_the_level_without_a_judge_is_that_of_the_others(open_page: Open) -> None:
    by_judge = tables(opened(open_page, about="Judges"))[1].set_index("Judge")
    excluded, left = by_judge.index
    overall = tables(opened(open_page, without=excluded))[0].set_index("Answer")
    assert overall.loc["R + P", "Share"] == pytest.approx(by_judge.loc[left, "R + P"])


def test_one_judge_left_cannot_be_compared(open_page: Open, last_finding: LastFinding) -> None:
    name = tables(opened(open_page, about="Judges"))[1]["Judge"][0]
    opened(open_page, about="Judges", without=name)
    assert last_finding().status is Status.NOT_ENOUGH_DATA


def test_draws_and_seed_change_intervals_only(open_page: Open) -> None:
    app = opened(open_page)
    before = tables(app)[0]
    app.number_input(key="comprehension_seed").set_value(5).run()
    after = tables(app)[0]
    assert before["Share"].tolist() == after["Share"].tolist()
    assert before["Share from"].tolist() != after["Share from"].tolist()
    app.number_input(key="comprehension_draws").set_value(0).run()
    assert not app.exception
    assert tables(app)[0]["Share from"].isna().all()


LITTLE = "Not enough data"
STATES: dict[str, tuple[list[tuple[object, ...]], str, str]] = {
    "plain": (rows(), "Summaries share 57%", "R + P is highest for summaries of A and questions of B"),
    "one story": (
        rows(stories=1),
        "Summaries share 58%",
        "R + P is highest for summaries of A and questions of B",
    ),
    "one pair": (rows(authors="AB", stories=1)[:2], "Summaries share 100%", "R + P is 100% for every pair"),
    "all R": (rows(answers="R"), "Summaries share 100%", "R + P is 100% for every pair"),
    "own only": ([(f"s{s}", "A", "A", "q1", "R") for s in range(3)], LITTLE, LITTLE),
    "one direction": (
        [(f"s{s}", "A", "B", "q1", "RN"[s % 2]) for s in range(3)],
        "Summaries share 67%",
        "R + P is 67% for every pair",
    ),
    "more": (
        [*rows(), *((f"s{s}", "M", "A", "q1", "N") for s in range(3)), ("s9", "A", "A", "q1", "R")],
        "Summaries share 55%",
        "R + P is highest for summaries of A and questions of B",
    ),
}
"""Answers, and how the verdicts on what is shared and on pairs of authors begin."""


@pytest.mark.parametrize("state", STATES)
def test_little_or_odd_data_opens_every_question(open_page: Open, add_rows: Add, state: str) -> None:
    given, *first = STATES[state]
    key = add_rows(HEADER, given, "comprehension")
    last = (LITTLE, LITTLE, LITTLE) if state in ("plain", "own only") else ()  # no state has their columns
    for about, begins in zip(PANELS, (*first, *last), strict=False):
        told = verdict(opened(open_page, key, about))
        assert told.startswith(begins), about
        assert "nan" not in told


def test_own_questions_only_are_undefined(open_page: Open, add_rows: Add) -> None:
    key = add_rows(HEADER, [(f"s{s}", "A", "A", "q1", "R") for s in range(3)], "comprehension")
    assert "3 answers" in sentences(opened(open_page, key))
    assert "own questions" in sentences(opened(open_page, key, "Author by author"))


def test_one_story_has_no_interval_and_says_why(open_page: Open, add_rows: Add) -> None:
    app = opened(open_page, add_rows(HEADER, rows(stories=1), "comprehension"))
    assert "A single story does not show how stories differ" in sentences(app)
    assert tables(app)[0]["Share from"].isna().all()


def test_without_texts_the_columns_that_would_help_are_named(open_page: Open, add_rows: Add) -> None:
    key = add_rows(HEADER, rows(), "comprehension")
    app = opened(open_page, key, "Author by author")
    told = sentences(app)
    assert "question_text, expected_answer, found_answer and summary_text" in told
    assert list(tables(app)[1]) == ["Story", "No.", "Answer"]
    app = opened(open_page, key, "Summary length")
    assert not figures(app)
    assert [link.proto.label for link in app.get("page_link")] == ["Map columns on Data"]
    assert "Questions per summary" in tables(app)[0]


def test_without_judges_nobody_can_be_excluded(open_page: Open, add_rows: Add) -> None:
    key = add_rows(HEADER, rows(), "comprehension")
    app = opened(open_page, key, "Judges")
    assert "you have 0" in verdict(app)
    assert "without" not in {control.key for control in app.multiselect}
    one = [(*row, "Ann") for row in rows()]
    key = add_rows(HEADER + ",judge_id", one, "comprehension")
    assert "you have 1" in verdict(opened(open_page, key, "Judges"))


def test_answers_without_a_judge_stay_when_a_judge_is_excluded(open_page: Open, add_rows: Add) -> None:
    two = [(*row, "Ann") for row in rows()] + [(*row, "") for row in rows(answers="N")]
    key = add_rows(HEADER + ",judge_id", two, "comprehension")
    app = opened(open_page, key, without="Ann")
    assert tables(app)[0].set_index("Answer").loc["R + P", "Share"] == 0


def test_machines_can_be_declared_on_the_page(open_page: Open, add_rows: Add) -> None:
    key = add_rows(HEADER, rows("ABC"), "comprehension")
    app = opened(open_page, key, "Machine summaries")
    assert verdict(app).startswith(LITTLE)
    app.multiselect(key="machines").select("C").run()
    assert not app.exception
    assert verdict(app).startswith("C ")
    app.segmented_control(key="about").set_value(PANELS[0]).run()
    assert any(sentence.endswith(": C.") for sentence in sentences_of(app))
    app = opened(open_page, key, "Machine summaries", machines=["A", "B", "C"])  # type: ignore[arg-type]
    assert "no human level" in verdict(app)


@pytest.mark.parametrize("about", PANELS)
def test_names_and_texts_from_uploads_are_inert(open_page: Open, add_rows: Add, about: str) -> None:
    full = [
        (
            s,
            f"{BAD}{w}",
            f"{BAD}{a}",
            q,
            answer,
            f"{BAD}{judge}",
            "machine" if w == "C" else "human",
            BAD + s,
            *[BAD] * 4,
        )
        for s, w, a, q, answer in rows()
        for judge in "12"
    ]
    app = opened(open_page, add_rows(FULL, full, "comprehension"), about, of_story="s1")
    for element in app.get("html"):
        assert "<img src=x" not in element.proto.body
    for element in app.get("plotly_chart"):
        assert "<img src=x" not in element.proto.spec
    for element in app.markdown:
        assert "onerror" not in element.value


def test_what_is_sent_is_small(open_page: Open) -> None:
    for about in PANELS:
        app = opened(open_page, about=about)
        assert sum(len(element.proto.spec) for element in app.get("plotly_chart")) < 30_000
