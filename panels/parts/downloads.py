"""What a visitor can take away from a page: its table at full precision, and its figure."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from charts.parts.export import html
from data.export import csv_bytes, latex, markdown
from panels.parts.pictures import look


def downloads(
    name: str, table: Callable[[], pd.DataFrame], figure: Callable[[], dict[str, Any]] | None = None
) -> None:
    """The fold with the table as CSV, LaTeX and Markdown and the figure as HTML, made when asked for.

    The figure's own button (camera, at its top right) saves SVG from the browser.
    """
    fold = st.expander("Download", on_change="rerun", key=f"download_{name}")
    if not fold.open:
        return
    shown_on = look()
    with fold, st.container(horizontal=True):
        st.download_button(
            "Table (CSV)", lambda: csv_bytes(table()), f"{name}.csv", "text/csv", on_click="ignore"
        )
        st.download_button(
            "Table (LaTeX)", lambda: latex(table()), f"{name}.tex", "text/x-tex", on_click="ignore"
        )
        st.download_button(
            "Table (Markdown)", lambda: markdown(table()), f"{name}.md", "text/markdown", on_click="ignore"
        )
        if figure is not None:
            st.download_button(
                "Figure (HTML)",
                lambda: html(figure(), shown_on),
                f"{name}.html",
                "text/html",
                on_click="ignore",
            )
        st.caption("The camera at a figure's top right saves it as SVG.")
