"""A hostile visitor types addresses: keys that were guessed, and anything at all in every parameter.

What a wrong address shows is compared with what an address of nothing shows, element by element: whatever tells
them apart tells a guesser something.
"""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from data.samples import SAMPLES
from data.store.store import Store
from tests.pages.conftest import figures, sentences
from ui.visit.pages import PAGES

pytestmark = pytest.mark.journey
Open = Callable[..., AppTest]
SCRIPTS = [page.script for page in PAGES]
FIRST = {sample.kind: sample.key for sample in reversed(SAMPLES)}
SHOWN = [
    (page.script, FIRST[kind])
    for page in PAGES
    for kind in page.kinds
    if page.needs_dataset and kind in FIRST
]
"""Each page with the first sample of each kind that it shows, where there is one."""
SQL = "' OR 1=1; DROP TABLE datasets; --"
HOSTILE = (
    SQL,
    '" UNION SELECT link FROM links --',
    "../../../../etc/passwd",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) $x^2$ :smile:",
    "=cmd|' /C calc'!A0",
    "\x00\x1b[2J\u202e",
    "NaN",
    "-1e308",
    "9" * 400,
    "x" * 20_000,
)
TURNS, STEP = 3, 4
"""Hostile values that each parameter of a page gets; another page gives the same control the others."""


@pytest.fixture
def studies(add_study: Callable[..., str], tmp_path: Path) -> tuple[str, str]:
    """Keys of two people's data sets; the second's names say whose they are."""
    rows = [
        f"{owner} item {item},{owner} rater {rater},{group},{1 + (item + rater) % 5}"
        for owner in ("first", "secret")
        for item in range(6)
        for group in ("crowd", "lab")
        for rater in range(4)
    ]
    keys = []
    for owner in ("first", "secret"):
        file = tmp_path / f"{owner}.csv"
        own = [row for row in rows if row.startswith(owner)]
        file.write_text("\n".join(["item,rater,group,score", *own]) + "\n", encoding="utf-8")
        keys.append(add_study(file))
    return keys[0], keys[1]


def shown(app: AppTest) -> list[str]:
    """All that the page sent to the browser, element by element, without the ids that each visit has of its own."""
    return [
        repr(element.value) if hasattr(element, "value") else repr(element.proto) for element in _all(app)
    ]


def _all(app: AppTest) -> list[Any]:
    return [
        element
        for kind in (
            "title",
            "html",
            "text",
            "caption",
            "dataframe",
            "plotly_chart",
            "page_link",
            "selectbox",
        )
        for element in app.get(kind)
    ]


def names(app: AppTest) -> str:
    """Text visible to a visitor: sentences, texts, options of boxes, cells of tables."""
    options = [option for box in [*app.selectbox, *app.multiselect] for option in box.options]
    tables = [frame.value.to_string() for frame in app.dataframe]
    return " ".join(
        [sentences(app), *(text.value for text in app.text), *options, *tables, *map(repr, figures(app))]
    )


def gone_keys(studies: tuple[str, str]) -> dict[str, str]:
    """Keys that once led somewhere, and the key of the data set that is still there."""
    with Store() as store:
        saved = store.by_key(studies[1])
        assert saved is not None
        revoked = store.add_link(saved.id, "revoked")
        store.revoke_link(saved.id, revoked.key)
        expired = store.add_link(saved.id, "expired", expires=datetime.now(UTC) + timedelta(seconds=0.5))
        renewed = store.add_link(saved.id, "renewed")
        store.renew_link(saved.id, renewed.key)
        while store.by_key(expired.key) is not None:
            time.sleep(0.05)
        return {
            "revoked": revoked.key,
            "expired": expired.key,
            "renewed": renewed.key,
            "an id": saved.id,
            "a sha256": saved.sha256,
            "upper case": studies[1].upper(),
            "cut": studies[1][:-1],
            "longer": studies[1] + "0",
            "a wildcard": studies[1][:-1] + "%",
            "white space": f" {studies[1]}",
        }


