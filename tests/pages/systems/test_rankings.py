"""Rankings and best-worst choices: the scale, agreement, counting scores and raters on their pages."""

import random
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.calibration.headings import figures_of
from data.settings import Settings
from data.store.store import Store
from features.raters.exclusion_rules import POSITION, WORST
from features.study import Session, use_session
from features.words import plain
from report.choices_sections import rankers
from report.choices_sections import rankings as rankings_of_report
from report.settings import ReportSettings, open_report_study
from tests.pages.conftest import figures, sentences, statuses
from tests.pages.programs import own_file, ran
from tests.pages.test_shown_figures import headings, unexplained

Open = Callable[..., AppTest]
SYSTEMS = ("baseline", "gpt", "human")


def ranked(tasks: int = 12, raters: int = 8, noise: float = 0.8) -> list[tuple[object, ...]]:
    dice, rows = random.Random(7), []
    for task in range(tasks):
        for rater in range(raters):
            worth = [at + dice.gauss(0, noise * (5 if rater == 0 else 1)) for at in range(3)]
            place = [1 + sum(other > each for other in worth) for each in worth]
            rows.append((f"t{task}", f"w{rater}", *place))
    return rows


def tuples() -> list[tuple[object, ...]]:
    dice, rows = random.Random(8), []
    for at in range(24):
        four = dice.sample(range(10), 4)
        for rater in range(6):
            worth = sorted(four, key=lambda one: one + dice.gauss(0, 2))
            rows.append(
                (
                    f"w{rater}",
                    f"t{at}",
                    *(f"term {one}" for one in four),
                    f"term {worth[-1]}",
                    f"term {worth[0]}",
                )
            )
    return rows


@pytest.fixture
def rankings(add_rows: Callable[..., str]) -> str:
    return add_rows("prompt,rater," + ",".join(f"rank_{name}" for name in SYSTEMS), ranked(), "rankings")


@pytest.fixture
def best_worst(add_rows: Callable[..., str]) -> str:
    return add_rows("rater,tuple_id,item1,item2,item3,item4,best,worst", tuples(), "rankings")


def test_rankings_have_one_scale_and_kendalls_w(open_page: Open, rankings: str) -> None:
    app = open_page("systems.py", d=rankings, scale_draws="100", all_columns="true")
    systems, tasks, pairs = (element.value for element in app.dataframe)
    assert systems["System"].tolist() == ["human", "gpt", "baseline"]
    assert systems["Mean rank"].is_monotonic_increasing
    assert systems["Rankings"].tolist() == [96] * 3
    assert len(tasks) == 12
    assert len(pairs) == 3
    told = sentences(app)
    assert "System human ranks" in told
    assert "Rankings agree beyond chance" in told
    assert "96 rankings in 12 tasks imply" in told
    for figure in figures(app):
        go.Figure(figure)


def test_the_scope_of_raters_and_tasks_is_chosen_and_told(open_page: Open, rankings: str) -> None:
    def told(**chosen: str) -> str:
        app = open_page("systems.py", d=rankings, scale_draws="100", **chosen)
        assert not app.exception
        return sentences(app)

    usual = told()
    assert "for raters like these" in usual
    assert "for these tasks" not in usual
    fixed = told(generalize="these raters", generalize_tasks="these tasks")
    assert "for these raters · for these tasks" in fixed
    assert "for raters like these" not in fixed


