"""Which functions of an image are its kernels'."""

from __future__ import annotations

from deployer.tools.timing.code_size import bytes_in

TABLE = """
Symbol table '.symtab' contains 8 entries:
   Num:    Value  Size Type    Bind   Vis      Ndx Name
     1: 00000000     0 FILE    LOCAL  DEFAULT  ABS conv2d_s8__armv7em.c
     2: 08000101    40 FUNC    LOCAL  DEFAULT    1 finish
     3: 08000200    16 OBJECT  LOCAL  DEFAULT    1 table
     4: 00000000     0 FILE    LOCAL  DEFAULT  ABS main.c
     5: 08000301  0x20 FUNC    LOCAL  DEFAULT    1 finish
     6: 08000401   100 FUNC    GLOBAL DEFAULT    1 dpl_conv2d_s8__armv7em
     7: 08000501   900 FUNC    GLOBAL DEFAULT    1 main
"""


def test_a_kernels_own_function_and_the_local_ones_of_its_file_count() -> None:
    assert bytes_in(TABLE.splitlines(), {"dpl_conv2d_s8__armv7em"}) == 140


def test_an_image_without_the_kernel_has_none_of_it() -> None:
    assert bytes_in(TABLE.splitlines(), {"dpl_add_s8__ref"}) == 0
