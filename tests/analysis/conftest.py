"""The slow procedures that intervals are compared with, where they lie next to this checkout."""

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from tests.conftest import ROOT

FOLDER = ROOT.parent / "shared" / "reference-code"


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Return what imports a module of the reference procedures by its name."""
    if not FOLDER.is_dir():
        pytest.skip(
            "no reference procedures: the folder ../shared/reference-code is not beside this checkout"
        )
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]
