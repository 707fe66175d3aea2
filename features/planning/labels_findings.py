"""Finding, notes and table of the votes that make labels right."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

from features.blocks import Finding, NextStep, Note, Table
from features.planning.costs import effort
from features.planning.labels_results import MOST_TRIED, LabelsFound
from features.plotting.numbers import decimal, share
from features.tables import Column, table_of
from features.verdicts import clear, uncertain
from features.words import counted, of_many


def labels_finding(found: LabelsFound) -> Finding:
    """Return the votes that labels need.

    Without known answers it is uncertain: errors that raters share look like agreement, and more votes repeat them.
    """
    spec, known, votes = found.spec, found.known, found.votes
    assumed = f"one vote right on {share(spec.accuracy)}, ICC {decimal(spec.icc)}"
    values: dict[str, object] = {"wanted": share(spec.wanted)}
    if not isfinite(votes):
        reached = f"{MOST_TRIED} votes reach {share(found.right(MOST_TRIED))}"
        headline = "No number of votes makes labels right on {wanted} of items."
        return clear(headline, values, f"Limit {share(found.limit)}", reached, assumed, _source(found))
    n = int(votes)
    values |= {"votes": counted(n, "vote")}
    line = (
        f"{of_many(n, 'votes')}: {share(found.right(n))}",
        f"{of_many(n - 1, 'votes')}: {share(found.right(n - 1))}" if n > 1 else "",
        f"limit {share(found.limit)}",
        assumed,
        _source(found),
    )
    if known is not None and not known.known:
        step = NextStep("Add known answers on Data", "datasets.py")
        headline = "<b>{votes}</b> per item reach {wanted} only if raters share no errors."
        return replace(uncertain(headline, values, *line), next_step=step)
    return clear("Labels need <b>{votes}</b> per item to be right on {wanted} of items.", values, *line)


def _source(found: LabelsFound) -> str:
    if found.known is None:
        return "numbers as entered"
    votes = of_many(found.known.votes, "votes")
    return f"{votes} with known answers" if found.known.known else f"{votes}, no answers known"


def labels_notes(found: LabelsFound) -> Iterator[Note]:
    """Yield the effort, and where the accuracy of one vote comes from."""
    spec, known = found.spec, found.known
    if isfinite(found.votes):
        votes = int(found.votes)
        yield Note(
            effort(
                spec.prices,
                spec.items * votes,
                found.price(votes),
                f" for {of_many(spec.items, 'items')}",
                "votes",
            )
        )
    if known is None:
        return
    template = "No answers are known; by Dawid-Skene's estimate {accuracy} of the {votes} are right"
    if known.known:
        template = "In the open choices {accuracy} of {votes} with a known answer are right"
    template += ", with an intraclass correlation over items of {icc}." if known.icc == known.icc else "."
    if known.own:
        template += (
            " Up to {own} per item the figures are those of the items' own votes; beyond them the model says how much "
            "further votes add."
        )
    values = {"accuracy": share(known.accuracy), "votes": of_many(known.votes, "votes")}
    yield Note((template, values | {"icc": decimal(known.icc), "own": of_many(len(known.own), "votes")}))


def labels_table(found: LabelsFound) -> Table:
    """Return what each number of votes gives and costs."""
    votes, prices = list(range(1, found.most + 1)), found.spec.prices
    price = [Column("Price", [found.price(n) for n in votes], prices.written)] if prices.are_known else []
    return table_of(
        "labels",
        "How often the majority of so many votes is right.",
        [
            Column("Votes per item", votes),
            Column("Right", [found.right(n) for n in votes], lambda value: share(value, 1)),
            *price,
        ],
    )
