"""How people write which of two options was chosen: by position, by the system's name, or that both are alike.

A choice is compared without case, white space and punctuation. The name of a system wins over a position.
"""

OPTION = (
    "options?|systems?|models?|lists?|responses?|answers?|outputs?|summary|summaries|choices?|candidates?|"
    "assistants?|versions?|texts?|translations?|images?|results?|items?|samples?|ones?|sides?"
)
DEGREE = "much|far|slightly|somewhat|abit|alittle|clearly|definitely|significantly|strongly"
PREFERRED = "better|best|preferred|chosen|selected|won|wins|win|winner|superior|morerelevant"
GOOD = "good|great|fine|ok|okay|relevant|correct|acceptable|useful"
BAD = "bad|poor|wrong|terrible|irrelevant|notrelevant|notgood|incorrect|unacceptable|useless"
ALIKE = "equal|equally|same|thesame|similar|alike|tie|ties|tied|draw|equivalent|comparable"


def _position(words: str) -> str:
    preferred = f"(i)?({DEGREE})?(prefer|choose|chose|pick|select)?"
    better = f"(is|are|was|looks|seems)?({DEGREE})?(the)?({PREFERRED})?(than.*)?"
    return f"{preferred}(the)?({OPTION})?({words})({OPTION})?{better}"


_BOTH_ARE = f"(tie)?(both|all|theyare)?({OPTION})?(are)?"
SIDES = (
    _position("a|1|1st|first|left|top|upper"),
    _position("b|2|2nd|second|right|bottom|lower"),
    f"both({OPTION})?|(tie)?(both|all)({OPTION})?(are)?(equally)?({GOOD})|({OPTION})?(are)?equally({GOOD})",
    f"none|nothing|neither({OPTION})?|(neither|none)({OPTION})?(is|are)?({GOOD})|"
    f"{_BOTH_ARE}(equally)?({BAD})|(neither|none)of(them|the({OPTION})|both|these)",
    f"{_BOTH_ARE}(about|roughly|nearly)?({ALIKE})|(neither|none)({OPTION})?(is|are)?better|"
    "no(clear|real)?(difference|preference|winner)|evens?",
)
"""By the code of the side, what its words look like: 0 the first option, 1 the second, 2 both, 3 neither, 4 a
tie."""


NUMBERS = ("1 and 2", "0 and 1", "1 and 0", "-1 and 1", "1 and -1")
"""How numbers may tell the first and the second option; 0 is a tie where it is neither of them. No other number is
understood."""


def side_sql(choice: str, option_a: str, option_b: str, numbers: str = NUMBERS[0]) -> str:
    """SQL for the code of the side that a column says was chosen, NULL where it says nothing known."""
    first, second = numbers.split(" and ")
    tie = "" if "0" in (first, second) else "WHEN 0 THEN 4 "
    told, number = _plain(choice), f"try_cast({choice} AS DOUBLE)"
    words = " ".join(
        f"WHEN regexp_full_match({told}, '{words}') THEN {code}" for code, words in enumerate(SIDES)
    )
    return (
        f"CASE WHEN {choice} = {option_a} THEN 0 WHEN {choice} = {option_b} THEN 1 "
        f"WHEN {number} IS NOT NULL THEN CASE {number} WHEN {first} THEN 0 WHEN {second} THEN 1 {tie}END "
        f"WHEN {told} = '' THEN NULL WHEN {told} = {_plain(option_a)} AND {told} <> {_plain(option_b)} THEN 0 "
        f"WHEN {told} = {_plain(option_b)} AND {told} <> {_plain(option_a)} THEN 1 {words} END"
    )


def _plain(text: str) -> str:
    return f"regexp_replace(lower({text}), '[^\\p{{L}}\\p{{N}}]', '', 'g')"
