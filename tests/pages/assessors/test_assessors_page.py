"""The Assessors page: finding, picture and tables on the sample and on real studies, scenarios, odd states."""

import html
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import figures, sentences

Open = Callable[..., AppTest]
SAMPLE = "sample-assessors"
FEW = {"draws": "20", "random": "20"}
QUESTIONS = [
    "Who is consistent",
    "What if they go",
    "Where the variance comes from",
]

FINDINGS = {
    "What if they go": "Without rater E, 24 pairs of systems change order by Readability.",
    "Where the variance comes from": "largest source of variance of Readability, 50%",
}


@pytest.mark.parametrize("question", FINDINGS)
def test_every_further_question_has_a_finding_a_picture_and_a_table_on_the_sample(
    open_page: Open, question: str
) -> None:
    app = open_page("assessors.py", d=SAMPLE, question=question, without="E", **FEW)
    assert FINDINGS[question] in sentences(app)
    assert app.dataframe
    for figure in figures(app):
        go.Figure(figure)
    assert figures(app)


def test_a_real_study_answers_every_question(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "video_mos_nflx_public.csv")
    told = {
        "Who is consistent": "less consistent than the typical rater",
        "What if they go": "The ranking by ",
        "Where the variance comes from": "restricted maximum likelihood (REML) from",
    }
    for question in reversed(QUESTIONS):
        app = open_page("assessors.py", d=key, question=question, **FEW)
        assert told[question] in sentences(app), question
        assert figures(app), question
        assert app.dataframe, question
    table = app.dataframe[0].value
    assert table["Rater"][0] == "subj_7"
    assert table["r with the others"][table["Items shared"] >= 10].is_monotonic_increasing


