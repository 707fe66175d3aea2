"""Agreement of studies as people bring them: who counts, which rows count, and what can be said."""

from pathlib import Path

import numpy as np
import pytest

from data.settings import Settings
from data.store.store import Store
from features.agreement.findings import agreement_finding
from features.agreement.results import AgreementSpec, summarize_agreement
from features.blocks import Status
from features.repetitions.ratings_findings import needed_finding
from features.repetitions.ratings_results import count_ratings_needed
from features.study import Session, Study, use_session
from features.words import plain
from report.settings import ReportSettings, open_report_study

HEADER = "item,rater,score"
SPEC = AgreementSpec()


def scores(items: int, raters: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    felt = rng.normal(3, 1, items)[:, None] + rng.normal(0, 0.3, raters) + rng.normal(0, 0.7, (items, raters))
    return np.clip(np.rint(felt), 1, 5)


def lines(score: np.ndarray, more: str = "") -> list[str]:
    return [f"i{i},r{r},{score[i, r]:g}{more}" for i, r in np.ndindex(score.shape)]


@pytest.fixture
def store(tmp_path: Path):
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study(store: Store, folder: Path, rows: list[str], header: str = HEADER) -> Study:
    file = folder / f"{len(rows)}.csv"
    file.write_text("\n".join([header, *rows]), encoding="utf-8")
    return open_report_study(store.add(file), "", ReportSettings())[0]


def test_two_raters_of_all_150_items_have_agreement_and_ratings_needed(store: Store, tmp_path: Path) -> None:
    both = study(store, tmp_path, lines(scores(150, 2)))
    (one,) = summarize_agreement(both, SPEC) or ()
    assert (one.summary.form, one.summary.scope, one.summary.raters) == ("ICC(C,1)", "these raters", 2)
    assert agreement_finding(both, [one]).status is Status.CLEAR
    needed = needed_finding(count_ratings_needed(both), 0.8)
    assert needed.status is Status.CLEAR
    assert not needed.warnings


def test_480_items_of_16_systems_by_three_raters_count_by_systems_and_topics(
    store: Store, tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    system, topic = (part.ravel() for part in np.indices((16, 30)))
    quality = 3 + rng.normal(0, 0.8, 16)[system] + rng.normal(0, 0.4, 30)[topic]
    score = np.clip(np.rint(quality[:, None] + rng.normal(0, 0.7, (480, 3))), 1, 5)
    rows = [
        f"s{system[i]}-t{topic[i]},r{r},{score[i, r]:g},s{system[i]},t{topic[i]}"
        for i, r in np.ndindex(480, 3)
    ]
    nested = study(store, tmp_path, rows, HEADER + ",system,topic")
    plain = study(store, tmp_path, [row.rsplit(",", 2)[0] for row in rows][: 3 * 480])
    (wide,), (narrow,) = summarize_agreement(nested, SPEC) or (), summarize_agreement(plain, SPEC) or ()
    assert wide.summary.alpha.value == pytest.approx(narrow.summary.alpha.value)
    widths = [one.summary.alpha.high - one.summary.alpha.low for one in (wide, narrow)]
    assert widths[0] > 2 * widths[1]
    assert wide.alpha.low > 0
    assert agreement_finding(nested, [wide]).status.concludes
    needed = needed_finding(count_ratings_needed(nested, scope="raters like these"), 0.8)
    assert needed.status is not Status.CLEAR
    assert needed.next_step is None or "items" not in needed.next_step.label


def test_tutorial_items_do_not_enter(store: Store, tmp_path: Path) -> None:
    score = scores(40, 3)
    rows = lines(score, ",") + [
        f"tutorial{t},r{r},{1 + 4 * (t % 2)},trap" for t in range(20) for r in range(3)
    ]
    with_them = study(store, tmp_path, rows, HEADER + ",check")
    without = study(store, tmp_path, lines(score))
    (one,), (other,) = summarize_agreement(with_them, SPEC) or (), summarize_agreement(without, SPEC) or ()
    assert one.summary.alpha.n == 40
    assert one.summary == other.summary


def test_an_export_with_tutorial_items_is_about_the_items_that_two_raters_share(
    store: Store, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    once = [f"i{i},r{i % 34},{rng.integers(1, 6)}," for i in range(300)]
    twice = [f"j{i},r{r},{rng.integers(1, 6)}," for i in range(8) for r in (i, i + 1)]
    tutorial = [f"t{t},r{r},{1 + 4 * (t % 2)},trap" for t in range(6) for r in range(34)]
    one_study = study(store, tmp_path, once + twice + tutorial, HEADER + ",check")
    (one,) = summarize_agreement(one_study, SPEC) or ()
    assert (one.summary.alpha.n, one.summary.one.n) == (8, 8)
    found = agreement_finding(one_study, [one])
    assert found.status is Status.NOT_ENOUGH_DATA
    needed = needed_finding(count_ratings_needed(one_study), 0.8)
    assert needed.status is Status.NOT_ENOUGH_DATA
    assert "8 items" in plain(needed.evidence)


def test_raters_who_contradict_each_other_do_not_agree_beyond_chance(store: Store, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    first = rng.integers(1, 6, 60).astype(float)
    second = np.clip(6 - first + rng.integers(-1, 2, 60), 1, 5)
    contrary = study(store, tmp_path, lines(np.column_stack([first, second])))
    (one,) = summarize_agreement(contrary, SPEC) or ()
    assert one.summary.one.value < 0
    assert "do not agree beyond chance" in agreement_finding(contrary, [one]).headline[0]
    needed = needed_finding(count_ratings_needed(contrary), 0.8)
    assert needed.headline[0].startswith("Raters do not agree beyond chance")
    assert needed.next_step is None


def test_repeats_of_a_rater_count_once(store: Store, tmp_path: Path) -> None:
    score = scores(40, 3)
    repeated = study(store, tmp_path, lines(score) + lines(score[:10]))
    once = study(store, tmp_path, lines(score))
    (one,), (other,) = summarize_agreement(repeated, SPEC) or (), summarize_agreement(once, SPEC) or ()
    assert one.summary.alpha.value == pytest.approx(other.summary.alpha.value)
    assert one.summary.alpha.low == pytest.approx(other.summary.alpha.low)


def test_raters_who_never_disagree_and_few_items_are_not_enough_data(store: Store, tmp_path: Path) -> None:
    agreed = study(store, tmp_path, lines(np.repeat(np.tile([1.0, 2, 3, 4], 10)[:, None], 3, axis=1)))
    few = study(store, tmp_path, lines(scores(12, 3)))
    for one in (agreed, few):
        assert agreement_finding(one, summarize_agreement(one, SPEC) or ()).status is Status.NOT_ENOUGH_DATA
        assert needed_finding(count_ratings_needed(one), 0.8).status is Status.NOT_ENOUGH_DATA


def test_raters_who_do_not_agree_beyond_chance_are_a_result(store: Store, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    chance = study(store, tmp_path, lines(rng.integers(1, 6, (200, 4)).astype(float)))
    found = agreement_finding(chance, summarize_agreement(chance, SPEC) or ())
    assert found.status is Status.CLEAR
    assert "do not agree beyond chance" in found.headline[0]
