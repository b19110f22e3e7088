"""Where in the user's Python model a node comes from, as the exporter recorded it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

_SCOPES = "pkg.torch.onnx.name_scopes"
_NAMESPACE = "namespace"


def module_path(metadata: Mapping[str, str]) -> str:
    """The module path, for instance ``layer1.0.conv1``; empty when none is recorded.

    Stack traces are not read: they hold paths of the exporting machine.
    """
    return _from_scopes(metadata.get(_SCOPES, "")) or _from_namespace(metadata.get(_NAMESPACE, ""))


def _from_scopes(text: str) -> str:
    """``['', 'layer1', 'layer1.0', 'conv2d']``: the last entry is the node itself."""
    try:
        scopes = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    if not isinstance(scopes, list):
        return ""
    named = [scope for scope in scopes[:-1] if isinstance(scope, str) and scope]
    return _tidy(named[-1]) if named else ""


def _from_namespace(text: str) -> str:
    """``: net.Net/layer1: torch.nn.Sequential/layer1.0: net.Block/conv2d: aten.conv2d``."""
    scopes = [part.split(":")[0].strip() for part in re.split(r"/(?=[^/]*:)", text)]
    named = [scope for scope in scopes[:-1] if scope]
    return _tidy(named[-1]) if named else ""


def _tidy(scope: str) -> str:
    """Without anything that looks like a path of a machine."""
    return "" if re.search(r"[/\\\n]", scope) else scope
