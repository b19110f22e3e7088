"""The report of one run: plain JSON, described in docs/report.md."""

from __future__ import annotations

from deployer import __version__
from deployer.bundle import Bundle
from deployer.bundle_facts import LaunchRow, MemoryFacts
from deployer.codegen import plain_text
from deployer.pipeline.facts import (
    AccuracyFacts,
    FloatFacts,
    GoldenFacts,
    ImageFacts,
    QuantFacts,
    RanRow,
    Report,
    UsedMemory,
)
from deployer_hil import RunRecord


def make_report(
    quant: QuantFacts,
    bundle: Bundle,
    record: RunRecord,
    accuracy: AccuracyFacts | None,
    *,
    widths: str,
) -> Report:
    """Join what the compiler planned with what the rig saw."""
    manifest = bundle.manifest
    return {
        "deployer": __version__,
        "board": bundle.board,
        "target": manifest["target"],
        "image": image_facts(bundle),
        "runner": record.runner,
        "bundle": bundle.id,
        "model": manifest["model"],
        "options": manifest["options"],
        "widths": widths,
        "toolchain": manifest["toolchain"],
        "device": dict(record.caps),
        "counter": {"kind": record.kind, "unit": record.counter, "clock_hz": manifest["clock_hz"]},
        "golden": golden_facts(bundle, record),
        "float": float_facts(quant),
        "accuracy": accuracy,
        "warnings": [*quant.get("warnings", ()), *(accuracy["warnings"] if accuracy else ())],
        "memory": memory_facts(manifest["memory"], record),
        "restructured": manifest.get("restructured"),
        "shared": manifest.get("shared"),
        "layers": layer_rows(manifest["steps"], quant, record),
    }


def image_facts(bundle: Bundle) -> ImageFacts:
    """Whose image ran: ``flash`` programs the board's own, an emulator of another machine runs one
    of the same sources and plan, linked for its twin."""
    target = bundle.manifest["target"]
    if target == bundle.board:
        return {"of": "board", "note": ""}
    note = (
        f"same network, plan and kernels, linked for {target} with its port; start-up, clocks, "
        f"console and addresses of {bundle.board} are in the image that build and flash make"
    )
    own = "register_model" in bundle.manifest["runners"]
    return {"of": "twin", "note": f"{note}: --runner register_model tries it" if own else note}


def golden_facts(bundle: Bundle, record: RunRecord) -> GoldenFacts:
    golden = record.golden
    return {
        "match": golden.match,
        "samples": golden.samples,
        "elements": golden.elements,
        "differing": golden.differing,
        "first_differing_layer": golden.first_layer,
        "weights": golden.weights,
    }


def float_facts(quant: QuantFacts) -> FloatFacts:
    """How the integer network agrees with the float one, by its first output."""
    first = quant["outputs"][0]
    return {
        "samples": quant["samples"],
        "sqnr_db": first["sqnr_db"],
        "max_abs_error": first["max_abs_error"],
        "top1_agreement": first["top1_agreement"],
        "synthetic": quant["calibration"]["synthetic"],
    }


def memory_facts(planned: MemoryFacts, record: RunRecord) -> UsedMemory:
    """Bytes. ``ram`` is what the image needs, ``ram_network`` the part that a program without the
    harness needs too; ``spare`` are copies of weights in RAM that nothing else takes, which
    ``--place off`` does without; ``stack_used`` is what a run painted over."""
    network = planned["arena"] + planned["stack"]
    copied = planned["copied_weights"]
    beside = planned["static"] + planned["input_copy"]
    return {
        **planned,
        "stack_used": record.mem.get("stack_used"),
        "ram_network": network,
        "ram": network + beside,
        "spare": sum(copied["by_memory"].values()) if copied else 0,
        "flash": planned["weights"] + planned["code"],
    }


def layer_rows(steps: list[LaunchRow], quant: QuantFacts, record: RunRecord) -> list[RanRow]:
    """One row a step: what it is, what it cost, whether it matched, how far from float."""
    sqnr = {plain_text(row["node"]): row["output"]["sqnr_db"] for row in quant["layers"]}
    return [
        {
            **step,
            "count": layer.count,
            "kind": record.kind,
            "match": layer.match,
            "sqnr_db": sqnr.get(step["name"]),
        }
        for step, layer in zip(steps, record.layers, strict=True)
    ]