def test_keys_that_were_lost_or_made_up_show_what_a_key_of_nothing_shows(
    open_page: Open, studies: tuple[str, str]
) -> None:
    nothing = shown(open_page("overview.py", d=secrets.token_hex(16)))
    assert "Not found" in nothing[0]
    for why, key in gone_keys(studies).items():
        app = open_page("overview.py", d=key)
        assert shown(app) == nothing, why
        assert "secret" not in names(app), why


def test_a_thousand_guesses_near_a_real_key_find_nothing(studies: tuple[str, str]) -> None:
    digits = "0123456789abcdef"
    with Store() as store:
        assert store.by_key(studies[0]) is not None
        near = [
            studies[0][:at] + digit + studies[0][at + 1 :]
            for at in range(32)
            for digit in digits
            if digit != studies[0][at]
        ]
        far = [secrets.token_hex(16) for _ in range(520)]
        assert len(near) + len(far) == 1000
        assert [key for key in near + far if store.by_key(key) is not None] == []


@pytest.mark.parametrize("page", SCRIPTS)
def test_another_ones_key_beside_ones_own_opens_one_of_them_and_never_mixes(
    open_page: Open, studies: tuple[str, str], page: str
) -> None:
    with Store() as store:
        saved = store.by_key(studies[1])
    assert saved is not None
    parameters = (
        "candidate",
        "reference",
        "measures",
        "without",
        "rule",
        "about",
        "section",
        "dataset",
        "id",
    )
    for hostile in (dict.fromkeys(parameters, saved.id), dict.fromkeys(parameters, studies[1])):
        app = open_page(page, d=studies[0], **hostile)
        assert app.title[0].value != "Not found"
        assert "secret" not in names(app), hostile


def bound(app: AppTest) -> set[str]:
    """The address parameters that the page's controls are bound to."""
    return {
        element.proto.query_param_key
        for kind in (
            "selectbox", "multiselect", "slider", "select_slider", "number_input", "text_input", "toggle",
            "checkbox", "radio", "button_group", "date_input", "color_picker",
        )
        for element in app.get(kind)
        if getattr(element.proto, "query_param_key", "")
    }  # fmt: skip


@pytest.mark.parametrize(("page", "key"), SHOWN)
def test_no_parameter_takes_anything_but_its_own_values(open_page: Open, page: str, key: str) -> None:
    """Each parameter gets hostile values of every kind in turn; the page shows what it shows without them."""
    plain = open_page(page, d=key)
    parameters = sorted(bound(plain) - {"currency"})
    assert (
        page == "overview.py" or parameters or not figures(plain)
    )  # a page that cannot show it has no controls
    start = SHOWN.index((page, key))
    for turn in range(TURNS):
        values = (HOSTILE[(start + at + turn * STEP) % len(HOSTILE)] for at in range(len(parameters)))
        hostile = dict(zip(parameters, values, strict=True))
        app = open_page(page, d=key, **hostile)
        assert sentences(app) == sentences(plain), (hostile, sentences(app))
        assert [figure["data"] for figure in figures(app)] == [figure["data"] for figure in figures(plain)]


def test_a_currency_may_be_any_few_letters_and_stays_text(open_page: Open) -> None:
    app = open_page("planning.py", d="sample-summaries", plan_price="0.1", currency="<b>x</b>")
    assert "64.00 &lt;b&gt;x&lt;/b&gt;" in "".join(html.body for html in app.get("html"))
    assert "64.00 <b>x" not in "".join(html.body for html in app.get("html"))


def test_sql_in_addresses_harmed_nothing(open_page: Open, studies: tuple[str, str]) -> None:
    open_page("overview.py", d=SQL)
    open_page("repetitions.py", d=studies[0], candidate=SQL, reference=SQL, measures=SQL)
    with Store() as store:
        assert store.by_key(studies[0]) is not None
        assert store.by_key(studies[1]) is not None
