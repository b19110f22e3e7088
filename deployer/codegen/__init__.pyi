from .fetches import outer_image
from .library import Planned, library_names, library_sources, library_view
from .library_text import Sample, library_texts
from .library_views import LibraryView
from .linker import linker_script
from .names import network_cname, plain_text
from .network import WHOLE, generate, kernel_sources, shape_text
from .region_channels import kernels_in_groups
from .region_facts import region_function, region_title, table_bytes
from .templates import rendered

__all__ = [
    "WHOLE",
    "LibraryView",
    "Planned",
    "Sample",
    "generate",
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
    "region_function",
    "region_title",
    "rendered",
    "shape_text",
    "table_bytes",
]
