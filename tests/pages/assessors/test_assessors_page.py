"""The Assessors page: finding, picture and tables on the sample and on real studies, scenarios, odd states."""

from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
SAMPLE = "sample-assessors"
QUESTIONS = ["Who is consistent", "What if they go", "Automatic metrics", "Pyramid", "Training a metric"]
STUDIES = [
    "speech_mos_lab_vs_crowd.csv",
    "squality_summary_ratings.csv",
    "wmt23_mqm_3raters.csv",
    "video_mos_nflx_public.csv",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_a_finding_a_picture_and_a_table_on_the_sample(
    open_page: Open, question: str
) -> None:
    app = open_page("assessors.py", d=SAMPLE, question=question, without="E")
    assert sentences(app)
    assert app.dataframe
    for figure in figures(app):
        go.Figure(figure)
    assert figures(app)


@pytest.mark.parametrize("study", STUDIES)
def test_real_studies_answer_every_question_or_say_what_is_missing(
    open_page: Open, add_study: Callable[..., str], shared_data: Path, study: str
) -> None:
    key = add_study(shared_data / study)
    for question in QUESTIONS:
        app = open_page("assessors.py", d=key, question=question)
        assert sentences(app), question
        if question in QUESTIONS[:2]:
            assert figures(app), question
            assert app.dataframe, question


def test_the_planted_ranking_of_assessors_is_shown(open_page: Open) -> None:
    ranking, screening = (t.value for t in open_page("assessors.py", d=SAMPLE).dataframe)
    assert ranking["Readability"].tolist() == list("GDAHBFCE")
    assert ranking["Responsiveness"].tolist() == list("GDHBAFEC")
    assert ranking["Pyramid"].tolist() == list("GDHABECF")
    assert screening["Rater"].tolist() == list("ECFBHADG")  # the least consistent first
    assert screening["Ratings"].sum() == 4752
    assert {"Alpha, A", "Alpha, B", "Alpha, C"} <= set(screening)


def test_without_identical_texts_the_page_says_that_it_fell_back(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    app = open_page("assessors.py", d=add_study(shared_data / "squality_summary_ratings.csv"))
    assert "ranked by their agreement with the others instead" in sentences(app)
    assert "r with the others" in app.dataframe[1].value


def test_agreement_of_everyone_is_in_a_fold(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    app = open_page("assessors.py", d=add_study(shared_data / "video_mos_nflx_public.csv"))
    app.session_state["agreement_of_everyone"] = True
    table = app.run().dataframe[-1].value.set_index("Figure")["Value"]
    assert set(table.index) >= {"alpha, interval", "alpha, ordinal", "ICC(A,1)", "ICC(C,k)"}
    assert table["ICC(A,1)"] < table["ICC(C,1)"] < table["ICC(C,k)"]


RULES = {
    "the least consistent": "worst 1 by alpha on identical texts of Readability",
    "alpha below a limit": "alpha of Readability below 0.50",
    "agreement with the others below a limit": "",
    "the lowest by mP − aP (pyramid)": "worst 1 by mP − aP",
    "BT.500 screening": "",
    "P.913 screening": "",
    "too fast": "",
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_names_who_goes_or_says_why_nobody_does(open_page: Open, rule: str) -> None:
    app = open_page("assessors.py", d=SAMPLE, question="What if they go", rule=rule)
    told = sentences(app)
    assert "Left out: " in told or "The rule leaves out nobody: " in told
    if RULES[rule] and "Left out: " in told:
        assert RULES[rule] in told


def test_the_worst_by_alpha_is_the_planted_one(open_page: Open) -> None:
    app = open_page(
        "assessors.py",
        d=SAMPLE,
        question="What if they go",
        rule="the least consistent",
        judged_on="Responsiveness",
        worst="2",
    )
    assert "Left out: C, E (worst 2 by alpha on identical texts of Responsiveness)" in sentences(app)


def test_failed_checks_are_a_rule_where_there_are_checks(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("assessors.py", d=key, rule="failed check questions", candidate="crowd_mturk_en")
    assert "more than 20 % of their checks failed" in sentences(app)


def test_another_page_shows_its_figures_without_them_and_with_everyone(open_page: Open) -> None:
    two = {"measures": ["focus", "post usefulness"]}
    everyone = open_page("crowd_vs_lab.py", **two)
    scenario = two | {"without": "crowd 07"}
    app = open_page("crowd_vs_lab.py", **scenario)
    assert "These figures are without 1 rater (picked by hand)" in sentences(app)
    changed = next(t.value for t in app.dataframe if "Spearman ρ, everyone" in t.value)
    whole = everyone.dataframe[0].value["Spearman ρ"]
    assert changed["Spearman ρ, everyone"].tolist() == whole.tolist()
    assert changed["Spearman ρ, without"].tolist() == app.dataframe[0].value["Spearman ρ"].tolist()
    gain = changed["Spearman ρ, without"] - changed["Spearman ρ, everyone"]
    assert (changed["Spearman ρ, difference"] - gain).abs().max() < 1e-12
    off = open_page("crowd_vs_lab.py", **scenario, applied="false")
    assert "without 1 rater" not in sentences(off)
    assert off.dataframe[0].value["Spearman ρ"].tolist() == whole.tolist()


def test_repetitions_compares_at_equally_many_ratings(open_page: Open) -> None:
    app = open_page("repetitions.py", shuffles="10", draws="20", measures="focus", without="crowd 07")
    assert "At equally many ratings per item" in sentences(app)
    table = next(t.value for t in app.dataframe if "Compared at r" in t.value)
    assert (table["Compared at r"] < 24).all()


def test_slots_are_not_taken_for_persons(
    open_page: Open, add_study: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "slots.csv"
    rows = [f"i{i},r{r},{(i + r) % 5 + 1}" for i in range(12) for r in range(4)]
    file.write_text("\n".join(["item,rater,score", *rows]), encoding="utf-8")
    told = "Rater ids are only slots here"
    assert told in sentences(open_page("assessors.py", d=add_study(file, **{"@raters": "slots"})))
    assert told not in sentences(open_page("assessors.py", d=add_study(file)))


STATES = {
    "one rater": [(f"i{i}", "r1", i % 5 + 1) for i in range(12)],
    "one rating": [("i1", "r1", 3)],
    "all scores equal": [(f"i{i}", f"r{r}", 3) for i in range(12) for r in range(4)],
    "nobody shares an item": [(f"i{i}", f"r{i % 4}", i % 5 + 1) for i in range(12)],
    "two items": [(f"i{i}", f"r{r}", (i + r) % 5 + 1) for i in range(2) for r in range(4)],
}


@pytest.mark.parametrize("state", STATES)
def test_odd_studies_get_sentences(open_page: Open, add_rows: Callable[..., str], state: str) -> None:
    key = add_rows("item,rater,score", STATES[state])
    for question in QUESTIONS:
        assert sentences(open_page("assessors.py", d=key, question=question, without="r1")), question
    rule = "the least consistent"
    assert sentences(open_page("assessors.py", d=key, question="What if they go", rule=rule))


SYSTEMS = {
    "a system judged by one rater only": [
        (f"{s}{t}", f"r{r}", (s * r + t) % 5 + 1, f"s{s}", f"t{t}")
        for s in range(4)
        for t in range(5)
        for r in range(3)
        if s or r == 1
    ],
    "a system without a name": [
        (f"{s}{t}", f"r{r}", (s * r + t) % 5 + 1, f"s{s}" if s else "", f"t{t}")
        for s in range(4)
        for t in range(5)
        for r in range(3)
    ],
}


@pytest.mark.parametrize("state", SYSTEMS)
def test_odd_systems_get_sentences(open_page: Open, add_rows: Callable[..., str], state: str) -> None:
    key = add_rows("item,rater,score,system,topic", SYSTEMS[state])
    scenario = {"without": "r1"}
    app = open_page("assessors.py", d=key, question="What if they go", **scenario)
    if state.startswith("a system judged"):
        assert "Without any ratings left: s0" in sentences(app)
    assert sentences(open_page("crowd_vs_lab.py", d=key, **scenario))


def test_identical_texts_judged_once_are_undefined_with_the_reason(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"i{i}", f"r{r}", i + r, f"t{i // 2}", f"text {i}") for i in range(8) for r in range(2)]
    rows += [("i9", "r0", 3, "t0", "text 0")]
    key = add_rows("item,rater,score,topic,text", rows)
    told = sentences(open_page("assessors.py", d=key))
    assert "no set of identical texts judged more than once" in told
    assert "only one set of identical texts judged more than once" in told


def test_leaving_out_everyone_is_told_in_words_on_every_page(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"i{i}", f"{g}{r}", g, (i + r) % 5 + 1) for g in "ab" for i in range(9) for r in range(2)]
    key = add_rows("item,rater,group,score", rows)
    for page in ("assessors.py", "overview.py", "distributions.py", "crowd_vs_lab.py", "repetitions.py"):
        app = open_page(page, d=key, question="What if they go", without=["a0", "a1"])
        assert sentences(app), page
