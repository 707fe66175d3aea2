# ruff: noqa: SIM905 - lists of words read better as words
"""How people write which of two options was chosen: by position, by the system's name, or that both are alike.

A choice is compared without case, white space and punctuation. The name of a system wins over a position.
"""

FIRST = "a 1 first left optiona option1 systema system1 modela model1 lista list1 aisbetter aisbest".split()
SECOND = (
    "b 2 second right optionb option2 systemb system2 modelb model2 listb list2 bisbetter bisbest".split()
)
BOTH = "both bothgood bothrelevant bothequallyrelevant bothequallygood equallygood equallyrelevant allgood".split()
NEITHER = (
    "neither none bothbad tiebothbad bothpoor bothirrelevant equallybad equallyirrelevant bothequallyirrelevant "
    "bothequallypoor nothing"
).split()
TIE = "tie tied draw equal equally same nodifference nopreference 0".split()
SIDES = (FIRST, SECOND, BOTH, NEITHER, TIE)
"""By the code of the side: 0 the first option, 1 the second, 2 both, 3 neither, 4 a tie."""


def side_sql(choice: str, option_a: str, option_b: str) -> str:
    """SQL for the code of the side that a column says was chosen, NULL where it says nothing known."""
    told = _plain(choice)
    words = " ".join(
        f"WHEN {told} IN ({', '.join(repr(word) for word in words)}) THEN {code}"
        for code, words in enumerate(SIDES)
    )
    return f"CASE WHEN {choice} = {option_a} THEN 0 WHEN {choice} = {option_b} THEN 1 {words} END"


def _plain(text: str) -> str:
    return f"regexp_replace(lower({text}), '[^\\p{{L}}\\p{{N}}]', '', 'g')"
