"""What each judgment's rater said of the full text of the same document: the truth of Relevance Prediction."""

from math import nan
from typing import Any

import numpy as np

from analysis.relevance.judgments import Judgments, coded, joint
from analysis.values.types import Codes, Floats


def own_full_text(judgments: Judgments, full_text: Any) -> Floats:
    """What each judgment's rater said of the full text of the same document.

    Parameters
    ----------
    judgments : N of them
    full_text : the surrogate that is the document itself

    Returns
    -------
    (N,)
        of the same session where there is one, else the first; NaN without any, and for the full text itself.

    Notes
    -----
    Of several in one session, the first.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 3.2; methods, section 6.

    >>> of = Judgments([1, 1, 1], [1, 1, 1], [1, 1, 2], ["h", "text", "h"], [0, 1, 0])
    >>> own_full_text(of, "text").tolist()
    [1.0, nan, nan]
    """
    codes = judgments.codes
    pair, _ = joint(codes.rater, codes.document)
    sitting, _ = joint(pair, coded("session", judgments.session)[0])
    whole = np.flatnonzero(codes.surrogate == judgments.place_of(full_text))
    whole = whole[np.argsort(judgments.order[whole], kind="stable")]
    in_session = _first(sitting, whole, judgments.judgment)
    own = np.where(np.isnan(in_session), _first(pair, whole, judgments.judgment), in_session)
    own[whole] = nan
    return own


def _first(key: Codes, whole: Codes, judged: Floats) -> Floats:
    """The judgment of the first of `whole` with the same key (N,)."""
    keys, place = np.unique(key[whole], return_index=True)
    of_key = np.full(int(key.max(initial=-1)) + 1, nan)
    of_key[keys] = judged[whole[place]]
    return of_key[key]
