"""The picture of Crowd vs lab: each item's MOS on both sides, one panel per measure."""

from collections.abc import Callable

import streamlit as st

from charts.crowd_vs_lab.items import differences, scatter
from features.plotting.figure import Figure
from features.plotting.theme import group_colour
from features.results import query
from features.study import Study
from findings.crowd_vs_lab.comparisons import best_known, first_known
from findings.crowd_vs_lab.item_mos import item_mos
from findings.crowd_vs_lab.without_chance import slopes
from panels.crowd_vs_lab.settings import SCATTER, Settings
from ui.item_links import offer
from ui.pictures import clicked, look
from ui.words import note, say


def show(study: Study, chosen: Settings) -> Callable[[], Figure]:
    """Draws the chosen picture of the measures on show, and returns what draws it for the download."""
    scattered = chosen.picture == SCATTER
    compared = () if scattered else best_known(study, chosen.spec)
    known = compared or first_known(study, chosen.spec)
    apart = [m for m, one in zip(study.measures, compared, strict=False) if not one.same_scale]
    panels = [
        item_mos(study, measure, one)
        for measure, one in zip(study.measures, known, strict=True)
        if measure in chosen.measures and one.items_shared and measure not in apart
    ]
    colour = group_colour(study.candidate, study.groups)
    sides = study.candidate, study.reference_name

    def picture() -> Figure:
        if scattered:
            return scatter(panels, *sides, colour, look(), study.reference_column is not None)
        return differences(panels, *sides, colour, look())

    if panels:
        figure = picture()
        at = clicked(
            st,
            figure,
            key="comparison",
            alt=f"{chosen.picture} of {study.candidate} against {study.reference_name}, one panel per measure",
        )
        if at:
            offer("item", str(query(study.dataset, "item_names")["name"][at[0]]))
        if any(trace["type"] == "heatmap" for trace in figure["data"]):
            note(
                "The stronger the colour, the more items lie there; those apart are points, which can be clicked."
            )
        if not scattered and (told := slopes(study, compared)) is not None:
            note(*told)
    elif any(one.items_shared for one in known):
        say("Differences need both sides on one scale. Choose the picture <b>Scatter</b>.")
    else:
        say("No item was rated on both sides. Choose another reference.")
    return picture
