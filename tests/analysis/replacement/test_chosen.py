"""Choices as answers: the system is the answer whichever stood first, and a comparison is an item of its own."""

import numpy as np

from analysis.replacement.reference_means import encode_choices

A, B, C = 0, 1, 2


def test_the_answer_is_the_system_wherever_it_stood() -> None:
    rows = [  # item, design, first, second, choice, expert, gold
        (0, 0, A, B, 0, 1, -1),
        (0, 0, B, A, 1, 0, -1),
        (0, 0, A, B, 2, -1, 3),
        (0, 1, A, B, 0, 0, -1),
        (0, 0, A, C, 0, 0, -1),
        (1, 0, A, B, 1, 1, -1),
    ]
    columns = ("item", "design", "first", "second", "choice", "expert", "gold")
    choices = dict(zip(columns, np.array(rows).T, strict=True)) | {"rater": np.arange(6)}
    found = encode_choices(choices, systems=3, designs=2)
    assert found.answer[[0, 1, 3, 4, 5]].tolist() == [A, A, A, A, B]
    assert found.answer[2] not in (A, B, C), "both of them is no system"
    assert found.known["expert"].tolist() == [B, B, -1, A, A, B]
    assert found.known["gold"][2] != found.answer[2], "neither is not both"
    assert len(set(found.item[:3].tolist())) == 1
    assert len(set(found.item.tolist())) == 4, "other designs, pairs and items apart"


def test_a_label_is_its_own_answer() -> None:
    none = np.full(3, -1)
    choices = {
        "item": np.array([0, 0, 1]),
        "rater": np.array([0, 1, 0]),
        "design": none,
        "first": none,
        "second": none,
        "choice": np.array([2, 0, 1]),
        "expert": none,
        "gold": np.array([0, 0, -1]),
    }
    found = encode_choices(choices, systems=0, designs=0)
    assert found.item.tolist() == [0, 0, 1]
    assert found.answer.tolist() == [2, 0, 1]
    assert found.known["gold"].tolist() == [0, 0, -1]
