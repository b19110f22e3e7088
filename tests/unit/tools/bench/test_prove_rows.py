"""What a row of the zoo says of a network that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.errors import ImageTooLarge
from deployer.pipeline.options import Options, make_job
from deployer.tools.bench import prove


def test_code_the_linker_found_too_large_is_told_in_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def linked(*args: Any, **names: Any) -> None:
        raise ImageTooLarge("l2", 5904, board="gap8")

    monkeypatch.setattr(prove, "execute", linked)
    facts = prove.prove_on(make_job(tmp_path / "net.onnx", "gap8", options=Options()))
    assert (facts["outcome"], facts["over"]) == ("does not fit", {"l2": 5904})
