"""What Raterscope is for, as the first screen says it."""

from features.words import Sentence

PURPOSE: tuple[Sentence, ...] = (
    (
        "Upload what people rated, chose, answered or judged, as your platform exports it, and see what becomes of "
        "every row.",
        {},
    ),
    (
        "Read <b>whether the crowd agrees with the laboratory</b>, <b>how many ratings per item are enough</b>, and "
        "<b>which raters to trust</b>, each with its interval.",
        {},
    ),
    (
        "Send exactly the view that you see by its address. Nothing is saved until you say so, and nothing leaves this "
        "server.",
        {},
    ),
)
OF_THE_SAMPLE: Sentence = ("An example, from the sample <b>{name}</b>:", {})
