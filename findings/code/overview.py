"""The program of the Overview: what the data set holds; the other pages have programs of their own."""

from features.program import PRINTED, program
from features.study import Study


def code(study: Study) -> str:
    asked = ["overview", "cells"] if study.dataset.kind in ("ratings", "choices") else ["overview"]
    return program(
        study,
        [],
        [
            f"results = {{what: store.query(dataset, what) for what in {asked}}}",
            *PRINTED,
        ],
    )
