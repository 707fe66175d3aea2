"""Summary length: whether longer summaries answer more, and how long each author's are."""

from functools import partial

import numpy as np
import streamlit as st

from analysis.comprehension.length_and_found import LengthAndFound
from features.study import Study
from findings.code import comprehension as program
from findings.comprehension import answers
from findings.comprehension.length import UNKNOWN, authors_table, finding_of, remarks
from findings.comprehension.lengths import LABEL, lengths_of, scatter
from panels.comprehension.settings import settings
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_intervals
from ui.words import note, warn

ALT = "Share found against mean summary length, a dot with its name per author"


def show(study: Study) -> None:
    """Finding, scatter, what four authors say, Table 1; where lengths are unknown, what would tell them."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study)
    picture = st.empty()
    names = answers.names(study, "author").tolist()
    unknown = np.isnan(answers.summaries(study)["characters"])
    none_known = bool(unknown.all())

    def draw_lengths(by_length: LengthAndFound, stage: str) -> None:
        with finding:
            show_finding(UNKNOWN if none_known else finding_of(by_length))
        if not none_known:
            draw(
                picture,
                scatter(by_length, names, chosen.machines, look()),
                key=f"comprehension length {stage}",
                alt=ALT,
            )

    by_length = show_intervals(
        study,
        LABEL,
        partial(lengths_of, study, chosen.machines),
        chosen.bootstrap,
        draw_lengths,
        chosen.machines,
    )
    for sentence in remarks(chosen.machines, int(unknown.sum()), len(unknown)):
        (warn if none_known else note)(*sentence)
    st.header("Summaries by author")
    conclude(
        "summary_length",
        [(authors_table(by_length, names), "Words, characters and questions per summary, by author")],
        figure=lambda: scatter(by_length, names, chosen.machines, look()),
    )
    show_code(lambda: program.length(study, chosen.bootstrap, chosen.machines))


EXPLANATION = r"""
**Over authors** (the paper's section 5.1): Pearson's correlation of each author's share found (R + P + I, of the
others' questions) with the mean length of the author's summaries in characters; the interval is Fisher's z, which holds
its level with so few authors only where both are normal over authors. The paper's
four authors (71, 61, 54 and 73 % at 113, 99, 81 and 131 characters) give r = .965, from .05 to .999: four points on a
line are a hint that there is something, and hardly more.

**Of the same story**: each summary's share found and its length, both less their means over the story's summaries, so
that rich and poor stories do not mix with long and short summaries. It rests on many summaries instead of four
authors, each with few questions, which pulls r towards 0. The interval rests on draws of
stories, on Fisher's z. Authors differ in more than
length, so it is still no effect of adding words.

**Table 1**: characters and words come from the text where no column tells them; a word is what stands between spaces.
Characters per word is each summary's own quotient. SD with n − 1.

Source: Kolluru and Gotoh 2005, sections 3.4 and 5.1, Table 1; Fisher 1921.
"""
