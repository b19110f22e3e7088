"""C from plans, and linker scripts."""

from deployer.codegen.call import array_key
from deployer.codegen.constants import constant_arrays, in_groups, weight_layout
from deployer.codegen.fetches import outer_image
from deployer.codegen.library import Planned, library_names, library_sources, library_view
from deployer.codegen.library_text import Sample, library_texts
from deployer.codegen.library_views import LibraryView
from deployer.codegen.linker import linker_script
from deployer.codegen.names import plain_text
from deployer.codegen.network import WHOLE, generate, kernel_sources, network_cname, shape_text
from deployer.codegen.region_channels import kernels_in_groups
from deployer.codegen.region_facts import region_title, table_bytes
from deployer.codegen.templates import rendered

__all__ = [
    "WHOLE",
    "LibraryView",
    "Planned",
    "Sample",
    "array_key",
    "constant_arrays",
    "generate",
    "in_groups",
    "kernel_sources",
    "kernels_in_groups",
    "library_names",
    "library_sources",
    "library_texts",
    "library_view",
    "linker_script",
    "network_cname",
    "outer_image",
    "plain_text",
    "region_title",
    "rendered",
    "shape_text",
    "table_bytes",
    "weight_layout",
]
