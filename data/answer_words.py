"""How people write what a judge found: relevant (R), partially relevant (P), irrelevant (I) or not found (N).

An answer is compared without case, white space and punctuation.
"""

RELEVANT = ("r", "relevant", "fullyrelevant", "correct", "full")
PARTIAL = ("p", "partiallyrelevant", "partial", "partially", "partlyrelevant", "partly")
IRRELEVANT = ("i", "irrelevant", "totallyirrelevant", "notrelevant", "wrong", "different")
NOT_FOUND = ("n", "notfound", "missing", "noanswer", "none", "absent")
ANSWERS = (RELEVANT, PARTIAL, IRRELEVANT, NOT_FOUND)
"""By the code of the answer: 0 R, 1 P, 2 I, 3 N."""


def answer_sql(answer: str) -> str:
    """SQL for the code of what a column says was found, NULL where it says nothing known."""
    told = f"regexp_replace(lower({answer}), '[^\\p{{L}}\\p{{N}}]', '', 'g')"
    words = " ".join(
        f"WHEN {told} IN ({', '.join(repr(word) for word in words)}) THEN {code}"
        for code, words in enumerate(ANSWERS)
    )
    return f"CASE {words} END"
