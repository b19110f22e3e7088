"""Whether two checkouts make the same firmware: generated C, plans and images of many networks.

    python ci/same_output.py collect FOLDER [--checkout PATH] [--networks a,b] [--boards a,b]
    python ci/same_output.py compare BEFORE AFTER [--renames FILE]

``collect`` builds every network for every board with the checkout's own deployer. It keeps short
texts whole and long ones as a digest; a refusal is kept as its words. What a folder already has is
not built again. ``compare`` names every file that differs, after the words of ``FILE`` (lines
``old new``) were replaced in BEFORE, and ends with 1 if any does. An old text that is more than a
word, such as ``dpl/old.h`` or ``.old``, is replaced wherever it stands. Images of equal bytes
execute equal instructions, so equal counts follow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ZOO = (
    *("upydnet", "ds-cnn", "resnet8", "cifar10-cnn", "mobilenetv3-small", "squeezenet1.1"),
    *("mobilenetv1", "mobilenetv2", "efficientnet-lite0", "unet", "googlenet", "resnet9"),
    *("resnet18", "densenet121", "pydnet", "inception-v3", "vgg16"),
)
BOARDS = (
    *("nucleo-f767zi", "gap8", "host", "rpi3"),
    *("pulp-open", "qemu-mps2-an500", "qemu-riscv32-virt"),
)
VARIANTS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "ram": ("--optimize", "ram"),
    "int16": ("--bits", "16"),
    "rows": ("--stream-input", "--optimize", "balanced"),
    "alg3": ("--restructure", "alg3"),
    "dory": ("--tiler", "dory"),
    "first": ("--choose", "first", "--share", "off"),
}
LONG_BYTES = 1 << 20
SKIPPED = {"stage.json", "manifest.json"}  # hold versions, times and paths


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.command == "compare":
        return compare(options.before, options.after, _renames(options.renames))
    collect(options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    gather = commands.add_parser("collect")
    gather.add_argument("folder", type=Path)
    gather.add_argument("--checkout", type=Path, default=Path.cwd())
    gather.add_argument("--models", type=Path, help="folder of ONNX files, each in its own folder")
    gather.add_argument("--networks", default=",".join(ZOO), type=_names)
    gather.add_argument("--boards", default=",".join(BOARDS), type=_names)
    gather.add_argument("--variants", default="plain", type=_names)
    pair = commands.add_parser("compare")
    pair.add_argument("before", type=Path)
    pair.add_argument("after", type=Path)
    pair.add_argument("--renames", type=Path)
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


def collect(options: argparse.Namespace) -> None:
    """Fill ``options.folder`` with one folder a network, board and variant."""
    for name, model in _models(options):
        for board in options.boards:
            for variant in options.variants:
                target = options.folder / f"{name}-{board}-{variant}"
                if not target.exists():
                    _collect_one(options.checkout, model, board, variant, target)


def _models(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    if options.models:
        for path in sorted(options.models.glob("*/*.onnx")):
            if path.parent.name == path.stem:
                yield path.stem, path.resolve()
    for name in options.networks:
        path = options.folder / "models" / f"{name}.onnx"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _deployer(options.checkout, "zoo", name, "-o", str(path)).check_returncode()
        yield name, path.resolve()


def _collect_one(checkout: Path, model: Path, board: str, variant: str, target: Path) -> None:
    """Build aside, keep what counts, and rename: a folder that exists is whole."""
    aside = target.with_name(f".{target.name}")
    shutil.rmtree(aside, ignore_errors=True)
    (aside / "build").mkdir(parents=True)
    began = time.monotonic()
    command = ("build", "--board", board, "-o", str(aside / "build"), *VARIANTS[variant])
    done = _deployer(checkout, *command, str(model))
    words = f"status {done.returncode}\n{done.stderr}" if done.returncode else "status 0\n"
    words = words.replace(str(aside), "").replace(str(model), model.name)
    (aside / "status").write_text(words)
    for path in sorted((aside / "build").glob("*/[3-7]-*/*")):
        if path.is_file() and path.name not in SKIPPED:
            _keep(path, aside / f"{path.parent.name}-{path.name}")
    shutil.rmtree(aside / "build")
    aside.rename(target)
    print(f"{target.name}: status {done.returncode}, {time.monotonic() - began:.0f} s", flush=True)


def _keep(path: Path, to: Path) -> None:
    """Short texts whole, images as what is loaded, the rest as a digest."""
    if path.suffix == ".elf":
        to.write_text(_image_digest(path))
    elif path.suffix == ".npz" or path.stat().st_size > LONG_BYTES:
        to.write_text(_digest(path.read_bytes()))
    else:
        to.write_bytes(path.read_bytes())


def _image_digest(path: Path) -> str:
    """Of the loadable bytes, the bundle's id left out: it is a digest of all source texts.

    Names of symbols and sections are not among them.
    """
    identity = json.loads(path.with_name("manifest.json").read_text())["id"].encode()
    return _digest(_loaded(path).replace(identity, b"0" * len(identity)))


def _loaded(path: Path) -> bytes:
    flat = path.with_suffix(".flat")
    for tool in ("llvm-objcopy", "arm-none-eabi-objcopy", "riscv64-unknown-elf-objcopy", "objcopy"):
        found = shutil.which(tool)
        command = [tool, "-O", "binary", "--strip-all", str(path), str(flat)]
        if found and not subprocess.run(command, capture_output=True, check=False).returncode:
            return flat.read_bytes()
    return path.read_bytes()


def _digest(content: bytes) -> str:
    return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}\n"


def _deployer(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(map(str, (checkout.resolve(), checkout.resolve() / "hil")))
    return subprocess.run(
        [sys.executable, "-m", "deployer", *arguments],
        env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0", "COLUMNS": "100"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def compare(before: Path, after: Path, renames: dict[str, str]) -> int:
    """Print every difference; 1 if there is any, or nothing to compare."""
    cases = sorted({path.name for path in (*before.iterdir(), *after.iterdir())} - {"models"})
    cases = [case for case in cases if not case.startswith(".")]
    differing = [case for case in cases if _differs(before / case, after / case, renames)]
    print(f"{len(cases)} builds compared, {len(differing)} differ")
    return 1 if differing or not cases else 0


def _differs(before: Path, after: Path, renames: dict[str, str]) -> bool:
    if not (before.is_dir() and after.is_dir()):
        print(f"{before.name}: only in {before.parent if before.is_dir() else after.parent}")
        return True
    names = sorted({path.name for path in (*before.iterdir(), *after.iterdir())})
    found = [name for name in names if _text(before / name, renames) != _text(after / name, {})]
    for name in found:
        print(f"{before.name}: {name}")
    return bool(found)


def _text(path: Path, renames: dict[str, str]) -> str | None:
    if not path.exists():
        return None
    text = path.read_text()
    for old in (old for old in renames if not re.fullmatch(r"\w+", old)):
        text = text.replace(old, renames[old])
    return re.sub(r"\w+", lambda word: renames.get(word[0], word[0]), text) if renames else text


def _renames(path: Path | None) -> dict[str, str]:
    lines = path.read_text().splitlines() if path else []
    return dict(line.split() for line in lines if line and not line.startswith("#"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
