"""How long the candidate's ratings took, as far as the data say it."""

import numpy as np

from analysis.repetitions.cost import Times, repeated, times_of
from features.results import key_of, read, result
from features.study import Study


def times_of_ratings(study: Study) -> Times:
    """The times of the candidate's ratings."""
    if not study.dataset.has("seconds"):
        return Times()

    def compute() -> Times:
        every = [
            read(study.dataset, "ratings", measure=measure, group=study.candidate)
            for measure in study.measures
        ]
        cells = [np.column_stack([rows["rater"], rows["item"], rows["seconds"]]) for rows in every]
        times = times_of(every[0]["rater"], every[0]["seconds"], repeated(np.vstack(cells)))
        return times.settled() if "@seconds" in study.dataset.mapping else times

    return result(key_of(study.dataset, "times", study.measures, study.candidate), compute)
