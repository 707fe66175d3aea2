"""The program of the Overview: what the data set holds; the other pages have programs of their own."""

from features.study import Study
from findings.code.program import PRINTED, program


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
