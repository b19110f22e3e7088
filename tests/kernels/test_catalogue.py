"""Every kernel equals the numpy definition on every case, on every core we can run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from catalogue.target import (
    Outcome,
    Target,
    aarch32,
    aarch64,
    cortex_m7,
    gap8,
    gvsoc,
    host,
    kernels_of,
    run,
    rv32,
)

from deployer.kernelset.blocking.neon import SCRATCH_CORES
from deployer.kernelset.kernel import Kernel

HOSTS = (host(1), host(3), host(SCRATCH_CORES), host(8))
EMULATED = (cortex_m7(), aarch64(), aarch32(), rv32(), gap8(1), gap8(3), gvsoc())
TARGETS = {t.name: t for t in (*HOSTS, *EMULATED)}
ENTRIES = [(t.name, kernel) for t in TARGETS.values() for kernel in kernels_of(t)]
PATIENCE = {"gvsoc": [pytest.mark.timeout(3600)]}  # all cases of a family and type in one run


@pytest.fixture(scope="module")
def outcomes(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Target, Kernel], Outcome]:
    """One compilation and one run for each target, family and type: all together would not fit the
    memory of the emulated Cortex-M7."""
    done: dict[tuple[str, ...], Outcome] = {}

    def outcome(target: Target, kernel: Kernel) -> Outcome:
        for program in filter(None, (target.compiler, target.emulator)):
            tool(program)
        key = target.name, kernel.family, kernel.act
        if key not in done:
            alike = [k for k in kernels_of(target) if (k.family, k.act) == key[1:]]
            done[key] = run(target, tmp_path_factory.mktemp("-".join(key)), kernels=alike)
        return done[key]

    return outcome


@pytest.mark.parametrize(
    ("target", "kernel"),
    [pytest.param(*entry, marks=PATIENCE.get(entry[0], [])) for entry in ENTRIES],
    ids=[f"{name}-{kernel.symbol}" for name, kernel in ENTRIES],
)
def test_kernel_equals_numerics(
    target: str, kernel: Kernel, outcomes: Callable[[Target, Kernel], Outcome]
) -> None:
    outcome = outcomes(TARGETS[target], kernel)
    ran = sum(trial.kernel == kernel for trial in outcome.trials)
    failed = outcome.of(kernel)
    assert ran >= 100
    assert not failed, f"{len(failed)} of {ran} cases, first: {failed[0]}"
