"""Questions of the Data page about values before saving, and the templates that it offers."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.formats.readers import sniff
from data.kinds.definitions import KINDS, TEMPLATES
from data.mapping.proposal import propose
from tests.pages.conftest import copied, sentences

Open = Callable[..., AppTest]
SHARED = "item,rater,score,seconds\n" + "".join(
    f"clip {n},rater {r},{1 + (n + r) % 5},{60 + 7 * r}\n" for r in range(40) for n in range(5)
)
"""The five ratings of a rater share one time."""


def upload(open_page: Open, content: str) -> AppTest:
    app = open_page("datasets.py")
    app.file_uploader[0].upload("ratings.csv", content.encode())
    app.run()
    assert not app.exception
    return app


def boxes(app: AppTest) -> dict[str, Any]:
    return {box.label: box for box in app.selectbox}


def test_seconds_that_many_ratings_share_are_asked_about(open_page: Open) -> None:
    app = upload(open_page, SHARED)
    asked = boxes(app)["Seconds are of one"]
    assert asked.options == ["rating", "assignment"]
    assert asked.value == "assignment"
    assert "about 5.0 ratings in a row of a rater share one" in sentences(app)
    asked.select("rating").run()
    assert not app.exception
    assert boxes(app)["Seconds are of one"].value == "rating"
    assert "200 of 200 ratings kept" in sentences(app)


def test_seconds_of_single_ratings_are_not_asked_about(open_page: Open) -> None:
    lines = SHARED.splitlines()
    own = [lines[0], *(f"{line.rpartition(',')[0]},{at + 0.5}" for at, line in enumerate(lines[1:]))]
    assert "Seconds are of one" not in boxes(upload(open_page, "\n".join(own) + "\n"))


def test_every_template_is_given_to_copy_and_to_download_and_is_what_it_says(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    given: dict[str, bytes] = {}
    button = st.download_button

    def keep(label: str, data: Any, name: str, *rest: Any, **more: Any) -> bool:
        if name.startswith("template") and name.endswith(".csv"):
            given[name] = data()
        return button(label, data, name, *rest, **more)

    monkeypatch.setattr(st, "download_button", keep)
    app = open_page("datasets.py")
    for name in TEMPLATES:
        slug = name.replace(" ", "-")
        app.session_state[f"open files of template-of-{slug} 1"] = True
        app.selectbox(key="template").select(KINDS[name].title).run()
        assert not app.exception
        (text,) = copied(app)
        downloaded = given.popitem()[1].decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(downloaded)))
        assert rows == list(csv.reader(text.splitlines(), delimiter="\t"))
        assert rows == [list(TEMPLATES[name]), *map(list, zip(*TEMPLATES[name].values(), strict=True))]
        file = tmp_path / f"{name}.csv"
        file.write_text(downloaded)
        assert set(propose(sniff(file), name).mapping) >= set(KINDS[name].required)
