"""The catalogue of kernels: what each computes, needs and is called with."""

from deployer.kernelset import blocking
from deployer.kernelset.access import hwc
from deployer.kernelset.arguments import (
    HEADERS,
    REAL,
    REQUANTIZE,
    SUMS,
    Arguments,
    Header,
    arguments_of,
)
from deployer.kernelset.blocking.cortex_m import BEGUN_WINDOWS, FEW_WINDOWS
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS
from deployer.kernelset.blocking.ref import BLOCK_CHANNELS
from deployer.kernelset.blocking.runtime import TILE_ARGUMENT_BYTES
from deployer.kernelset.code import code_bytes, code_table, table_bytes
from deployer.kernelset.cortex_m.depthwise_work import RowWork, row_work
from deployer.kernelset.families import alignment_of
from deployer.kernelset.kernel import Kernel, KernelCase, case_of
from deployer.kernelset.layouts import (
    Parameters,
    WeightLayout,
    packed,
    packed_bytes,
    piece_sections,
)
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.overlap_offset import overlap_offset_of
from deployer.kernelset.pieces import pieces_of, weight_bytes
from deployer.kernelset.select import (
    FALLBACK,
    by_symbol,
    candidates,
    families,
    in_fallback,
    select,
    select_part,
)
from deployer.kernelset.tiled_case import keeps_rows, lies, magnifies, tiled_case

__all__ = [
    "BEGUN_WINDOWS",
    "BLOCK_CHANNELS",
    "FALLBACK",
    "FEW_WINDOWS",
    "GROUP_CHANNELS",
    "HEADERS",
    "REAL",
    "REQUANTIZE",
    "SUMS",
    "TILE_ARGUMENT_BYTES",
    "AccessOrder",
    "Arguments",
    "Header",
    "Kernel",
    "KernelCase",
    "Parameters",
    "RowWork",
    "WeightLayout",
    "alignment_of",
    "arguments_of",
    "blocking",
    "by_symbol",
    "candidates",
    "case_of",
    "code_bytes",
    "code_table",
    "families",
    "hwc",
    "in_fallback",
    "keeps_rows",
    "lies",
    "magnifies",
    "overlap_offset_of",
    "packed",
    "packed_bytes",
    "piece_sections",
    "pieces_of",
    "row_work",
    "select",
    "select_part",
    "table_bytes",
    "tiled_case",
    "weight_bytes",
]
