"""Compilers and linkers: an image from sources, the same bytes each time."""

from deployer.build.cmsis_nn import FAMILY, NAME, SINGLE, Library, checked, library_of
from deployer.build.compile import COMMON_FLAGS, Program, build, program_id
from deployer.build.objects import CodeSize, code_size, functions_in
from deployer.build.size import ImageSize, image_size
from deployer.build.toolchain import Tools, ccache, compiler_version, find_tools

__all__ = [
    "COMMON_FLAGS",
    "FAMILY",
    "NAME",
    "SINGLE",
    "CodeSize",
    "ImageSize",
    "Library",
    "Program",
    "Tools",
    "build",
    "ccache",
    "checked",
    "code_size",
    "compiler_version",
    "find_tools",
    "functions_in",
    "image_size",
    "library_of",
    "program_id",
]
