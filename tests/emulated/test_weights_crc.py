"""A weight that flipped in the image is told apart from a kernel that is wrong."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import MismatchError
from deployer.pipeline.prove import require_match
from deployer.pipeline.report import golden_facts
from deployer_hil.measure import connect, prove
from deployer_hil.runner import create
from fakes.bundles import resealed

BOARD = "nucleo-f767zi"
RUNNERS = {"qemu_system": ("qemu_system", "qemu-system-arm"), "register_model": ("pyocd", "")}


def flipped(bundle: Bundle, folder: Path, objdump: str) -> Bundle:
    """The bundle with one bit wrong in the middle of the constants."""
    shutil.copytree(bundle.path, folder)
    copy = Bundle(folder, bundle.manifest)
    done = subprocess.run(
        [objdump, "-h", copy.firmware], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in done.stdout.splitlines() if ".dpl_" in line]
    rows = [row for row in rows if row[1].startswith((".dpl_weights", ".dpl_copied"))]
    _, _, size, _, _, at, _ = max(rows, key=lambda row: int(row[2], 16))
    image = bytearray(copy.firmware.read_bytes())
    image[int(at, 16) + int(size, 16) // 2] ^= 0x40
    (folder / "firmware.elf").write_bytes(image)
    return resealed(copy)


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_flipped_weight_is_found_and_named(
    runner: str,
    built: Callable[..., Bundle],
    tool: Callable[[str], str],
    need: Callable[[str, bool], None],
    tmp_path: Path,
) -> None:
    built_for, program = RUNNERS[runner]
    if program:
        tool(program)
    else:
        need("unicorn", importlib.util.find_spec("unicorn") is not None)
    whole = built(BOARD, "residual_net", runner=built_for)
    broken = flipped(whole, tmp_path / "broken", tool("arm-none-eabi-objdump"))
    with create(runner, broken) as device:
        with connect(broken, device) as session:
            differing = [group for group in session.constants() if not group.intact]
        record = prove(broken, device)
    assert len(differing) == 1
    assert not record.golden.match
    told = f"{differing[0].where} differs ({differing[0].bytes:,} bytes, CRC "
    assert str(record.golden.weights).startswith(told)
    report = {
        "board": BOARD,
        "options": {},
        "widths": "int8",
        "golden": golden_facts(broken, record),
    }
    with pytest.raises(MismatchError) as caught:
        require_match(report)
    assert caught.value.why[-1] == f"weights on the device: {record.golden.weights}"
    assert "not programmed or loaded well" in caught.value.hints[0]
