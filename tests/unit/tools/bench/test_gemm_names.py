"""Names of microkernels, shapes and archives of bench gemm."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.tools.bench.gemm import gemm_shape_of
from deployer.tools.bench.gemm_peer import PeerKernel
from deployer.tools.bench.gemm_peers import gemm_peer_of
from deployer.tools.bench.gemm_xnnpack import Tile, microkernel

INT8 = "xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_"
FP32 = "xnn_f32_gemm_minmax_ukernel_"


@pytest.mark.parametrize(
    ("symbol", "element", "tile"),
    [
        (f"{INT8}2x8c8__asm_aarch64_neon_mlal_cortex_a53", "int8", (2, 8, 8)),
        (f"{INT8}4x16__asm_aarch64_neon_mlal_lane_ld64", "int8", (4, 16, 1)),
        (f"{FP32}6x8__asm_aarch64_neonfma_cortex_a53", "fp32", (6, 8, 1)),
    ],
)
def test_a_name_tells_the_tile(symbol: str, element: str, tile: tuple[int, int, int]) -> None:
    assert microkernel(symbol) == (PeerKernel(symbol, element), Tile(*tile))


@pytest.mark.parametrize(
    "symbol",
    [
        "xnn_f16_gemm_minmax_ukernel_6x8__neonfp16arith_ld64",
        "xnn_f32_igemm_minmax_ukernel_6x8__neonfma",
        "xnn_qs8_qc8w_gemm_minmax_fp32_ukernel_2x8c8",
        "memcpy",
    ],
)
def test_other_symbols_are_left_alone(symbol: str) -> None:
    assert microkernel(symbol) is None


def test_a_shape_is_rows_depth_columns() -> None:
    assert gemm_shape_of("36x512x64") == (36, 512, 64)


@pytest.mark.parametrize("text", ["36x512", "36x0x64", "axbxc", "36x512x64x1", ""])
def test_another_shape_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--shape"):
        gemm_shape_of(text)


def test_a_peer_is_named_and_its_files_are_there(tmp_path: Path) -> None:
    library, header = tmp_path / "k.a", tmp_path / "ruy" / "ruy.h"
    library.write_bytes(b"!<arch>\n")
    header.parent.mkdir()
    header.write_text("")
    for text in (f"xnnpack={library}", f"ruy={library},{tmp_path}"):
        gemm_peer_of(text)
    for text in (str(library), "xnnpack=", f"eigen={library}"):
        with pytest.raises(UsageError, match="--against"):
            gemm_peer_of(text)
    for text in ("xnnpack=none.a", "ruy=none.a,/"):
        with pytest.raises(UsageError, match=r"no such archive: .*none\.a"):
            gemm_peer_of(text)
    with pytest.raises(UsageError, match="no such header"):
        gemm_peer_of(f"ruy={library},{tmp_path / 'elsewhere'}")
