"""floors.py NAME...: these dependencies, for pip, in the oldest versions of pyproject.toml."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def floor(name: str, dependencies: list[str]) -> str:
    """``name>=1.17`` as ``name==1.17.*``: its last corrections, as pip would install them."""
    stated = {re.split("[<>=~! ]", item)[0]: item for item in dependencies}
    found = re.fullmatch(rf"{re.escape(name)}>=([0-9.]+)", stated.get(name, ""))
    if not found:
        raise SystemExit(f"pyproject.toml states no oldest version of {name}")
    return f"{name}=={found[1]}.*"


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    known = tomllib.loads(text)["project"]["dependencies"]
    print(*(floor(name, known) for name in sys.argv[1:]))
