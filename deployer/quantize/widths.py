"""Which nodes compute in int16, and the Rescales where they meet nodes of int8."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from deployer.errors import UsageError
from deployer.ir import OPS, Graph, Node, PointAttrs, Value, verify

WIDTHS = (8, 16)


@dataclass(frozen=True, eq=False)
class Typed:
    """A float graph whose Rescales change the width, the width of every activation, and what each
    activation made by such a Rescale is a copy of."""

    graph: Graph
    bits: Mapping[str, int]
    copies: Mapping[str, str]


def wide_names(graph: Graph, bits: int, bits_of: Sequence[tuple[str, int]] = ()) -> frozenset[str]:
    """The nodes and inputs that are int16, by name.

    ``bits`` holds for all that no pattern of ``bits_of`` names, but for ties of more bits; the last
    pattern that does counts.
    Operators that only move elements follow what they read, unless named. Raises UsageError for a
    width other than 8 and 16, a pattern that fits nothing, and a node of an operator without int16.
    """
    _check_widths([bits, *(width for _, width in bits_of)])
    named = _named(graph, bits_of)
    tied = {name: tie.bits for tie in graph.ties for name in tie.values}
    width = {name: named.get(name, bits) for name in graph.inputs}
    wide = {name for name in graph.inputs if width[name] == 16}
    for node in graph.nodes:
        follows = OPS[node.op].keeps_quantization
        default = width[node.inputs[0]] if follows else max(bits, tied.get(node.output, bits))
        found = named.get(node.name, default) if OPS[node.op].int16 else 8
        width[node.output] = found
        if found == 16:
            wide.add(node.name)
    return frozenset(wide)


def widened(graph: Graph, name: str) -> frozenset[str]:
    """The nodes and inputs that compute in int16 so that activation ``name`` is one: what makes
    it, what moves it, what reads it."""
    maker = graph.producer.get(name)
    return frozenset([maker.name if maker else name, *_readers(graph, name)]) - _narrow(graph)


def _readers(graph: Graph, name: str) -> Iterator[str]:
    for node in graph.consumers.get(name, ()):
        yield node.name
        if OPS[node.op].keeps_quantization:
            yield from _readers(graph, node.output)


def typed(graph: Graph, wide: Collection[str]) -> Typed:
    """``graph`` with the nodes and inputs of ``wide`` in int16 and a Rescale wherever a node reads
    the other width.

    A copy in int8 follows what it copies, one in int16 comes just before its first reader: so each
    of the two needs its memory for the shortest time.
    """
    build = _Build(graph, frozenset(wide))
    for name in graph.inputs:
        build.begin(name, name in wide)
    for node in graph.nodes:
        width = 16 if node.name in wide else 8
        inputs = [build.at(n, width) if n in build.bits else n for n in node.inputs]
        build.nodes.append(replace(node, inputs=tuple(inputs)))
        build.begin(node.output, width == 16)
    found = replace(graph, nodes=tuple(build.nodes), values=build.values)
    return Typed(verify(found), build.bits, build.copies)


@dataclass(eq=False)
class _Build:
    """The graph while it grows."""

    graph: Graph
    wide: frozenset[str]
    values: dict[str, Value] = field(init=False)
    nodes: list[Node] = field(default_factory=list)
    bits: dict[str, int] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    made: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = dict(self.graph.values)

    def begin(self, name: str, wide: bool) -> None:
        """A new activation, and its int8 copy at once if one is needed."""
        self.bits[name] = 16 if wide else 8
        readers = self.graph.consumers.get(name, ())
        if wide and any(node.name not in self.wide for node in readers):
            self.at(name, 8)

    def at(self, name: str, width: int) -> str:
        """``name`` itself, or its copy in ``width``."""
        if self.bits[name] == width:
            return name
        if (name, width) not in self.made:
            self.made[name, width] = self._copy(name, width)
        return self.made[name, width]

    def _copy(self, name: str, width: int) -> str:
        taken = {*self.values, *(node.name for node in self.graph.nodes)}
        copy = f"{name}.s{width}"
        while copy in taken:
            copy += "_"
        self.values[copy] = replace(self.graph.values[name], name=copy)
        self.nodes.append(Node(copy, "Rescale", (name,), (copy,), PointAttrs()))
        self.bits[copy], self.copies[copy] = width, name
        return copy


def _named(graph: Graph, bits_of: Sequence[tuple[str, int]]) -> dict[str, int]:
    names = [*graph.inputs, *(node.name for node in graph.nodes)]
    found: dict[str, int] = {}
    for pattern, width in bits_of:
        hits = [name for name in names if name == pattern or fnmatchcase(name, pattern)]
        if not hits:
            near = difflib.get_close_matches(pattern, names, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"such as {names[-1]}"
            raise UsageError(f"no layer or input is called {pattern!r}", hints=[hint])
        if width == 16 and pattern in _narrow(graph):
            raise UsageError(
                f"{pattern} is a {_op_of(graph, pattern)}, which computes in int8",
                hints=["leave it out: the layers around it may be int16"],
            )
        found.update(dict.fromkeys(hits, width))
    return found


def _op_of(graph: Graph, name: str) -> str:
    return next(node.op for node in graph.nodes if node.name == name)


def _narrow(graph: Graph) -> frozenset[str]:
    return frozenset(node.name for node in graph.nodes if not OPS[node.op].int16)


def _check_widths(widths: Sequence[int]) -> None:
    for width in widths:
        if width not in WIDTHS:
            raise UsageError(f"activations of {width} bits", hints=["they have 8 or 16"])
