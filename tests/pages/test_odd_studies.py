"""Studies that nobody would plan: no two parts of a page contradict each other, and nobody is named on too little."""

import csv
import html
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from tests.golden.views import SMALL
from tests.pages.conftest import figures, sentences_of
from tests.pages.odd_studies import OddStudy, odd_study
from tests.pages.test_shown_figures import NUMBER, QUESTIONS, as_shown
from ui.visit.pages import PAGES

BROKEN = re.compile(
    r"\bnan\b|\bNone\b(?! of)|\binf\b|\ball 1\b|\b1 of 1\b|Something failed|\{\w*\}|&amp;|undefined undefined"
)
THINGS = (
    "items|raters|ratings|measures|systems|groups|stories|documents|"
    "choices|pairs|judges|authors|votes|workers|rows"
)
ONE = re.compile(rf"(?<![\d.,])1 ({THINGS})\b")
SUPERLATIVE = re.compile(
    r"\b(most|least) consistent\b|\bagrees (best|least)\b|\bwins over\b|\bis preferred over\b|\bthe (best|worst) of\b"
)
TABLED = ("distributions.py", "crowd_vs_lab.py", "agreement.py", "systems.py")
"""Pages whose first sentence says nothing that their picture or table does not show."""
LIMITS = ("0.80", "0.67")
"""Krippendorff's, which sentences quote."""
WITH_INTERVAL = re.compile(rf"({NUMBER})%? \((?:95% interval )?({NUMBER})%? to ({NUMBER})%?\)")
DECIMAL = re.compile(r"(?<![\w.,])[−-]?\d[\d,]*\.(\d+)(?![\w.]*\d)")


def complaints(app: AppTest, study: OddStudy, page: str) -> Iterator[str]:
    """Yield faults that a reader would see."""
    told = [html.unescape(sentence) for sentence in sentences_of(app)]
    for sentence in told:
        if BROKEN.search(sentence) or ONE.search(sentence):
            yield f"broken: {sentence}"
        if study.says_little and SUPERLATIVE.search(sentence):
            yield f"named on too little: {sentence}"
        for value, low, high in WITH_INTERVAL.findall(sentence):
            if not number(low) <= number(value) <= number(high):
                yield f"{value} lies outside its interval: {sentence}"
    seen = shown_numbers(app)
    for match in DECIMAL.finditer(told[0]) if told and seen.size and page in TABLED else ():
        if match[0] not in LIMITS and not np.any(
            np.abs(seen - number(match[0])) <= 0.5000001 * 10.0 ** -len(match[1])
        ):
            yield f"{match[0]} stands in no table, picture or control: {told[0]}"


def number(written: str) -> float:
    return float(written.replace("−", "-").replace(",", "").rstrip("."))


def shown_numbers(app: AppTest) -> NDArray[np.float64]:
    """Every number in the tables, pictures and controls of a page, as it is, as percent and with the other sign."""
    given = [table.value.to_dict("list") for table in app.dataframe]
    given += [as_shown(table).to_dict("list") for table in app.dataframe]
    given += [figure["data"] for figure in figures(app)]
    given += [control.value for control in (*app.slider, *app.number_input)]
    values = np.array(list(numbers_in(given)))
    values = values[np.isfinite(values)]
    return np.concatenate([values, 100 * values, -values])


def numbers_in(given: Any) -> Iterator[float]:
    if isinstance(given, dict) and "bdata" in given:
        yield from np.frombuffer(b64decode(given["bdata"]), given["dtype"]).astype(float)
    elif isinstance(given, dict):
        yield from (value for each in given.values() for value in numbers_in(each))
    elif isinstance(given, list | tuple):
        yield from (value for each in given for value in numbers_in(each))
    elif isinstance(given, int | float):
        yield float(given)
    elif isinstance(given, str):
        yield from (number(match[0]) for match in DECIMAL.finditer(given))


def views(
    open_page: Callable[..., AppTest], study: OddStudy, key: str, seed: int
) -> Iterator[tuple[str, AppTest]]:
    """Each page that is listed, and one more question of each that takes several."""
    address = {"d": key} | ({"without": list(study.without)} if study.without else {})
    rng = np.random.default_rng(seed)
    for entry in PAGES:
        if not entry.needs_dataset or study.kind not in entry.kinds:
            continue
        app = open_page(entry.script, **SMALL, **address)
        yield entry.script, app
        further = [
            {group.key: option.content}
            for group in app.get("button_group")
            if group.key in QUESTIONS
            for option in group.proto.options[1:]
        ]
        if further:
            asked = further[rng.integers(len(further))]
            yield entry.script, open_page(entry.script, **SMALL, **address, **asked)


@pytest.fixture
def add(add_study: Callable[..., str], tmp_path: Path) -> Callable[[OddStudy], str]:
    def save(study: OddStudy) -> str:
        file = tmp_path / "odd.csv"
        with file.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(study.header.split(","))
            writer.writerows(study.rows)
        return add_study(file, study.kind)

    return save


@pytest.mark.parametrize(
    "seed",
    [
        *(pytest.param(seed, marks=pytest.mark.journey) for seed in range(12)),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200)),
    ],
)
def test_an_odd_study_is_reported_without_contradiction(
    open_page: Callable[..., AppTest], add: Callable[[OddStudy], str], seed: int
) -> None:
    study = odd_study(seed)
    key = add(study)
    wrong = [
        f"{page}: {complaint}"
        for page, app in views(open_page, study, key, seed)
        for complaint in complaints(app, study, page)
    ]
    assert not wrong, "\n".join([f"{study.kind}, {study.header}, {len(study.rows)} rows", *wrong])
