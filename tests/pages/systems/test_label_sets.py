"""Sets of labels on their pages: agreement, the crowd's sets, raters, the overview, the report and the programs."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from analysis.agreement import LabelSets, set_alpha
from features.blocks import Status
from features.raters.exclusion_rules import BELOW_GOLD, BELOW_OTHERS, WORST
from tests.pages.conftest import LastFinding, figures, sentences
from tests.pages.programs import own_file, ran

Open = Callable[..., AppTest]
LABELS = {"anger": 0.35, "fear": 0.3, "joy": 0.5, "trust": 0.2}
HEAD = "item,rater,labels,gold"
PAGES = ("agreement.py", "systems.py", "workers.py", "overview.py")


def labeled(items: int = 40, raters: int = 10, careless: int = 0) -> list[tuple[str, ...]]:
    """Return rows whose labels are separated by bars; the first raters are careless."""
    dice, rows = random.Random(11), []
    for item in range(items):
        true = {label for label, share in LABELS.items() if dice.random() < share} or {"other"}
        for rater in range(raters):
            wrong = 0.6 if rater < careless else 0.08
            given = {label for label in LABELS if (label in true) != (dice.random() < wrong)} or {"other"}
            rows.append((f"post {item}", f"w{rater}", "|".join(sorted(given)), "|".join(sorted(true))))
    return rows


@pytest.fixture
def sets(add_rows: Callable[..., str]) -> str:
    return add_rows(HEAD, labeled(careless=1), "label sets")


def test_agreement_is_shown_of_whole_sets_and_of_each_label(
    open_page: Open, sets: str, last_finding: LastFinding
) -> None:
    app = open_page("agreement.py", d=sets, all_columns="true")
    (table,) = (element.value for element in app.dataframe)
    assert set(table["Agreement on"]) == {"Whole sets, MASI", "Whole sets, Jaccard", *LABELS, "other"}
    rows = labeled(careless=1)
    of = LabelSets.of_names(
        *zip(*[row[:2] for row in rows], strict=True), [tuple(row[2].split("|")) for row in rows]
    )
    assert table["Alpha"][0] == pytest.approx(set_alpha(of).value)
    assert last_finding().status is Status.CLEAR
    for figure in figures(app):
        go.Figure(figure)


def test_the_crowds_sets_are_compared_with_gold(
    open_page: Open, sets: str, last_finding: LastFinding
) -> None:
    app = open_page("systems.py", d=sets, all_columns="true")
    gold, common = (element.value for element in app.dataframe)
    assert last_finding().headline[1]["share"].endswith("%")
    assert last_finding().status is Status.CLEAR
    assert gold["F1"].is_monotonic_decreasing
    assert common["Label"].tolist()[0] == "joy"
    fitted = open_page("systems.py", d=sets, crowd_sets="Dawid-Skene", all_columns="true")
    assert fitted.dataframe[0].value["F1"].tolist() != gold["F1"].tolist()


def test_items_of_one_topic_are_drawn_together(open_page: Open, add_rows: Callable[..., str]) -> None:
    """With eight topics the evidence names them; with four, items are drawn, and it does not."""
    for topics, told in ((8, True), (4, False)):
        rows = [(*row, f"t{int(row[0].split()[1]) % topics}") for row in labeled()]
        app = open_page("systems.py", d=add_rows(f"{HEAD},topic", rows, "label sets"))
        assert (f"{topics} topics with all their items" in sentences(app)) is told


@pytest.mark.parametrize(
    ("rule", "limit"), [(BELOW_GOLD, {"limit": "0.6"}), (BELOW_OTHERS, {"limit": "0.3"}), (WORST, {})]
)
def test_a_rule_excludes_the_careless_rater_and_sets_are_compared(
    open_page: Open, sets: str, rule: str, limit: dict[str, str]
) -> None:
    app = open_page("systems.py", d=sets, rule=rule, **limit)
    told = sentences(app)
    assert "Excluded: w0" in told
    rows = labeled(careless=1)
    exact = [exactly_gold([row for row in rows if row[1] != without]) for without in ("w0", "")]
    new, old = (f"{100 * share:.0f}%" for share in exact)
    assert (
        f"Without rater w0, the share of items whose set is exactly gold is {new} instead of {old}." in told
    )
    agreement = sentences(open_page("agreement.py", d=sets, rule=rule, **limit))
    assert "Without rater w0, alpha of" in agreement


def test_intervals_are_over_the_topics_of_the_file(open_page: Open, add_rows: Callable[..., str]) -> None:
    rows = [(*row[:3], f"topic {int(row[0].split()[1]) % 12}") for row in labeled()]
    key = add_rows("item,rater,labels,topic", rows, "label sets")
    app = open_page("agreement.py", d=key, generalize="these raters", all_columns="true")
    assert "over the systems and topics of items" in sentences(app)
    sets = LabelSets.of_names(
        [row[0] for row in rows], [row[1] for row in rows], [tuple(row[2].split("|")) for row in rows]
    )
    topic = dict(zip(sets.item.tolist(), (row[3] for row in rows), strict=True))
    found = set_alpha(sets, topic=topic)
    assert app.dataframe[0].value["Alpha from"][0] == pytest.approx(found.low)


def majority(rows: list[tuple[str, ...]]) -> set[str]:
    votes = Counter(label for row in rows for label in row[2].split("|"))
    return {label for label, times in votes.items() if 2 * times > len(rows)}


def exactly_gold(rows: list[tuple[str, ...]]) -> float:
    of_items = {item: [row for row in rows if row[0] == item] for item, *_ in rows}
    return sum(majority(of) == set(of[0][3].split("|")) for of in of_items.values()) / len(of_items)


def test_without_gold_the_labels_alone_are_shown(open_page: Open, add_rows: Callable[..., str]) -> None:
    key = add_rows("item,rater,labels", [row[:3] for row in labeled()], "label sets")
    app = open_page("systems.py", d=key)
    assert "gold" not in sentences(app)
    assert "most common" in sentences(app)


def test_the_careless_rater_comes_first_and_can_be_excluded(open_page: Open, sets: str) -> None:
    app = open_page("workers.py", d=sets)
    assert app.dataframe[0].value["Rater"].tolist()[0] == "w0"
    assert "consistent than the typical rater" in sentences(app)
    without = open_page("agreement.py", d=sets, without=["w0"])
    assert "Without rater w0" in sentences(without)
    everyone = open_page("agreement.py", d=sets)
    assert without.dataframe[0].value["Alpha"][0] > everyone.dataframe[0].value["Alpha"][0]


def test_questions_are_analyzed_apart(open_page: Open, add_rows: Callable[..., str]) -> None:
    rows = [(*row[:3], question) for question in ("tone", "topic") for row in labeled()]
    key = add_rows("item,rater,labels,question", rows, "label sets")
    app = open_page("agreement.py", d=key, label_question="topic")
    assert [box.value for box in app.selectbox if box.label == "Question"] == ["topic"]
    assert app.dataframe[0].value["Items"][0] == 40


@pytest.mark.parametrize(
    "page", ["distributions.py", "repetitions.py", "planning.py", "items.py", "standing_in.py", "metrics.py"]
)
def test_other_pages_say_what_they_need(open_page: Open, sets: str, page: str) -> None:
    app = open_page(page, d=sets)
    assert not app.exception
    assert "This data set holds label sets, and this page needs" in sentences(app)


def test_few_items_and_equal_sets_are_no_verdict(
    open_page: Open, add_rows: Callable[..., str], last_finding: LastFinding
) -> None:
    few = add_rows("item,rater,labels", [row[:3] for row in labeled(4)], "label sets")
    equal = add_rows(
        "item,rater,labels", [(f"i{at % 20}", f"w{at // 20}", "a|b") for at in range(60)], "label sets"
    )
    for key in (few, equal):
        open_page("agreement.py", d=key)
        assert last_finding().status is Status.NOT_ENOUGH_DATA
        for page in ("systems.py", "workers.py", "overview.py"):
            assert not open_page(page, d=key).exception


def test_the_overview_has_three_cards(open_page: Open, sets: str) -> None:
    app = open_page("overview.py", d=sets)
    told = sentences(app)
    assert "Raters agree on label sets" in told
    assert "match gold exactly" in told
    assert len(figures(app)) == 3


@pytest.mark.journey
@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("page", ["agreement.py", "systems.py", "workers.py"])
def test_the_program_finds_the_numbers_of_the_page(open_page: Open, page: str) -> None:
    file = Path("mine.csv")
    file.write_text("\n".join([HEAD, *(",".join(row) for row in labeled())]) + "\n")
    app = open_page(page, d=own_file(file, "label sets"), all_columns="true")
    shown, found = app.dataframe[0].value, ran(app)
    if page == "agreement.py":
        assert found["sets"].masi.value == pytest.approx(shown["Alpha"][0])
    elif page == "systems.py":
        assert found["accuracy"].exact.n == 40
    else:
        assert len(found["raters"] if isinstance(found, dict) else found.raters) == len(shown)
