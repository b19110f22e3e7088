"""Findings as the XML that CI systems read: a suite a row, a case a metric."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from deployer_hil.gate.compare import Finding, by_row


def junit_xml(found: Sequence[Finding]) -> str:
    """Every finding; what is worse is a failure with the figures before and after."""
    top = _counted("testsuites", found)
    for title, own in by_row(found).items():
        suite = _counted("testsuite", own, name=title)
        for each in own:
            suite.append(_case(each))
        top.append(suite)
    ElementTree.indent(top, " ")
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _counted(tag: str, found: Sequence[Finding], **more: str) -> ElementTree.Element:
    failures = sum(each.worse for each in found)
    told = {**more, "tests": str(len(found)), "failures": str(failures)}
    return ElementTree.Element(tag, {name: _valid(text) for name, text in told.items()})


def _case(each: Finding) -> ElementTree.Element:
    name = f"{each.layer}: {each.metric}" if each.layer else each.metric
    case = ElementTree.Element(
        "testcase", {"classname": _valid(each.row.title), "name": _valid(name)}
    )
    if each.worse:
        told = {"message": _valid(each.text), "type": "regression"}
        ElementTree.SubElement(case, "failure", told).text = f"baseline of {each.since or '?'}"
    return case


def _valid(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(c if c in "\t\n\r" or c >= " " else "?" for c in text)