def test_positions_of_options_are_tested_where_they_are_known(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    dice, rows = random.Random(9), []
    for task in range(12):
        for rater in range(6):
            shown = dice.sample(range(1, 4), 3)
            worth = [place - dice.random() for place in shown]
            rows += [
                (f"t{task}", f"w{rater}", name, 1 + sum(other < own for other in worth), place)
                for name, place, own in zip(SYSTEMS, shown, worth, strict=True)
            ]
    key = add_rows("prompt,rater,system,rank,position", rows, "rankings")
    told = sentences(open_page("systems.py", d=key, scale_draws="100"))
    assert "Options shown earlier rank higher." in told or "position" in told.casefold()


def test_best_worst_choices_have_counting_scores(open_page: Open, best_worst: str) -> None:
    app = open_page("systems.py", d=best_worst, scale_draws="100", all_columns="true")
    items, scores, _ = (element.value for element in app.dataframe)
    assert items["Item"].tolist()[0] in ("term 9", "term 8")
    assert scores["Score"].is_monotonic_decreasing
    assert (scores["Best"].sum(), scores["Worst"].sum()) == (144, 144)
    told = sentences(app)
    assert "random halves of the tuples correlate" in told
    assert "Kendall" not in told


def test_the_rater_who_ranks_unlike_the_others_comes_first(open_page: Open, rankings: str) -> None:
    app = open_page("workers.py", d=rankings)
    (raters,) = (element.value for element in app.dataframe)
    assert raters["Rater"].tolist()[0] == "w0"
    assert "consistent than the typical rater" in sentences(app)


def test_a_rule_excludes_the_rater_and_the_ranking_is_compared(open_page: Open, rankings: str) -> None:
    app = open_page("workers.py", d=rankings, rule=WORST, worst="1")
    systems, raters = (element.value for element in app.dataframe)
    told = sentences(app)
    assert "Excluded: w0" in told
    assert "the ranking by strength keeps its order" in told
    assert "w0" not in raters["Rater"].tolist()
    usual = open_page("systems.py", d=rankings, scale_draws="100", all_columns="true").dataframe[0].value
    page = open_page("systems.py", d=rankings, scale_draws="100", all_columns="true", rule=WORST)
    assert "Without rater w0, the share of wins of" in sentences(page)
    here = page.dataframe[0].value
    for name, shown in (("Before", usual), ("After", here)):
        assert systems[name].tolist() == pytest.approx(shown["Strength"].tolist())
    assert here["Rankings"].tolist() == [84] * 3


def test_the_report_compares_the_ranking_too(tmp_path: Path) -> None:
    with Store(settings=Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool")) as store:
        file = tmp_path / "mine.csv"
        head = "prompt,rater," + ",".join(f"rank_{name}" for name in SYSTEMS)
        file.write_text("\n".join([head, *(",".join(map(str, row)) for row in ranked())]) + "\n")
        with use_session(Session(store)):
            asked = ReportSettings(
                without=("worst 1",), draws=50, generalize="these raters", tasks="these tasks"
            )
            study, scenario = open_report_study(store.add(file), "", asked)
            assert scenario.names == ("w0",)
            (systems,) = rankings_of_report(study, scenario, asked)
            (raters,) = rankers(study, scenario, asked)
    assert any("Without rater w0" in plain(one.headline) for one in systems.findings)
    assert any("for these tasks" in plain(one.evidence) for one in systems.findings)
    assert {table.name for table in raters.tables} >= {"systems"}


def test_who_ranks_by_position_is_excluded_by_a_rule(open_page: Open, add_rows: Callable[..., str]) -> None:
    dice, rows = random.Random(9), []
    for task in range(12):
        for rater in range(6):
            shown = dice.sample(range(1, 4), 3)
            worth = [place if rater == 2 else at + dice.gauss(0, 1) for at, place in enumerate(shown)]
            rows += [
                (f"t{task}", f"w{rater}", name, 1 + sum(other < own for other in worth), place)
                for name, place, own in zip(SYSTEMS, shown, worth, strict=True)
            ]
    key = add_rows("prompt,rater,system,rank,position", rows, "rankings")
    app = open_page("workers.py", d=key, rule=POSITION, limit="0.9")
    assert "Excluded: w2 (ranks follow the position" in sentences(app)
    unknown = add_rows("prompt,rater,system,rank", [row[:4] for row in rows], "rankings")
    assert POSITION not in open_page("workers.py", d=unknown).selectbox("rule").options


def test_a_scale_needs_more_than_one_order_and_raters_need_names(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [(f"p{at % 4}", 1, 2, 3) for at in range(16)]
    key = add_rows("prompt,rank_a,rank_b,rank_c", rows, "rankings")
    assert "not enough data" in statuses(open_page("systems.py", d=key))
    assert "nobody is named who gave these ranks" in sentences(open_page("workers.py", d=key))


@pytest.mark.parametrize(
    "page", ["agreement.py", "distributions.py", "repetitions.py", "planning.py", "items.py"]
)
def test_other_pages_say_what_they_need(open_page: Open, rankings: str, page: str) -> None:
    app = open_page(page, d=rankings)
    assert not app.exception
    assert "This data set holds ranks, and this page needs" in sentences(app)


def test_the_overview_has_a_card_of_systems_and_one_of_raters(open_page: Open, rankings: str) -> None:
    app = open_page("overview.py", d=rankings)
    told = sentences(app)
    assert "System human ranks" in told
    assert "typical rater" in told
    assert len(figures(app)) == 2


@pytest.mark.parametrize("page", ["systems.py", "workers.py", "overview.py"])
def test_every_interval_has_a_row_and_every_head_is_plain(
    open_page: Open, best_worst: str, page: str
) -> None:
    """Of whole rankings, tests/pages/test_every_page.py."""
    app = open_page(page, d=best_worst, scale_draws="100", all_columns="true")
    assert [each for each in headings(app) if figures_of(page, each) is None] == []
    assert unexplained(app) == set()


def test_excluded_raters_are_left_out(open_page: Open, rankings: str) -> None:
    app = open_page("systems.py", d=rankings, without=["w0"], scale_draws="100", all_columns="true")
    assert app.dataframe[0].value["Rankings"].tolist() == [84] * 3


@pytest.mark.journey
@pytest.mark.usefixtures("own_folder")
def test_the_program_finds_the_numbers_of_the_page(open_page: Open) -> None:
    file = Path("mine.csv")
    head = "prompt,rater," + ",".join(f"rank_{name}" for name in SYSTEMS)
    file.write_text("\n".join([head, *(",".join(map(str, row)) for row in ranked())]) + "\n")
    scope = {"generalize": "these raters", "generalize_tasks": "these tasks"}
    key = own_file(file, "rankings")
    app = open_page("systems.py", d=key, scale_draws="100", all_columns="true", **scope)
    shown = app.dataframe[0].value
    found = ran(app)
    assert found["agreement"].over == "rankings"
    assert [found["options"][name].value for name in shown["System"]] == pytest.approx(
        shown["Chance"].tolist()
    )
