"""Which kernel computes a node: the first that takes it, in the order of the board's list."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain

from deployer.errors import ModelError, UsageError
from deployer.ir import OPS, Graph, Node
from deployer.kernelset.families import FAMILIES
from deployer.kernelset.kernel import Kernel, KernelCase, case_of

FALLBACK = "ref"
_KEPT_CASES = 1 << 14  # planners meet the same layers again and again, in some thousand sizes


class _Listed(tuple[Kernel, ...]):
    """Kernels in order of preference. To hash every entry would take longer than to ask it."""

    __slots__ = ()

    def __hash__(self) -> int:
        return id(self)


_FAMILIES: Mapping[str, tuple[Kernel, ...]] = {
    each.name: _Listed(import_module(f"deployer.kernelset.{each.name}").KERNELS)
    for each in FAMILIES
}


def families() -> Mapping[str, tuple[Kernel, ...]]:
    """Every family of kernels by the name a board file uses, each in order of preference."""
    return _FAMILIES


def select(
    families: Sequence[str],
    graph: Graph,
    node: Node,
    *,
    plain_weights: bool = False,
    windows: bool = False,
) -> Kernel:
    """The kernel that ``node`` names, else the first of ``families``, then of the portable ones.

    ``plain_weights``: of those only that take weights in the IR's order; ``windows``: that take
    windows of tensors, as a node in a region needs it.

    Raises ModelError when no kernel takes the node, UsageError for an unknown family, ValueError
    for an alias operator, which runs no code.
    """
    if node.op in OPS and OPS[node.op].alias:
        raise ValueError(f"{node.name}: {node.op} is an alias and has no kernel")
    case = case_of(graph, node)
    able = list(candidates(families, case, plain_weights=plain_weights, windows=windows))
    named = (kernel for kernel in able if kernel.symbol == node.kernel)
    first = (kernel for kernel in able if not kernel.opt_in)
    for kernel in chain(named, first):
        return kernel
    raise ModelError(
        f"no kernel computes {node.name} ({node.op})",
        why=[f"{_types(case)}, output {case.out_shape}"],
        hints=[f"kernel families tried: {', '.join(dict.fromkeys([*families, FALLBACK]))}"],
    )


def candidates(
    families: Sequence[str],
    case: KernelCase,
    *,
    plain_weights: bool = False,
    windows: bool = False,
) -> Iterator[Kernel]:
    """Every kernel that computes ``case``, in the order of ``select``."""
    for name in _known(families):
        for kernel in _taking(_FAMILIES[name], case):
            unfit = (plain_weights and kernel.weight_layout) or (windows and kernel.contiguous)
            if not unfit:
                yield kernel


@lru_cache(maxsize=_KEPT_CASES)
def _taking(listed: tuple[Kernel, ...], case: KernelCase) -> tuple[Kernel, ...]:
    """The kernels that compute ``case``, those last that others go before."""
    taking = [kernel for kernel in listed if kernel.takes(case)]
    return tuple(sorted(taking, key=lambda kernel: kernel.yields(case)))


def _types(case: KernelCase) -> str:
    """The types of a case in words."""
    weights = f" and {case.weights} weights" if case.weights else ""
    return f"{case.act} activations{weights}{f' to {case.out_act}' if case.out_act else ''}"


def by_symbol(symbol: str) -> Kernel:
    """The entry of a C function. Raises UsageError when there is none."""
    for kernel in chain.from_iterable(_FAMILIES.values()):
        if kernel.symbol == symbol:
            return kernel
    known = {kernel.symbol: kernel for kernel in chain.from_iterable(_FAMILIES.values())}
    raise UsageError(f"unknown kernel {symbol!r}", hints=_nearest(symbol, known))


def select_part(op: str, act: str, out_act: str) -> Kernel:
    """The portable kernel of a part of an operator (kernel.SUMS, kernel.REQUANTIZE)."""
    types = act, out_act
    return next(k for k in _FAMILIES[FALLBACK] if k.op == op and (k.act, k.out_act) == types)


def _known(names: Sequence[str]) -> Iterable[str]:
    """``names``, then that of the portable kernels."""
    for name in names:
        if name not in _FAMILIES:
            raise UsageError(f"unknown kernel family {name!r}", hints=_nearest(name, _FAMILIES))
    return dict.fromkeys([*names, FALLBACK])


def _nearest(name: str, known: Mapping[str, object]) -> list[str]:
    near = difflib.get_close_matches(name, known, n=1)
    return [f"did you mean {each}?" for each in near] or [f"known: {', '.join(known)}"]


def in_fallback(kernel: str) -> bool:
    """Whether it is one of the family that computes everything everywhere."""
    isa = kernel.partition("__")[2]
    return isa == FALLBACK or isa.startswith(f"{FALLBACK}_")
