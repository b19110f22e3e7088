"""Results held against a baseline: what got slower, bigger, less accurate or wrong."""

from deployer_hil.gate.baseline import Baseline, LayerCount, Row, read_baseline, rows_of, with_rows
from deployer_hil.gate.compare import Finding, findings, require_comparable
from deployer_hil.gate.junit import junit_xml

__all__ = [
    "Baseline",
    "Finding",
    "LayerCount",
    "Row",
    "findings",
    "junit_xml",
    "read_baseline",
    "require_comparable",
    "rows_of",
    "with_rows",
]
