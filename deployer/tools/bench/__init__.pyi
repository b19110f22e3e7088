from .accuracy import (
    AccuracyRow,
    accuracy_facts,
    accuracy_rows,
    float_outputs,
    require_all,
    variants_of,
)
from .accuracy_table import accuracy_markdown
from .allocation import measure_solvers, summaries
from .allocation_peer import measure_beside, peer_of
from .allocation_peer_table import beside_markdown
from .allocation_sets import entries_of, zoo_entries
from .allocation_table import allocation_markdown
from .blocks import blocks_text, priced_blocks
from .board_energy import measure_model_energy
from .board_time import BoardTime, measure_model
from .board_time_table import (
    board_points_facts,
    board_points_markdown,
    board_time_facts,
    board_time_markdown,
)
from .cmsis_nn import library_of
from .cost import cost_facts, cost_markdown, fitted, table_path
from .depth import (
    DEPTH_PRECISIONS,
    DepthBench,
    depth_names,
    keep_depth_row,
    kept_depth_rows,
    least_ratio_of,
)
from .depth_table import depth_facts, depth_markdown, require_ratios
from .edge import edge_names
from .energy_table import EnergySubject, energy_facts, energy_markdown
from .fits import FITS_NETWORKS, FITS_RESOLUTIONS, FITS_WIDTHS, FitsRequest, fits_rows
from .fits_table import fits_facts, fits_markdown
from .gate_rows import counted_rows
from .gemm import GEMM_SHAPES, gemm_shape_of, own_gemm_rows, peer_gemm_rows
from .gemm_peer import GemmBench
from .gemm_peers import gemm_peer_of
from .gemm_table import gemm_facts, gemm_markdown
from .kernels import KernelsBench
from .kernels_table import kernels_facts, kernels_markdown
from .markdown import markdown_table
from .model_time import ModelTime, time_model
from .model_time_table import MODEL_TIME_SCHEMA, model_time_facts, model_time_markdown
from .reference import names_in_order
from .restructuring import restructuring_markdown, zoo_graphs
from .row import Row, keep, kept_rows
from .sweep_draw import SweepRequest, draw_layers
from .sweep_peer import link_sweep_peer
from .sweep_row import SweepRow
from .sweep_runs import SweepBench
from .sweep_table import sweep_facts, sweep_markdown
from .threads import MOST_THREADS, shared_network
from .threads_table import threads_facts, threads_markdown
from .tiled_kernels import KernelBench, KernelRow
from .tiled_kernels_layers import KernelLayer, layers_named
from .tiled_kernels_table import tiled_kernels_facts, tiled_kernels_markdown
from .tiles import TilesRequest, TilesRow, tiles_rows
from .tiles_facts import tiles_table_facts
from .tiles_networks import TILED_NETWORKS
from .tiles_setting import require_runner
from .tiles_table import tiles_markdown
from .verdict import require_fine, require_proven
from .zoo import ZooRequest, zoo_rows
from .zoo_table import zoo_facts, zoo_markdown

__all__ = [
    "DEPTH_PRECISIONS",
    "FITS_NETWORKS",
    "FITS_RESOLUTIONS",
    "FITS_WIDTHS",
    "GEMM_SHAPES",
    "MODEL_TIME_SCHEMA",
    "MOST_THREADS",
    "TILED_NETWORKS",
    "AccuracyRow",
    "BoardTime",
    "DepthBench",
    "EnergySubject",
    "FitsRequest",
    "GemmBench",
    "KernelBench",
    "KernelLayer",
    "KernelRow",
    "KernelsBench",
    "ModelTime",
    "Row",
    "SweepBench",
    "SweepRequest",
    "SweepRow",
    "TilesRequest",
    "TilesRow",
    "ZooRequest",
    "accuracy_facts",
    "accuracy_markdown",
    "accuracy_rows",
    "allocation_markdown",
    "beside_markdown",
    "blocks_text",
    "board_points_facts",
    "board_points_markdown",
    "board_time_facts",
    "board_time_markdown",
    "cost_facts",
    "cost_markdown",
    "counted_rows",
    "depth_facts",
    "depth_markdown",
    "depth_names",
    "draw_layers",
    "edge_names",
    "energy_facts",
    "energy_markdown",
    "entries_of",
    "fits_facts",
    "fits_markdown",
    "fits_rows",
    "fitted",
    "float_outputs",
    "gemm_facts",
    "gemm_markdown",
    "gemm_peer_of",
    "gemm_shape_of",
    "keep",
    "keep_depth_row",
    "kept_depth_rows",
    "kept_rows",
    "kernels_facts",
    "kernels_markdown",
    "layers_named",
    "least_ratio_of",
    "library_of",
    "link_sweep_peer",
    "markdown_table",
    "measure_beside",
    "measure_model",
    "measure_model_energy",
    "measure_solvers",
    "model_time_facts",
    "model_time_markdown",
    "names_in_order",
    "own_gemm_rows",
    "peer_gemm_rows",
    "peer_of",
    "priced_blocks",
    "require_all",
    "require_fine",
    "require_proven",
    "require_ratios",
    "require_runner",
    "restructuring_markdown",
    "shared_network",
    "summaries",
    "sweep_facts",
    "sweep_markdown",
    "table_path",
    "threads_facts",
    "threads_markdown",
    "tiled_kernels_facts",
    "tiled_kernels_markdown",
    "tiles_markdown",
    "tiles_rows",
    "tiles_table_facts",
    "time_model",
    "variants_of",
    "zoo_entries",
    "zoo_facts",
    "zoo_graphs",
    "zoo_markdown",
    "zoo_rows",
]
