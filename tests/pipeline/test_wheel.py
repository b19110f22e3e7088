"""The wheel holds what the checkout holds: boards, kernels, firmware, and works from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, unpacked as pip would."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


def test_every_data_file_is_packed(installed: Path) -> None:
    for name in ("boards", "kernels", "firmware"):
        here = {p.relative_to(ROOT) for p in (ROOT / name).rglob("*") if p.is_file()}
        data = installed / "deployer" / "_data"
        packed = {p.relative_to(data) for p in (data / name).rglob("*") if p.is_file()}
        assert packed == here


def test_it_takes_no_name_that_another_project_may_have(installed: Path) -> None:
    names = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert names == {"deployer", "deployer_hil", "deployer_labgrid"}
    assert all((installed / name / "py.typed").is_file() for name in names)


@pytest.mark.parametrize(("folder", "package"), [("deployer", ""), ("hil/deployer_hil", "hil")])
def test_every_file_of_a_package_is_packed(installed: Path, folder: str, package: str) -> None:
    """Programs in C and stubs of front doors among them."""
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [Path(name).relative_to(package) for name in listed.stdout.split()]
    assert len(files) > 20
    assert [name for name in files if not (installed / name).is_file()] == []


def test_it_builds_from_its_own_data(installed: Path, tmp_path: Path) -> None:
    library = tmp_path / "net"
    command = [
        sys.executable, "-m", "deployer", "build", "-b", "nucleo-f767zi", "-o", str(tmp_path),
        "--library", str(library), str(ROOT / "docs" / "examples" / "mnist" / "mnist_dscnn.onnx"),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (library / "network.c").is_file()
    where = subprocess.run(
        [sys.executable, "-c", "import json, deployer; print(json.dumps(deployer.__file__))"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(json.loads(where.stdout)).is_relative_to(installed)
