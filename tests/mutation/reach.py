"""Which test files call which function: the others need not run for a mutant there."""

from __future__ import annotations

import ast
import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path

from mutation import forked


@dataclass
class Reach:
    """Measured once a test file, in ``tree`` without mutants; kept in ``folder``."""

    tree: Path
    folder: Path
    seconds: dict[str, float] = field(default_factory=dict)

    def of(self, file: str, log: Path) -> set[str]:
        """path:function for each function that the tests of ``file`` call."""
        kept = self.folder / f"{Path(file).stem}-{_digest(self.tree / file)}.txt"
        if not kept.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            fresh, begin = kept.with_suffix(".new"), time.monotonic()
            if forked.run(self.tree, [file], log, fresh) != "passed":
                raise SystemExit(f"{file} fails unchanged: {log.read_text()[-2000:]}")
            with fresh.open("a") as text:
                text.write(f"\n{time.monotonic() - begin:.1f}")
            fresh.rename(kept)
        *names, seconds = kept.read_text().splitlines()
        self.seconds[file] = float(seconds)
        return set(names)

    def among(self, files: list[str], module: str, line: int, log: Path) -> list[str]:
        """Of ``files``, quickest first, those that call the function at ``line``, or start
        processes of their own, in which nobody watches; all for a line outside of functions."""
        name = function_at((self.tree / module).read_text(), line)
        found = [
            file
            for file in files
            if f"{module}:{name}" in self.of(file, log)
            or not name
            or "sys.executable" in (self.tree / file).read_text()
        ]
        return sorted(found, key=self.seconds.__getitem__)


def _digest(file: Path) -> str:
    """What an edited test calls is measured anew."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:8]


def function_at(text: str, line: int) -> str:
    """Qualified name, as code objects have it, of the innermost function around ``line``."""
    return _inside(ast.parse(text), line, "", "")


def _inside(node: ast.AST, line: int, prefix: str, found: str) -> str:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt) or not child.lineno <= line <= (child.end_lineno or 0):
            continue
        if isinstance(child, ast.FunctionDef):
            name = prefix + child.name
            # a default is a value of the module
            inside = line >= child.body[0].lineno
            return _inside(child, line, f"{name}.<locals>.", name) if inside else found
        if isinstance(child, ast.ClassDef):
            return _inside(child, line, f"{prefix}{child.name}.", found)
        return _inside(child, line, prefix, found)
    return found
