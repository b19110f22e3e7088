"""The passes over the float graph, in their order."""

from __future__ import annotations

from deployer.frontend.passes.affine import drop_neutral, fold_affine, fold_scale, hoist_uniform
from deployer.frontend.passes.aliases import drop_idle, drop_same_shape, merge, share_twin, still
from deployer.frontend.passes.borders import join_border
from deployer.frontend.passes.chain import chain_concats
from deployer.frontend.passes.clamps import fuse_clamp, hoist
from deployer.frontend.passes.compose import begin_at_input, compose, flatten_axes
from deployer.frontend.passes.dense import permute_columns, permute_rows
from deployer.frontend.passes.edit import rewrite
from deployer.frontend.passes.entry import transpose_inputs
from deployer.frontend.passes.gates import join_gate
from deployer.frontend.passes.idle_taps import drop_idle_taps
from deployer.frontend.passes.pieces import take_piece
from deployer.frontend.passes.settle import FIRST, LAST
from deployer.frontend.passes.sink import lift, moved, sink
from deployer.frontend.passes.softmax import leave_to_host
from deployer.ir import Graph

RULES = (
    *(merge, still, drop_same_shape, drop_idle, take_piece, compose, *FIRST),
    *(fold_affine, fold_scale, drop_neutral, hoist_uniform, join_border, drop_idle_taps),
    *(hoist, fuse_clamp, join_gate),
    *(permute_columns, permute_rows),
)
AT_INPUTS = (merge, drop_same_shape, begin_at_input, lift)


def optimize(graph: Graph, *, softmax_on_host: bool) -> tuple[Graph, bool, dict[str, str]]:
    """The graph with all rules applied, whether a softmax was left to the host, and the model's
    layout of inputs that the device takes in another one than NHWC for NCHW."""
    graph = _with_transposes_moved(rewrite(graph, RULES))
    graph, on_host = leave_to_host(graph) if softmax_on_host else (graph, False)
    graph, layouts = transpose_inputs(rewrite(rewrite(graph, RULES), AT_INPUTS))
    graph = rewrite(graph, (*RULES, flatten_axes))
    stated = any(value.quant is not None for value in graph.values.values())
    graph = rewrite(graph, LAST) if stated else graph
    return chain_concats(rewrite(graph, (share_twin,))), on_host, layouts


def _with_transposes_moved(graph: Graph) -> Graph:
    """With transposes moved behind other operators, if that leaves less to move.

    The transposes of an input are the host's where nothing else reads it.
    """
    if not moved(graph):
        return graph
    other = rewrite(graph, (*RULES, sink))
    return min(graph, other, key=lambda g: moved(transpose_inputs(rewrite(g, AT_INPUTS))[0]))