def test_raters_of_a_real_study_are_ranked_by_their_correlation_with_the_mean_of_the_others(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    file = shared_data / "squality_summary_ratings.csv"
    (shown,) = open_page("assessors.py", d=add_study(file), screened="correctness").dataframe
    table = shown.value.set_index("Rater")
    ratings = pd.read_csv(file)
    ratings = ratings[ratings["measure"] == "correctness"]
    for rater, own in ratings.groupby("rater"):
        others = ratings[ratings["rater"] != rater].groupby("item")["score"].mean()
        shared = own.set_index("item").join(others.rename("others"), how="inner")
        assert table.loc[rater, "Items shared"] == len(shared)
        assert table.loc[rater, "r with the others"] == pytest.approx(shared["score"].corr(shared["others"]))


def test_the_planted_ranking_of_assessors_is_shown(open_page: Open) -> None:
    ranking = {"Readability": "ECFBHADG", "Responsiveness": "CEFABHDG", "Pyramid": "FCEBAADD"}
    for measure, order in ranking.items():
        (shown,) = open_page("assessors.py", d=SAMPLE, screened=measure, all_columns="true").dataframe
        found = "".join(shown.value["Rater"])
        if measure == "Pyramid":  # H and A are planted .935 and .931, G and D .975 and .970
            found = found.replace("H", "A").replace("G", "D")
        assert found == order
        assert shown.value["Ratings"].sum() == 4752
        assert {"Alpha, A", "Alpha, B", "Alpha, C"} <= set(shown.value)


def test_without_identical_texts_raters_are_compared_with_the_others(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    app = open_page("assessors.py", d=add_study(shared_data / "squality_summary_ratings.csv"))
    assert "identical texts" not in sentences(app)
    assert "r with the others" in app.dataframe[0].value


RULES = {
    "alpha below a limit": "The rule excludes nobody: nobody's alpha of Readability is below 0.50.",
    "agreement with the others below a limit": "nobody's agreement with the others on Readability is below 0.50.",
    "the lowest by mP − aP (pyramid)": "Excluded: C (worst 1 by mP − aP)",
    "BT.500 screening": "The rule excludes nobody: no item has six ratings, so none can lie far from the others.",
    "P.913 screening": "The rule excludes nobody: the rule finds nobody.",
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_names_who_goes_or_says_why_nobody_does(open_page: Open, rule: str) -> None:
    app = open_page("assessors.py", d=SAMPLE, question="What if they go", rule=rule, **FEW)
    assert RULES[rule] in html.unescape(sentences(app))


def test_the_worst_by_alpha_is_the_planted_one(open_page: Open) -> None:
    app = open_page(
        "assessors.py",
        d=SAMPLE,
        question="What if they go",
        rule="the least consistent",
        judged_on="Responsiveness",
        worst="2",
        **FEW,
    )
    assert "Excluded: C, E (worst 2" in sentences(app)


def test_failed_checks_are_a_rule_where_there_are_checks(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    app = open_page("assessors.py", d=key, rule="failed check questions", candidate="crowd_mturk_en")
    assert "more than 20% of their checks failed" in sentences(app)


def test_models_among_the_raters_are_named_and_a_rule_excludes_them(
    open_page: Open, add_study: Callable[..., str], tmp_path: Path
) -> None:
    raters = ["human_1", "human_2", "human_3", "gpt-4o", "claude-3-opus"]
    rows = [
        f"doc{item},{rater},{1 + (item + (at * item) % 3) % 5}"
        for item in range(12)
        for at, rater in enumerate(raters)
    ]
    file = tmp_path / "judges.csv"
    file.write_text("\n".join(["item,annotator,quality", *rows]))
    key = add_study(file)
    app = open_page("assessors.py", d=key, draws="20")
    assert ": claude-3-opus and gpt-4o." in sentences(app)
    for script in ("assessors.py", "agreement.py"):
        app = open_page(script, d=key, rule="models among the raters", draws="20")
        assert "Excluded: claude-3-opus, gpt-4o (" in sentences(app)
    people = [row for row in rows if "human" in row]
    file.write_text("\n".join(["item,annotator,quality", *people]))
    assert "Models among the raters" not in sentences(
        open_page("assessors.py", d=add_study(file), draws="20")
    )


def test_a_qualification_shows_who_fails(open_page: Open) -> None:
    asked = {"question": "What if they go", "rule": "qualification by known ratings", "pass_mark": "0.725"}
    app = open_page("assessors.py", **asked, **FEW)
    assert "below 0.725 of the points" in sentences(app)
    assert "Qualification (9 of 46 fail)" in [one.label for one in app.expander]


def test_another_page_shows_its_figures_without_them_and_with_everyone(open_page: Open) -> None:
    two = {
        "measures": ["focus", "post usefulness"],
        "all_columns": "true",
        "draws": "20",
        "permutations": "99",
    }
    everyone = open_page("crowd_vs_lab.py", **two)
    scenario = two | {"without": "crowd 07"}
    app = open_page("crowd_vs_lab.py", **scenario)
    assert "on 1 measure instead of none." in sentences(app)
    changed = next(t.value for t in app.dataframe if "Spearman ρ, everyone" in t.value)
    whole = everyone.dataframe[0].value["Spearman ρ"]
    assert changed["Spearman ρ, everyone"].tolist() == whole.tolist()
    assert changed["Spearman ρ, without"].tolist() == app.dataframe[0].value["Spearman ρ"].tolist()
    gain = changed["Spearman ρ, without"] - changed["Spearman ρ, everyone"]
    assert (changed["Spearman ρ, difference"] - gain).abs().max() < 1e-12
    off = open_page("crowd_vs_lab.py", **scenario, applied="false")
    assert "Without crowd 07" not in sentences(off)
    assert off.dataframe[0].value["Spearman ρ"].tolist() == whole.tolist()


@pytest.mark.parametrize(
    ("script", "address", "said"),
    [
        ("distributions.py", {}, "Excluded: crowd 07"),
        ("distributions.py", {"applied": "false"}, "Excluded on other pages: crowd 07"),
        ("assessors.py", {"question": "Where the variance comes from"}, "of everyone's ratings"),
    ],
)
def test_who_is_excluded_is_said_in_the_page(
    open_page: Open, script: str, address: dict[str, str], said: str
) -> None:
    """A phone and a shared link show no sidebar at first."""
    app = open_page(script, measures="focus", without="crowd 07", **address)
    assert said in " ".join(element.proto.body for element in app.main.get("html"))


def test_repetitions_says_what_an_exclusion_changes(open_page: Open) -> None:
    few = {"shuffles": "10", "draws": "20", "measures": "focus", "all_columns": "true"}
    app = open_page("repetitions.py", without="crowd 07", **few)
    assert "Without crowd 07, the number of ratings needed for focus is" in sentences(app)
    table = next(t.value for t in app.dataframe if "Ratings per item" in t.value)
    assert (table["Ratings per item"] < 24).all()


def test_slots_are_not_taken_for_persons(
    open_page: Open, add_study: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "slots.csv"
    rows = [f"i{i},r{r},{(i + r) % 5 + 1}" for i in range(12) for r in range(4)]
    file.write_text("\n".join(["item,rater,score", *rows]), encoding="utf-8")
    told = "nobody is named who gave these ratings"
    for page in ("assessors.py", "standing_in.py"):
        assert told in sentences(open_page(page, d=add_study(file, **{"@raters": "slots"})))
        assert told not in sentences(open_page(page, d=add_study(file)))


STATES = {
    "one rater": [(f"i{i}", "r1", i % 5 + 1) for i in range(12)],
    "all scores equal": [(f"i{i}", f"r{r}", 3) for i in range(12) for r in range(4)],
    "nobody shares an item": [(f"i{i}", f"r{i % 4}", i % 5 + 1) for i in range(12)],
    "two items": [(f"i{i}", f"r{r}", (i + r) % 5 + 1) for i in range(2) for r in range(4)],
}


def too_few(raters: int) -> str:
    """The finding on fewer than five raters."""
    return f"Not enough data to compare raters: you have {raters}, it needs 5."


TOLD_OF_STATES = {
    "one rater": (
        "only one rater",
        "ll raters are left out",
        "There is only one rater; without them nobody is left.",
    ),
    "all scores equal": (
        too_few(4),
        "ll systems have the same score before and after",
        "fewer than three items differ in score.",
    ),
    "nobody shares an item": (
        too_few(4),
        "the ranking by score keeps its order",
        "The ranking by score is the same without any one rater.",
    ),
    "two items": (
        too_few(4),
        "correlation needs at least 3 systems that have scores before and after; there are 2",
        "fewer than three items differ in score.",
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_odd_studies_get_sentences(open_page: Open, add_rows: Callable[..., str], state: str) -> None:
    key = add_rows("item,rater,score", STATES[state])
    consistent, without, nobody_out = TOLD_OF_STATES[state]
    told = dict(
        zip(
            QUESTIONS,
            (consistent, without, "ariance"),
            strict=True,
        )
    )
    for question in QUESTIONS:
        app = open_page("assessors.py", d=key, question=question, without="r1", **FEW)
        assert told[question] in html.unescape(sentences(app)), question
    rule = "the least consistent"
    app = open_page("assessors.py", d=key, question="What if they go", rule=rule, **FEW)
    assert nobody_out in html.unescape(sentences(app))
    assert "The rule excludes nobody" in html.unescape(sentences(app))


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
    app = open_page("assessors.py", d=key, question="What if they go", **scenario, **FEW)
    assert "ll systems have the same score before and after" in sentences(app)
    lost = "ithout ratings: s0" in sentences(app)
    assert lost == state.startswith("a system judged")
    assert "nothing to compare these ratings with" in sentences(
        open_page("crowd_vs_lab.py", d=key, **scenario)
    )


def test_systems_say_what_leaving_out_does_and_lead_to_where_it_is_shown(open_page: Open) -> None:
    app = open_page("systems.py", d=SAMPLE, measures="Readability", without="E", draws="20")
    assert "Without rater E, " in sentences(app)
    assert "ρ with the ranking by everyone" in sentences(app)
    assert len(figures(app)) == 1  # the slopes stand on Assessors
    (link,) = (link.proto for link in app.main if link.type == "page_link")
    assert "assessors" in link.page
    assert "question=What+if+they+go" in link.query_string


def test_one_set_of_identical_texts_is_too_few_to_rank_by(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"i{i}", f"r{r}", i + r, f"t{i // 2}", f"text {i}") for i in range(8) for r in range(2)]
    rows += [("i9", "r0", 3, "t0", "text 0")]
    key = add_rows("item,rater,score,topic,text", rows)
    app = open_page("assessors.py", d=key)
    assert "r with the others" in app.dataframe[-1].value


def test_leaving_out_everyone_is_reported_in_words_on_every_page(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"i{i}", f"{g}{r}", g, (i + r) % 5 + 1) for g in "ab" for i in range(9) for r in range(2)]
    key = add_rows("item,rater,group,score", rows)
    told = {
        "assessors.py": "ll raters are left out, so there is nobody to rank by",
        "overview.py": "A and b share no item.",
        "distributions.py": "No measure has ratings of both a and b.",
        "crowd_vs_lab.py": "Without 2 raters, no measure can be compared.",
        "repetitions.py": "This page needs at least two ratings per item.",
    }
    for page, sentence in told.items():
        app = open_page(page, d=key, question="What if they go", without=["a0", "a1"])
        assert sentence in sentences(app), page


def test_a_ranking_that_no_rater_changes_has_no_figure_of_zeros(
    open_page: Callable[..., AppTest], add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"s{s} t{t}", f"s{s}", f"r{r}", 1 + 2 * s + (t + r) % 2)
        for s in range(3)
        for t in range(12)
        for r in range(6)
    ]
    key = add_rows("item,system,rater,score", rows)
    app = open_page("assessors.py", d=key, question="What if they go")
    assert "is the same without any one rater" in sentences(app)
    assert not figures(app)
