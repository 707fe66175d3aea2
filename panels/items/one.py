"""One item's ratings, or one rater's."""

import numpy as np
import streamlit as st

from analysis.values.names import shorten
from charts.items.points import points
from features.plotting.by_group import dots_by_group
from features.results import query
from features.study import Study
from findings.items.one import item_finding, mean_table, means, nothing_of, ratings_table, what_rater_rated
from panels.items.choose import ask_for
from ui.conclusions import show_finding
from ui.pictures import clicked, draw, look
from ui.tables import show_table
from ui.words import note, say

LONGEST_TEXT = 20_000
"""Characters of an item's text that the page shows; files of the data set have all."""


def show_item(study: Study, item: str) -> None:
    """Who gave it which rating, what the groups say, and its text."""
    rows = query(study.dataset, "ratings_of_item", item=item)
    if not len(rows["score"]):
        say(*nothing_of("item", item))
        return
    about = query(study.dataset, "about_item", item=item)
    cells = means(rows, study)
    show_finding(item_finding(item, rows, about, cells))
    if cells:
        draw(
            st,
            dots_by_group(cells, study.groups, "MOS", look()),
            key="item_means",
            alt="MOS per measure and group",
        )
        show_table(*mean_table(cells), alt="MOS of the item per measure and group")
    for column, called in (("text", "Its text"), ("reference_text", "The text it was compared with")):
        if about[column][0]:
            with st.expander(called, expanded=column == "text"):
                st.text(shorten(about[column][0], LONGEST_TEXT))
    note("Every rating; a ticked row leads to all ratings by its rater.")
    ticked = show_table(
        *ratings_table(rows, "rater"), alt="Every rating of the item", most=12, key="ratings of item"
    )
    if ticked:
        ask_for("rater", str(rows["rater"][ticked[0]]))


def show_rater(study: Study, rater: str) -> None:
    """What a rater gave, against what the others gave."""
    rows = query(study.dataset, "ratings_of_rater", rater=rater)
    if not len(rows["score"]):
        say(*nothing_of("rater", rater))
        return
    say(*what_rater_rated(rater, rows))
    names = rows["item"].tolist()
    usual = np.zeros(len(names), dtype=np.bool_)
    figure = points(rows["others"], rows["score"], names, usual, ("Mean of the others", "Score"), look())
    at = clicked(st, figure, key="rater_points", alt="Each score of the rater against the mean of the others")
    note("Every rating; a click on a point or a ticked row leads to all ratings of its item.")
    table = ratings_table(rows, "item")
    ticked = show_table(*table, alt="Every rating by the rater", most=12, key="ratings of rater")
    for place in (*at, *ticked):
        ask_for("item", names[place])
