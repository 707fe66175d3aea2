"""How people write judgments: of an answer as relevant (R), partially relevant (P), irrelevant (I) or not found (N),
and of a document as relevant or not.

A word is compared without case, white space and punctuation.
"""

ANSWERS = "RPIN"
"""The letter of each answer, at its code."""
WORDS = {
    "R": "relevant fullyrelevant fully full completelyrelevant complete correct right found yes",
    "P": "partiallyrelevant partial partially partlyrelevant partly partiallycorrect partlycorrect "
    "somewhatrelevant half incomplete",
    "I": "irrelevant totallyirrelevant notrelevant nonrelevant unrelated wrong incorrect different",
    "N": "notfound nofound unfound missing noanswer unanswered notanswered unanswerable notthere notpresent "
    "notmentioned none absent no",
}
NUMBERS = ("3 2 1 0", "0 1 2 3", "1 2 3 4", "4 3 2 1")
"""What numbers may stand for R, P, I and N, in this order."""

RELEVANT = "relevant r rel yes y true t 1 positive"
NOT_RELEVANT = "notrelevant n nr irrelevant nonrelevant unrelated i no false f 0 negative"


def answer_sql(answer: str, numbers: str = NUMBERS[0]) -> str:
    """SQL for R, P, I or N as a column says it, NULL where it says nothing known."""
    words = " ".join(
        f"WHEN {_plain(answer)} IN ({_listed(_ways(letter, words))}) THEN '{letter}'"
        for letter, words in WORDS.items()
    )
    counted = " ".join(
        f"WHEN {number} THEN '{letter}'" for letter, number in zip(ANSWERS, numbers.split(), strict=True)
    )
    number = f"try_cast({answer} AS DOUBLE)"
    return (
        f"CASE WHEN {answer} IN ({_listed(ANSWERS)}) THEN {answer} "
        f"WHEN {number} IS NOT NULL THEN CASE {number} {counted} END {words} END"
    )


def judgment_sql(judgment: str) -> str:
    """SQL for 1 where a column says relevant, 0 where it says not relevant, NULL where it says nothing known."""
    number = f"try_cast({judgment} AS DOUBLE)"
    return (
        f"CASE WHEN {number} IS NOT NULL THEN CASE WHEN {number} IN (0, 1) THEN {number} END "
        f"WHEN {_plain(judgment)} IN ({_listed(RELEVANT.split())}) THEN 1.0::DOUBLE "
        f"WHEN {_plain(judgment)} IN ({_listed(NOT_RELEVANT.split())}) THEN 0.0::DOUBLE END"
    )


def is_understood(type: str, cell: str) -> bool:
    """Whether a cell may be an "answer" or a "judgment": one of the words for it, or a number."""
    plain = "".join(c for c in cell.casefold() if c.isalnum())
    if type == "answer":
        return plain in ["0", "1", "2", "3", "4"] or any(
            plain in _ways(letter, words) for letter, words in WORDS.items()
        )
    return plain in (*RELEVANT.split(), *NOT_RELEVANT.split())


def _ways(letter: str, words: str) -> list[str]:
    """The letter, its words, and both together: R - relevant."""
    plain = letter.lower()
    return [plain, *words.split(), *(plain + word for word in words.split())]


def _listed(words: "list[str] | str") -> str:
    return ", ".join(f"'{word}'" for word in words)


def _plain(text: str) -> str:
    return f"regexp_replace(lower({text}), '[^\\p{{L}}\\p{{N}}]', '', 'g')"
