"""Small faults put into a module, one at a time: what a slip of the hand would make of a line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
CALLED = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
}
ANNOTATIONS = ("annotation", "returns", "decorator_list", "type_params", "format_spec")
BODIES = ("body", "orelse", "finalbody")


@dataclass(frozen=True)
class Change:
    """``apply`` alters the tree that the change was found in, at ``line`` of its source."""

    line: int
    apply: Callable[[], None]


@dataclass(frozen=True)
class Mutant:
    """The ``number``-th change of a file, as text. ``before`` and ``after``: what differs."""

    path: str
    line: int
    number: int
    before: str
    after: str
    text: str

    @property
    def package(self) -> str:
        parts = self.path.removesuffix(".py").split("/")
        if parts[0] == "hil":
            return parts[0]
        return ".".join(parts[1:3] if parts[1] == "tools" else parts[1:2])

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  =>  {self.after}"


def lines_of(text: str) -> list[int]:
    """The line of each change of a module, by number."""
    return [change.line for change in _changes(ast.parse(text))]


def mutant(path: str, text: str, number: int) -> Mutant:
    """``text`` with its ``number``-th change; comments go, as the module is printed anew."""
    tree = ast.parse(text)
    plain = ast.unparse(tree).splitlines()
    change = list(_changes(tree))[number]
    change.apply()
    changed = ast.unparse(ast.fix_missing_locations(tree))
    pairs = zip_longest(plain, changed.splitlines(), fillvalue="")
    before, after = next((a.strip(), b.strip()) for a, b in pairs if a != b)
    return Mutant(path, change.line, number, before, after, changed)


def _changes(tree: ast.AST) -> list[Change]:
    """In the order of the source."""
    return sorted(_below(tree, inside=False), key=lambda change: change.line)


def _below(node: ast.AST, *, inside: bool) -> Iterator[Change]:
    """Of ``node`` and all it holds, ``inside`` a function or not."""
    if _is_left_alone(node):
        return
    yield from _removed(node)
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and not inside):
        yield from _at(node)  # outside of functions X | Y is a type
    inside = inside or isinstance(node, ast.FunctionDef)
    for name, value in ast.iter_fields(node):
        if name not in ANNOTATIONS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _below(child, inside=inside)


def _is_left_alone(node: ast.AST) -> bool:
    """Checks of what cannot be, and what is no statement of behaviour."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    if isinstance(node, ast.keyword):
        return node.arg == "strict"
    if isinstance(node, ast.Raise):
        return node.exc is not None and "AssertionError" in ast.unparse(node.exc)
    return isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom))


def _removed(node: ast.AST) -> Iterator[Change]:
    """Without one of its statements."""
    for name in BODIES:
        body = getattr(node, name, None)
        for index, child in enumerate(body if isinstance(body, list) else []):
            called = isinstance(child, ast.Expr) and not isinstance(child.value, ast.Constant)
            kinds = (ast.AugAssign, ast.Raise, ast.Delete, ast.Continue, ast.Break)
            if (called or isinstance(child, kinds)) and not _is_left_alone(child):
                yield Change(child.lineno, partial(body.__setitem__, index, ast.Pass()))


def _at(node: ast.AST) -> Iterator[Change]:
    for found in (_operators, _constants, _conditions, _values):
        yield from found(node)


def _operators(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=ops):
            for index, op in enumerate(ops):
                for other in COMPARE[type(op)]:
                    yield Change(
                        node.comparators[index].lineno, partial(ops.__setitem__, index, other())
                    )
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in BINARY:
            yield Change(node.lineno, partial(setattr, node, "op", BINARY[type(op)]()))
        case ast.BoolOp(op=op):
            other = ast.Or if isinstance(op, ast.And) else ast.And
            yield Change(node.lineno, partial(setattr, node, "op", other()))
        case ast.UnaryOp(op=ast.USub()):
            yield Change(node.lineno, partial(setattr, node, "op", ast.UAdd()))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield Change(node.lineno, partial(setattr, node, "operand", _not(operand)))


def _constants(node: ast.AST) -> Iterator[Change]:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield Change(node.lineno, partial(setattr, node, "value", not node.value))
    elif isinstance(node.value, (int, float)):
        for other in (node.value + 1, node.value - 1):
            yield Change(node.lineno, partial(setattr, node, "value", other))


def _conditions(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield Change(test.lineno, partial(setattr, node, "test", _not(test)))
        case ast.comprehension(ifs=ifs):
            for index, test in enumerate(ifs):
                yield Change(test.lineno, partial(ifs.__setitem__, index, _not(test)))


def _not(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def _values(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Call(func=ast.Name(id=name) as func) if name in CALLED:
            yield Change(node.lineno, partial(setattr, func, "id", CALLED[name]))
        case ast.Call(func=ast.Attribute(attr=name) as func) if name in CALLED:
            yield Change(node.lineno, partial(setattr, func, "attr", CALLED[name]))
        case ast.Slice(lower=lower, upper=upper):
            for side, bound in (("lower", lower), ("upper", upper)):
                if bound is not None:
                    yield Change(bound.lineno, partial(setattr, node, side, None))
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield Change(node.lineno, partial(setattr, node, "value", ast.Constant(None)))
