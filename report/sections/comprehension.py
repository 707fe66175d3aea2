"""Cross comprehension: how much of what one author found important another's summary holds, and length beside it."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from features.results import with_intervals
from features.study import Study
from findings.comprehension import answers, length, lengths, shares
from findings.comprehension import shared as shared_answers
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given


def sections(study: Study, asked: Asked) -> Iterator[Section]:
    """Shares of answers, then the summaries' length where it is known."""
    machines, bootstrap = answers.machines(study), asked.bootstrap()
    shared = given(
        with_intervals(
            study,
            shared_answers.LABEL,
            partial(shared_answers.shares_of, study, machines),
            bootstrap,
            machines,
        )
    )
    methods = (
        "Shares of answers that are relevant, partially relevant, irrelevant and not found, after Kolluru and Gotoh "
        "(2005); with several judges the mean of theirs. Intervals: {draws} draws of stories (seed {seed}), Student's "
        "t on angles. An author's own questions are set aside; machines have no part in the level that people share.",
        {"draws": bootstrap.draws, "seed": bootstrap.seed},
    )
    yield Section(
        "comprehension",
        "How much is shared",
        findings=[shares.finding_of(shared)],
        pictures=[
            Picture(
                "shares",
                ("Shares of the four answers, by summary author and by question author.", {}),
                lambda look: shared_answers.bars(shared, look),
            )
        ],
        tables=[
            Table("shares", ("All answers.", {}), shares.overall_table(shared.shown.overall)),
            Table(
                "shares-by-author",
                ("Shares by summary author and by question author, with 95 % intervals.", {}),
                shares.authors_table(shared),
                ("Author", "As", "Questions", "R", "R, 95 %", "N", "N, 95 %", "R + P", "R + P, 95 %"),
            ),
        ],
        warnings=shares.remarks(shared),
        notes=shares.notes(shared),
        methods=[methods],
        cited=["kolluru2005"],
    )
    if not np.isnan(answers.summaries(study)["characters"]).all():
        yield _length(study, asked, machines)


def _length(study: Study, asked: Asked, machines: tuple[int, ...]) -> Section:
    compute = partial(lengths.lengths_of, study, machines)
    by_length = given(with_intervals(study, lengths.LABEL, compute, asked.bootstrap(), machines))
    names = answers.names(study, "author").tolist()
    return Section(
        "summary-length",
        "Summary length",
        findings=[length.finding_of(by_length)],
        pictures=[
            Picture(
                "length",
                ("Share found against mean summary length, a dot per author.", {}),
                lambda look: lengths.scatter(by_length, names, machines, look),
            )
        ],
        tables=[
            Table(
                "length",
                ("Words, characters and questions per summary, by author.", {}),
                length.authors_table(by_length, names),
                (
                    "Author",
                    "Summaries",
                    "Words",
                    "Characters",
                    "Questions per summary",
                    "Found",
                    "Found, 95 %",
                ),
            )
        ],
        methods=[
            (
                "Pearson's correlation of each author's share found with the mean length of the author's summaries in "
                "characters (Kolluru and Gotoh 2005), and, story by story, of each summary's share found with its "
                "length, less their means over the story's summaries.",
                {},
            )
        ],
        cited=["kolluru2005"],
    )
