"""The picture of the first screen: how many ratings per item the first sample needs."""

from data.samples import SAMPLES
from features.results import query
from features.study import Study, usual_roles
from findings.start import OF_THE_SAMPLE
from panels.repetitions import curve_picture
from ui.conclusions import remember_doubts
from ui.store import store
from ui.words import note


def show() -> None:
    """The finding and the curve of one measure."""
    sample = SAMPLES[0]
    dataset = store().by_key(sample.key)
    assert dataset is not None
    remember_doubts(dataset)
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    measures = tuple(dict.fromkeys(cells["measure"].tolist()))
    candidate, reference = usual_roles(groups)
    note(*OF_THE_SAMPLE, name=sample.name)
    curve_picture.show_at_a_glance(
        Study(
            key=sample.key,
            whole=dataset,
            dataset=dataset,
            groups=groups,
            all_measures=measures,
            candidate=groups[candidate],
            reference=groups[reference],
            reference_column=None,
            measures=measures,
        )
    )
