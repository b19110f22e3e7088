"""Headers that are written from tables: fresh, whole, and what a compiler reads in them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from deployer.codegen import kernel_headers
from deployer.codegen.kernel_headers import blocking_header, headers, main, operator_header
from deployer.ir.verify import InvariantError
from deployer.kernelset.arguments import HEADERS, Arguments, Header, arguments_of
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.select import families
from deployer.resources import data_root

INCLUDE = data_root() / "kernels" / "include"
WRITTEN = headers()
BLOCKING = sorted(name for name in WRITTEN if name.endswith("/blocking.h"))
ALL = [kernel for kernels in families().values() for kernel in kernels]


@pytest.mark.parametrize("name", WRITTEN)
def test_the_header_in_the_tree_is_what_its_table_says(name: str) -> None:
    text = (INCLUDE / "dpl" / name).read_text()
    assert text == WRITTEN[name], "python -m deployer.codegen.kernel_headers writes it anew"


def test_no_header_of_prototypes_or_blocking_is_written_by_hand() -> None:
    declared = re.compile(r"^void dpl_\w+__\w+\(const \w+_args \*a\);$", re.MULTILINE)
    for path in sorted((INCLUDE / "dpl").rglob("*.h")):
        by_hand = str(path.relative_to(INCLUDE / "dpl")) not in WRITTEN
        assert not by_hand or not declared.search(path.read_text()), path
        assert not by_hand or path.name != "blocking.h"


def test_stale_headers_are_named_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel_headers, "data_root", lambda: tmp_path)
    folder = tmp_path / "kernels/include/dpl"
    folder.mkdir(parents=True)
    assert main(["--check"]) == 1
    assert "pool.h is stale" in capsys.readouterr().out
    assert not list(folder.iterdir())
    assert main([]) == 0
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.h")} == set(WRITTEN)
    capsys.readouterr()
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == ""


def test_a_struct_of_several_types_has_each_ones_tensors() -> None:
    given = Arguments(
        "spread", ("dpl_tensor_{input} input", "{element} *out"), "", ("s8", "s16_s8")
    )
    text = operator_header(Header("spread", (given,), "What spreads."), ())
    assert text.startswith("/* What spreads. Written by")
    bodies = re.findall(r"typedef struct \{\n(.*?)\} (\w+);", text, re.DOTALL)
    assert bodies == [
        ("    dpl_tensor_s8 input;\n    int8_t *out;\n", "dpl_spread_s8_args"),
        ("    dpl_tensor_s16 input;\n    int16_t *out;\n", "dpl_spread_s16_s8_args"),
    ]


def test_a_prototype_follows_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = next(header for header in HEADERS if header.name == "pool")
    entry = Kernel(
        "dpl_max_pool_s16__ref_new", op="MaxPool", act="s16", weight_layout=WeightLayout.X2C4
    )
    other = Kernel("dpl_add_s8__ref_new", op="Add")
    text = operator_header(pool, [entry, other])
    assert re.findall(r"^void .*$", text, re.MULTILINE) == [
        "void dpl_max_pool_s16__ref_new(const dpl_pool_s16_args *a);"
    ]
    assert '/* weights: layout "x2c4" */\nvoid dpl_max_pool' in text


def test_long_comments_fit_the_line() -> None:
    given = Arguments("x", ("int32_t x",), "word " * 60, ("s8",))
    lines = operator_header(Header("x", (given,), "much " * 19 + "more"), ()).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.endswith("*/") for line in lines) == 2


def test_a_line_of_blocking_that_is_no_constant_is_refused() -> None:
    module = ModuleType("odd", "Odd.")
    with pytest.raises(InvariantError, match="'if True:' is no constant"):
        blocking_header("odd", module, '"""Odd."""\nif True:\n')


@pytest.mark.parametrize("name", BLOCKING)
def test_a_compiler_reads_the_numbers_that_python_has(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    module = import_module(f"deployer.kernelset.blocking.{Path(name).parent}")
    numbers = {key: value for key, value in vars(module).items() if isinstance(value, int)}
    assert numbers
    lines = [f'#include "dpl/{name}"']
    lines += [f'_Static_assert(DPL_{key} == {n}, "{key}");' for key, n in numbers.items()]
    source = tmp_path / "numbers.c"
    source.write_text("\n".join(lines) + "\n")
    subprocess.run(["gcc", "-std=c11", f"-I{INCLUDE}", "-fsyntax-only", source], check=True)


def test_no_two_families_give_a_number_the_same_name() -> None:
    defined = [n for name in BLOCKING for n in re.findall(r"#define (DPL_\w+) ", WRITTEN[name])]
    assert len(defined) == len(set(defined))


def test_structs_have_the_fields_that_their_table_names(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """By offsetof of each: a name that the table takes for a field, but C does not, fails."""
    tool("gcc")
    lines = ["#include <stddef.h>", *(f'#include "dpl/{header.name}.h"' for header in HEADERS)]
    for given in (struct for header in HEADERS for struct in header.structs):
        for types in given.types:
            struct, names = given.struct(types), given.names(types)
            offsets = " + ".join(f"offsetof({struct}, {name})" for name in names)
            lines.append(f"size_t of_{given.name}_{types} = {offsets};")
    source = tmp_path / "fields.c"
    source.write_text("\n".join(lines) + "\n")
    subprocess.run(["gcc", "-std=c11", f"-I{INCLUDE}", "-fsyntax-only", source], check=True)


def test_every_kernel_is_called_with_a_struct_of_its_types() -> None:
    for kernel in ALL:
        types = "_".join(filter(None, (kernel.act, kernel.out_act)))
        assert types in arguments_of(kernel.op).types, kernel.symbol
        assert kernel.argument_struct.endswith(f"_{types}_args")
