"""Numbers that the C of kernels and the planner both know: one module a family, and ``runtime``.

``python -m deployer.codegen.kernel_headers`` writes ``dpl/<module>/blocking.h`` from each, where a
name has DPL_ before it. A module has constants alone, each under its comment.
"""
