"""A filter or a small file may leave a single item."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from ui.visit.pages import PAGES


def test_every_page_answers_for_a_single_item(
    open_page: Callable[..., AppTest], add_study: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "one.csv"
    rows = "".join(f"a,{group} {at},{at + 2},{group}\n" for group in ("crowd", "lab") for at in range(3))
    file.write_text(f"item_id,rater_id,score,rater_group\n{rows}")
    key = add_study(file)
    for entry in PAGES:
        if entry.needs_dataset and "ratings" in entry.kinds:
            open_page(entry.script, d=key)
