"""Summaries of six systems with what two assessors say of them, and the steps that tests of them take on the page."""

from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

WORKSPACE = "a" * 32
SAID = ["the dam broke", "nine people died", "a bridge fell", "it rained for days", "help came late"]


def study(text: bool = True, number: bool = True):
    """Six systems' summaries of four topics; Ann judged two topics, Bob the others; `bleu` follows the score."""
    rng = np.random.default_rng(0)
    rows = []
    for topic in range(4):
        for system in range(6):
            quality = system / 2 + rng.normal(0, 0.5)
            said = ". ".join(SAID[: 1 + (system + topic) % 5])
            score = round(quality + rng.normal(0, 0.4), 2)
            row = [f"s{system}t{topic}", ("Ann", "Bob")[topic % 2], f"sys {system}", f"T{topic}", score]
            row += [round(quality, 3)] if number else []
            row += [f"{said}.", ". ".join(SAID[:3])] if text else []
            rows.append(tuple(row))
    header = "item_id,rater_id,system,topic,score" + (",bleu" if number else "")
    return header + (",text,reference_text" if text else ""), rows


def marked(rows, column: bool = True):
    """Ann marks all that is said, Bob misses the bridge in half of the summaries."""
    found = []
    for at, (item, rater, _, topic, *_, text, _) in enumerate(rows):
        for scu, words in enumerate(SAID):
            if words in text and not (rater == "Bob" and scu == 2 and at % 2):
                found.append((topic, item, scu, words, 1 + scu % 3, *([rater] if column else [])))
    return "topic,item_id,scu_id,contributor_text,weight" + (",rater_id" if column else ""), found


def opened(open_page: Callable[..., AppTest], page: str, d: str, **address: str) -> AppTest:
    return calm(open_page(page, d=d, **address))


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def leave_out(app: AppTest, *raters: str) -> AppTest:
    return calm(app.multiselect(key="without").set_value(list(raters)).run())


def box(app: AppTest, label: str):
    return next(each for each in app.main.selectbox if each.label == label)
