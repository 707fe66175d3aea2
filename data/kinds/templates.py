"""A table of each kind to begin with: usual columns and three lines, as a visitor may download or copy them."""

from collections.abc import Mapping

TEMPLATES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "ratings": {
        "item_id": ("clip_01", "clip_01", "clip_02"),
        "rater_id": ("w_117", "lab_03", "w_117"),
        "score": ("4", "3", "2"),
        "measure": ("loudness", "loudness", "noisiness"),
        "rater_group": ("crowd", "lab", "crowd"),
        "seconds": ("8.2", "11.5", "7.9"),
    },
    "contributors": {
        "topic": ("D0931", "D0931", "D0932"),
        "item_id": ("summary_01", "summary_01", "summary_02"),
        "scu_id": ("7", "8", "3"),
        "contributor_text": ("the dam broke", "it had rained for days", "the court adjourned"),
        "weight": ("4", "2", "3"),
    },
    "metrics": {
        "item_id": ("summary_01", "summary_02", "summary_03"),
        "rouge_1": ("0.317", "0.522", "0.448"),
        "bleu": ("12.4", "14.75", "9.91"),
    },
    "choices": {
        "item_id": ("prompt_01", "prompt_01", "prompt_02"),
        "rater_id": ("w_117", "w_204", "w_117"),
        "choice": ("A", "B", "tie"),
        "option_a": ("old voice", "new voice", "new voice"),
        "option_b": ("new voice", "old voice", "old voice"),
        "seconds": ("8.2", "11.5", "7.9"),
    },
    "comprehension": {
        "story_id": ("story_1", "story_1", "story_2"),
        "summary_author": ("Ada", "Ben", "Ada"),
        "question_author": ("Ben", "Ada", "Ben"),
        "question_id": ("q1", "q1", "q2"),
        "answer": ("R", "P", "N"),
        "judge_id": ("judge_1", "judge_1", "judge_2"),
    },
    "relevance": {
        "rater_id": ("r_01", "r_01", "r_02"),
        "event_id": ("flood", "flood", "trial"),
        "document_id": ("doc_17", "doc_17", "doc_22"),
        "surrogate": ("Headline", "Full Text", "Headline"),
        "judgment": ("1", "0", "0"),
        "gold": ("0", "0", "0"),
    },
}
"""By kind: columns under their canonical names (metrics under their own), and the values of three lines."""
