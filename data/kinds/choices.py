# ruff: noqa: SIM905 - lists of words read better as words
"""Choices: which of two systems, or which label, a rater chose for an item."""

from data.kinds.kind import CanonicalColumn, Kind, Repeats, free_text, number, text
from data.kinds.shared_columns import (
    CHECK,
    CHOICE,
    EXPECTED,
    FIRST,
    GROUP_COLUMN,
    ITEM,
    ORDER,
    RATED_AT,
    RATER,
    SECOND,
    SECONDS,
    STATUS,
)

CHOICES = Kind(
    "choices",
    "Choices: which of two systems, or which label, a rater chose for an item",
    (
        text(
            "item_id",
            "What was compared or labelled: a fragment, a prompt, a picture.",
            *ITEM,
            required=True,
            called="item",
            text_in="text",
        ),
        text("rater_id", "Who chose.", *RATER, required=True, called="rater"),
        text(
            "choice",
            "What was chosen. Of two options: A or B, first or second, left or right, the system's name, "
            "both, neither, tie; beside 'neither', as in Chatbot Arena, a tie means both. Without "
            "options: any label.",
            *CHOICE,
            required=True,
        ),
        text(
            "option_a",
            "The system in first position (left, A, 1), row by row. Not needed for labels.",
            *FIRST,
            called="first option",
        ),
        text(
            "option_b",
            "The system in second position (right, B, 2), row by row. Not needed for labels.",
            *SECOND,
            called="second option",
        ),
        CanonicalColumn(
            "design",
            "text",
            "The question or task, where there are several: tone and intent, 2-choice and 4-choice. Each is analyzed "
            "separately.",
            tuple("design tasktype hitdesign questiontype format condition round turn".split()),
            called="question",
        ),
        GROUP_COLUMN,
        text(
            "expert", "The expert's choice, in the same words.", *"expert expertanswer expertchoice".split()
        ),
        text("gold", "The true answer, in the same words.", "gold", *EXPECTED),
        number("order", "The place of the choice in time: first, second, third.", *ORDER),
        CanonicalColumn("rated_at", "time", "When it was chosen.", tuple(RATED_AT)),
        number("seconds", "The seconds that this choice took.", *SECONDS),
        text("check", "Marks trap questions; these rows never enter a figure.", *CHECK, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
        free_text("text", "The text that was compared or labelled.", "text"),
    ),
    row="choice",
    rows="choices",
    rated="chose for",
    switches=("@form", "@raters", "@decimal", "@numbers", "@rejected", "@duplicates", "@seconds", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "design", "option_a", "option_b", "rater_group"),
        "rater_id",
        "the same rater has chosen for this item before",
    ),
    forms={"rater columns": "rater_id", "measure columns": "design", "item columns": "item_id"},
    cells="choice",
    further=("rater attribute", "option number"),
    compared=("choice", "option_a", "option_b"),
    filters=("system", "design", "item_id"),
    study=True,
)
