"""Board files for probes that are not there."""

from __future__ import annotations

import re
from pathlib import Path

from deployer.resources import data_root


def write_flash_twin(folder: Path) -> None:
    """Board ``nucleo-fake``: the nucleo, whose probe is emulated, so that its images are the
    twin's. ``fakes.fake_loader:twin`` is the loader for it."""
    board = (data_root() / "boards" / "nucleo-f767zi.toml").read_text()
    board = board.replace('"nucleo-f767zi"', '"nucleo-fake"', 1)
    board = re.sub(r"(\[runners\.pyocd\]\n)", r'\1twin = "qemu-fake"\n', board)
    (folder / "nucleo-fake.toml").write_text(board)
    twin = (data_root() / "boards" / "qemu-mps2-an500.toml").read_text()
    twin = twin.replace('"qemu-mps2-an500"', '"qemu-fake"', 1)
    twin = twin.replace('"nucleo-f767zi"', '"nucleo-fake"')
    (folder / "qemu-fake.toml").write_text(f'{twin}\n[runners.pyocd]\ntarget = "stm32f767zi"\n')
