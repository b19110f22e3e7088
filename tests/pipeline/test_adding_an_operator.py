"""The steps of docs/adding-an-operator.md, performed on a copy of the tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from deployer.resources import data_root

FOLDERS = ("deployer", "hil", "kernels", "firmware", "boards")
_STEP = re.compile(r"^## \d+\. `([^`]+)`", re.MULTILINE)
_INSERTED = re.compile(r"Before `([^`]+)`:\n\n```\w+\n(.*?)```\n", re.DOTALL)
_NEW = re.compile(r"A new file[^\n]*:\n\n```\w+\n(.*?)```\n", re.DOTALL)
_HEADERS = """
import runpy
runpy.run_module("deployer.codegen.kernel_headers", run_name="__main__")
"""
_RUN = """
from pathlib import Path
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
from deployer.ir.ops import missing
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute

assert missing() == (), missing()
w = numpy_helper.from_array(np.random.default_rng(1).normal(size=(4, 2, 3, 3)).astype("f4"), "w")
nodes = [
    helper.make_node("Conv", ["x", "w"], ["made"], name="conv"),
    helper.make_node("Neg", ["made"], ["y"], name="neg"),
]
ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (("x", (1, 2, 8, 8)), ("y", (1, 4, 6, 6)))]
graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], [w])
opsets = [helper.make_opsetid("", 17)]
onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), "m.onnx")
job = make_job(Path("m.onnx"), "host", options=Options(golden_samples=2), output=Path("out"))
report = run_job(job, execute(job))
assert report["golden"]["match"], report["golden"]
print(*(f"{layer['op']} {layer['match']}" for layer in report["layers"]), sep="\\n")
"""


def steps() -> Iterator[tuple[str, str]]:
    """The file and the text of every step of the walk-through that names one file."""
    text = (data_root() / "docs/adding-an-operator.md").read_text()
    parts = _STEP.split(text)
    for path, said in zip(parts[1::2], parts[2::2], strict=True):
        yield path, said.split("\n## ")[0]


def perform(root: Path) -> int:
    """Do every step in the tree at ``root``; how many files it touches."""
    touched = set()
    for path, said in steps():
        target = root / path
        for (body,) in (match.groups() for match in _NEW.finditer(said)):
            target.write_text(body)
            touched.add(path)
        for anchor, body in (match.groups() for match in _INSERTED.finditer(said)):
            text = target.read_text()
            assert text.count(anchor) >= 1, f"{path} has no line {anchor!r}"
            target.write_text(text.replace(anchor, body + anchor, 1))
            touched.add(path)
    return len(touched)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in FOLDERS:
        source = data_root() / name
        if source.is_dir():
            copytree(source, tmp_path / name, ignore=ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md"):
        (tmp_path / file).write_bytes((data_root() / file).read_bytes())
    return tmp_path


def ran(tree: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'hil'}",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_operator_takes_the_steps_of_the_walk_through(
    tree: Path, tool: Callable[[str], str]
) -> None:
    """With the header that is written and two files of tests, eight in all."""
    tool("gcc")
    assert perform(tree) <= 5
    written = ran(tree, _HEADERS)
    assert written.returncode == 0, written.stderr
    assert len(written.stdout.splitlines()) == 1  # the header of its struct
    found = ran(tree, _RUN)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["Conv2d True", "Negation True"]


def test_without_the_definition_the_operator_is_refused_by_name(tree: Path) -> None:
    path, said = next(steps())
    target, (anchor, body) = tree / path, _INSERTED.findall(said)[0]
    target.write_text(target.read_text().replace(anchor, body + anchor, 1))
    found = ran(tree, "import deployer.pipeline.stages")
    assert "Negation: no entry in the table of the float and integer references" in found.stderr
