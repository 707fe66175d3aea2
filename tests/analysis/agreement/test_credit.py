"""Near-miss credit, by hand."""

import numpy as np
import pytest

from analysis.agreement.alpha import agreement_weights
from analysis.values.estimate import InputError


def test_weights_of_three_values_that_are_not_evenly_apart() -> None:
    values = np.array([1, 2, 5])
    np.testing.assert_allclose(agreement_weights(values, "linear")[0], [1, 0.75, 0])
    np.testing.assert_allclose(agreement_weights(values, "quadratic")[0], [1, 1 - 1 / 16, 0])
    np.testing.assert_allclose(agreement_weights(values, "ordinal")[0], [1, 1 - 1 / 3, 0])
    np.testing.assert_array_equal(agreement_weights(np.array(["a", "b"]), "identity"), np.eye(2))


def test_weights_that_do_not_exist_are_reported() -> None:
    with pytest.raises(InputError, match="`weights` must be"):
        agreement_weights(np.array([1, 2]), "cubic")  # type: ignore[arg-type]
