"""Import page modules at startup so that the first visitor does not wait."""

import ast
from pathlib import Path


def load(pages: Path) -> None:
    """Imports what the scripts of this folder import; nothing else of them runs."""
    for script in sorted(pages.glob("*.py")):
        body = ast.parse(script.read_text(encoding="utf-8")).body
        imports: list[ast.stmt] = [line for line in body if isinstance(line, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(imports, []), script, "exec"), {})
