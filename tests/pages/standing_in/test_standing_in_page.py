"""Replacing raters: verdicts, worth and level of candidates, from the address and by choice."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from analysis.replacement.pass_rate import judge_errors, pass_rate_behind
from features.blocks import Status
from tests.pages.conftest import LastFinding, figures, sentences, statuses

Open = Callable[..., AppTest]
RNG = np.random.default_rng(2)
TRUTH = RNG.normal(3, 1, 40)
JUDGE = np.round(TRUTH + RNG.normal(0, 0.7, 40), 2)
BLEU = np.round(40 * (TRUTH + RNG.normal(0, 0.7, 40)))
ROWS: list[tuple[object, ...]] = [
    (
        f"i{i:02}",
        f"{group} {r}",
        group,
        round(float(np.clip(TRUTH[i] + RNG.normal(0, 0.8), 1, 5))),
        JUDGE[i],
        BLEU[i],
    )
    for group in ("lab", "crowd")
    for i in range(40)
    for r in range(4)
]
HEADER = "item,rater,group,score,model_judge,bleu"


@pytest.fixture
def key(add_rows: Callable[..., str]) -> str:
    return add_rows(HEADER, ROWS)


def test_groups_and_columns_are_candidates_and_another_scale_is_reported(
    open_page: Open, key: str, last_finding: LastFinding
) -> None:
    app = open_page("standing_in.py", d=key, all_columns="true", draws="20")
    shown = app.dataframe[0].value.set_index("Candidate")
    assert shown.index.tolist() == ["crowd", "model_judge", "bleu"]
    assert shown["Can replace a rater"].tolist()[:2] == ["yes", "yes"]
    assert shown["Raters tested"].tolist()[:2] == [4, 4]
    assert np.isnan(shown.at["bleu", "Advantage"])
    assert shown.at["bleu", "Spearman ρ"] > 0.8
    assert shown.at["bleu", "Worth, raters"] > 1
    assert np.isnan(shown.at["bleu", "Mean difference"])
    lab = np.mean([row[3] for row in ROWS if row[2] == "lab"])
    assert shown.at["model_judge", "Mean difference"] == pytest.approx(float(JUDGE.mean() - lab))
    assert shown.at["model_judge", "Spearman ρ"] != shown.at["crowd", "Spearman ρ"]
    assert last_finding().status is Status.CLEAR
    assert "– bleu: its numbers are on another scale" in sentences(app)
    assert [trace["x"] for trace in figures(app)[0]["data"]] == [
        [pytest.approx(shown.at[name, "Advantage"])] for name in ("crowd", "model_judge")
    ]


def test_epsilon_starts_where_the_reference_is_known_to_ask_for_it(open_page: Open, key: str) -> None:
    assert open_page("standing_in.py", d=key, draws="20").slider(key="epsilon").value == 0.2
    for_crowd = {"d": key, "draws": "20", "reference": "crowd", "candidate": "lab"}
    assert open_page("standing_in.py", **for_crowd).slider(key="epsilon").value == 0.1
    assert open_page("standing_in.py", **for_crowd, epsilon="0.3").slider(key="epsilon").value == 0.3


def test_the_address_chooses_epsilon_a_rater_and_the_scale(open_page: Open, key: str) -> None:
    app = open_page(
        "standing_in.py",
        d=key,
        epsilon="0.1",
        stand_in_rater="crowd 2",
        rescaled="true",
        draws="20",
    )
    shown = app.dataframe[0].value.set_index("Candidate")
    assert shown.index.tolist() == ["crowd", "model_judge", "bleu", "crowd 2"]
    assert shown["Advantage"].notna().all()
    assert app.slider(key="epsilon").value == 0.1
    app.session_state["standing-in fold of each-rater"] = True
    raters = app.run().dataframe[1].value
    assert raters["Candidate"].drop_duplicates().tolist() == shown.index.tolist()
    assert sorted(raters["Rater"][:4]) == [f"lab {r}" for r in range(4)]
    asked = {"d": key, "rescaled": "true", "draws": "20"}
    app = open_page("standing_in.py", **asked, about="Shared errors", errors_of=["model_judge", "bleu"])
    assert app.dataframe[0].value["Other candidate"].tolist() == ["bleu"]
    assert "orrelate" in sentences(app)
    corrected = open_page("standing_in.py", **asked, about="Corrected scores")
    assert "corrected scores need items that the reference did not rate" in sentences(corrected).lower()
    equal = open_page("standing_in.py", d=key, nearness="equal answers", draws="20")
    assert "– model_judge and bleu: it never gives an answer" in sentences(equal)


def test_a_column_stands_in_for_the_only_group(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    rows = [(item, rater, score, judge) for item, rater, group, score, judge, _ in ROWS if group == "lab"]
    open_page("standing_in.py", d=add_rows("item,rater,score,model_judge", rows), draws="20")
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1]["name"] == "Model_judge"
    alone = open_page("standing_in.py", d=add_rows("item,rater,score", [row[:3] for row in rows]))
    assert "No candidate" in sentences(alone)
    assert not alone.dataframe


def test_a_measure_without_a_candidate_has_nothing_to_set(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(*row[:4], row[3] if row[2] == "lab" else "") for row in ROWS]
    key = add_rows("item,rater,group,focus,grammar", rows)
    app = open_page("standing_in.py", d=key, reference="lab", stand_in_measure="grammar", draws="20")
    assert statuses(app) == ["not enough data"]
    assert [each.label for each in (*app.main.slider, *app.main.number_input, *app.main.text_input)] == []


def test_the_speech_crowds_against_the_laboratory(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    app = open_page("standing_in.py", d=add_study(shared_data / "speech_mos_lab_vs_crowd.csv"), draws="20")
    shown = app.dataframe[0].value.set_index("Candidate")
    assert shown.index.tolist() == ["crowd_clickworker_de", "crowd_mturk_en", "crowd_mturk_es"]
    assert "replaces 24 of 24 raters tested" in sentences(app)
    assert shown["Worth, raters"].between(1, 6).all()


def test_prices_draw_what_a_candidate_costs_and_scores_are_corrected(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(*row[:4], "AB"[int(str(row[0])[1:]) % 2]) for row in ROWS if row[2] == "crowd" or row[0] < "i28"]
    key = add_rows("item,rater,group,score,system", rows)
    app = open_page("standing_in.py", d=key, fewest_shared="20", price_of_1="0.05", draws="20")
    (point,) = figures(app)[1]["data"]
    assert point["x"] == [0.05]
    assert point["y"] == figures(app)[0]["data"][0]["x"]
    app = open_page("standing_in.py", d=key, fewest_shared="20", about="Corrected scores", draws="20")
    (table,) = app.dataframe
    scores = table.value.set_index("System")
    assert scores[["Rated", "Items"]].to_numpy().tolist() == [[14, 20], [14, 20]]
    lab = [float(str(row[3])) for row in rows if row[2] == "lab" and row[4] == "A"]
    assert scores.at["A", "Reference alone"] == pytest.approx(np.mean(lab))
    assert "40 items, 28 rated by lab" in sentences(app)


def test_a_models_labels_and_an_experts_may_stand_in_for_people(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rng = np.random.default_rng(6)
    right = rng.integers(0, 3, 40)
    raters = [("people", f"p{r}", 0.75) for r in range(4)] + [("model", "gpt", 0.95), ("guess", "dice", 0.33)]
    rows: list[tuple[object, ...]] = [
        (f"i{i:02}", name, group, "xyz"[label], "xyz"[right[i]])
        for group, name, sure in raters
        for i in range(40)
        for label in [right[i] if rng.random() < sure else rng.integers(0, 3)]
    ]
    key = add_rows("item,rater,rater_group,label,gold", rows, "choices")
    app = open_page("standing_in.py", d=key)
    assert "1 of 2 candidates can replace a people rater." in sentences(app)
    shown = app.dataframe[0].value.set_index("Candidate")
    assert shown.index.tolist() == ["model", "guess"]
    chose = {(row[1], row[0]): row[3] for row in rows}
    wins = [
        sum(chose["gpt", f"i{i:02}"] == chose[other, f"i{i:02}"] for other in others)
        >= sum(chose[one, f"i{i:02}"] == chose[other, f"i{i:02}"] for other in others)
        for one in ("p0", "p1", "p2", "p3")
        for others in [[other for other in ("p0", "p1", "p2", "p3") if other != one]]
        for i in range(40)
    ]
    assert shown.at["model", "Advantage"] == pytest.approx(np.mean(wins))
    other = open_page("standing_in.py", d=key, stand_in_for="model")
    assert "the test needs 3" in sentences(other)


def test_a_pair_is_the_same_whichever_system_stood_first(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    rng = np.random.default_rng(8)
    rows: list[tuple[object, ...]] = [
        (f"i{i:02}", f"w{r}", better, *sides, "A" if i % 2 else "B")
        for i in range(36)
        for r in range(4)
        for better in ["A" if (i + (rng.random() < 0.2)) % 2 else "B"]
        for sides in [("A", "B") if rng.random() < 0.5 else ("B", "A")]
    ]
    app = open_page(
        "standing_in.py", d=add_rows("item,rater,choice,option_a,option_b,expert", rows, "choices")
    )
    assert last_finding().status is Status.CLEAR
    assert last_finding().headline[1]["name"] == "Expert"
    assert "replaces 4 of 4 raters tested" in sentences(app)
    assert "36 items" in sentences(app)
    chose = {(row[1], row[0]): row[2] for row in rows}
    wins = [
        sum(right == chose[f"w{o}", item] for o in range(4) if o != r)
        >= sum(chose[f"w{r}", item] == chose[f"w{o}", item] for o in range(4) if o != r)
        for r in range(4)
        for item, right in [(f"i{i:02}", "A" if i % 2 else "B") for i in range(36)]
    ]
    assert app.dataframe[0].value["Advantage"].tolist() == [pytest.approx(np.mean(wins))]


def test_a_rater_of_the_reference_can_be_excluded(open_page: Open, key: str) -> None:
    """The address keeps the rater, who is then neither tested nor among the others."""
    app = open_page("standing_in.py", d=key, draws="20", all_columns="true", without=["lab 3", "crowd 1"])
    assert app.query_params["without"] == ["lab 3", "crowd 1"]
    shown = app.dataframe[0].value.set_index("Candidate")
    assert shown["Raters tested"].tolist()[:2] == [3, 3]


def test_too_little_overlap_leads_to_a_lower_minimum(open_page: Open, key: str) -> None:
    app = open_page("standing_in.py", d=key, draws="20", fewest_shared="50")
    assert "0 of 4 lab raters share 50 items · the test needs 3" in sentences(app)
    (link,) = [link for link in app.get("page_link") if "Lower" in link.proto.label]
    assert link.proto.label == "Lower the minimum to 40"
    assert "fewest_shared=40" in link.proto.query_string
    assert not figures(app)


def test_a_judge_s_pass_rate_is_corrected_from_the_address(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.6
    judge = np.where(truth, rng.random(300) < 0.9, rng.random(300) < 0.15)
    rows: list[tuple[object, ...]] = [
        (f"i{at:03}", who, who, int(answers[at]), "AB"[at % 2])
        for who, answers, many in (("gpt", judge, 300), ("ann", truth, 120))
        for at in range(many)
    ]
    app = open_page(
        "standing_in.py", d=add_rows("item,rater,group,score,system", rows), about="True pass rate"
    )
    shown = app.dataframe[0].value.set_index("System")
    assert shown.index.tolist() == ["all items", "A", "B"]
    assert shown.at["all items", "By the judge"] == pytest.approx(judge.mean())
    wanted = pass_rate_behind(float(judge.mean()), 300, judge_errors(judge[:120], truth[:120]))
    assert shown.at["all items", "True rate"] == pytest.approx(wanted.value)
    assert len(figures(app)) == 1
    (passing,) = (box for box in app.selectbox if box.label == "Counts as a pass")
    assert passing.value == "1"
    passing.set_value("0").run()
    assert app.dataframe[0].value["By the judge"][0] == pytest.approx(1 - judge.mean())
