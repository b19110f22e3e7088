"""Mutants that do what the module does, judged by hand."""

from __future__ import annotations

from mutation.mutants import Mutant

AT_ONCE = "how many samples are computed at once: the integers are the same"
CHANNELS = "a bias has an entry a channel, so that what an empty one begins with never counts"
ONE_MEMORY = "an arena in several memories is refused two lines above"
EITHER_EXACT = "float64 holds whatever float32 does"
ANY_NEGATIVE = "numpy takes any negative extent for the one that is left open"
LEVELS = "which number a level has does not matter as long as all differ"
PIECES = "how much is read at once: the bytes are the same"
PATIENCE = "how long a simulation that hangs is waited for"
NOT_ITSELF = "no buffer is among its own neighbours"
ENDS = "every end is above 0"
DOUBLED = "sizes are doubled: of up to 15 times what there is the last that is tried is 8 times"
ASKED_WHETHER = "callers ask only whether it is so"
ONE_SHAPE = "a layer whose activations differ in shape is not cut into tiles"
ONE_PART = "only a Concat of one part has no axis along which that is less than the output"
SAYS_NOTHING = "callers ask only whether a rule says anything"
SPEED = "how much is done at once, or in which way: the sums are the same"
NO_SHARED = "of a label without a shared buffer, which nothing looks at"
POISONED = "any byte that data do not hold throughout tells as much"
SHORT_CUT = "what is true of all leads to the same multiplier a few lines below"
NEVER_EQUAL = "one of 2^53 random numbers"
BLOCKS = "how many numbers are looked at at once: whether all are finite is the same"
EXCHANGES = "exchanging two runs of axes three times gives every order of six"
WHOLE = "weights that were integers lie on whole steps"
PRIME = "17 has no factors to turn round in two steps by"

# module, and what stood in the line and stands there now: why nobody can tell them apart
REASONS: dict[tuple[str, str, str], str] = {
    ("deployer/numerics/convolve.py", "tall * wide * channels", "tall // wide * channels"): AT_ONCE,
    ("deployer/numerics/ops/linear.py", "max(initial=0)", "max(initial=-1)"): CHANNELS,
    ("deployer/plan/smallest.py", "place.arena[0])", "place.arena[-1])"): ONE_MEMORY,
    ("deployer/tools/train/operators.py", "bound <= EXACT", "bound < EXACT"): EITHER_EXACT,
    ("deployer/frontend/express.py", "reshape(-1, length)", "reshape(-2, length)"): ANY_NEGATIVE,
    ("deployer/npz.py", "_CHUNK_BYTES = 8 << 20", "_CHUNK_BYTES = 7 << 20"): PIECES,
    ("hil/deployer_hil/gvsoc.py", "HOUR_SECONDS = 3600", "HOUR_SECONDS = 3599"): PATIENCE,
    ("deployer/allocate/instance.py", "if i < j", "if i <= j"): NOT_ITSELF,
    ("deployer/allocate/split.py", "ends.get(k, 0)", "ends.get(k, -1)"): ENDS,
    ("deployer/frontend/quantized.py", "return ''", "return None"): SAYS_NOTHING,
    ("deployer/plan/verdict.py", "return False", "return None"): ASKED_WHETHER,
    ("deployer/kernelset/overlap_offset.py", "output[i]), 0)", "output[i]), -1)"): ONE_PART,
    ("deployer/ir/scope.py", "return False", "return None"): ASKED_WHETHER,
    ("deployer/plan/smallest.py", "MAX_TIMES = 8", "MAX_TIMES = 9"): DOUBLED,
    ("hil/deployer_hil/lines.py", "_CHUNK_BYTES = 4096", "_CHUNK_BYTES = 4097"): PIECES,
    ("hil/deployer_hil/lines.py", "_CHUNK_BYTES = 4096", "_CHUNK_BYTES = 4095"): PIECES,
    **{
        (f"deployer/frontend/{name}.py", "return ''", "return None"): SAYS_NOTHING
        for name in ("movement", "operands", "resize", "supported", "versions")
    },
    (
        "deployer/frontend/check.py",
        "_BLOCK_ELEMENTS = 1 << 20",
        "_BLOCK_ELEMENTS = 2 << 20",
    ): BLOCKS,
    (
        "deployer/frontend/check.py",
        "_BLOCK_ELEMENTS = 1 << 20",
        "_BLOCK_ELEMENTS = 1 << 21",
    ): BLOCKS,
    (
        "deployer/frontend/check.py",
        "_BLOCK_ELEMENTS = 1 << 20",
        "_BLOCK_ELEMENTS = 1 << 19",
    ): BLOCKS,
    ("deployer/frontend/grids.py", "steps > -128.5", "steps >= -128.5"): WHOLE,
    ("deployer/frontend/grids.py", "steps < 127.5", "steps <= 127.5"): WHOLE,
    ("deployer/frontend/transposes.py", "_MAX_MOVES = 3", "_MAX_MOVES = 4"): EXCHANGES,
    ("deployer/frontend/express.py", "_FEW_PIECES = 16", "_FEW_PIECES = 17"): PRIME,
    ("deployer/quantize/thresholds.py", "np.int64) + 128", "np.int64) + 129"): LEVELS,
    ("deployer/quantize/linear_layers.py", "stride[1] + wide", "stride[1] - wide"): LEVELS,
    ("deployer/numerics/ops/linear.py", "2 ** 24", "1 ** 24"): EITHER_EXACT,
    ("deployer/numerics/ops/linear.py", "2 ** 24", "2 ** 23"): EITHER_EXACT,
    ("deployer/numerics/ops/linear.py", "2 ** 24", "2 * 24"): EITHER_EXACT,
    ("deployer/tools/train/straight_through.py", "2 ** 24", "1 ** 24"): EITHER_EXACT,
    ("deployer/tools/train/straight_through.py", "2 ** 24", "2 ** 23"): EITHER_EXACT,
    ("deployer/tools/train/straight_through.py", "2 ** 24", "2 * 24"): EITHER_EXACT,
    ("deployer/tools/train/operators.py", "128 * (abs", "129 * (abs"): EITHER_EXACT,
    ("deployer/tools/train/augment.py", "reshape([-1 if", "reshape([-2 if"): ANY_NEGATIVE,
    ("deployer/tools/train/augment.py", "random() < 0.5", "random() <= 0.5"): NEVER_EQUAL,
    ("deployer/quantize/float_steps.py", "if ((low <= m", "if ((low < m"): SHORT_CUT,
    ("deployer/quantize/float_steps.py", "if ((low <= m", "if ((low > m"): SHORT_CUT,
    ("deployer/quantize/float_steps.py", "r <= high)).all", "r < high)).all"): SHORT_CUT,
    ("deployer/quantize/float_steps.py", "r <= high)).all", "r > high)).all"): SHORT_CUT,
}

# module, and a line any number of which does: why
ANY_NUMBER: dict[tuple[str, str], str] = {
    ("deployer/numerics/convolve.py", "_BLOCK_ELEMENTS = 1 << 18"): SPEED,
    ("deployer/numerics/convolve.py", "_BAND_ELEMENTS = 1 << 25"): SPEED,
    ("deployer/numerics/convolve.py", "_UNTHREADED_PRODUCTS = 1 << 18"): SPEED,
    ("deployer/numerics/convolve.py", "_MIN_ROWS = 4"): SPEED,
    ("deployer/numerics/convolve.py", "_MAX_TAPS = 1 << 14"): SPEED,
    ("deployer/numerics/interpret.py", "_CHUNK_SAMPLES = 32"): SPEED,
    ("deployer/numerics/interpret.py", "_CHUNK_ELEMENTS = 1 << 22"): SPEED,
    ("deployer/numerics/device.py", "_POISON = 165"): POISONED,
    ("deployer/quantize/histogram.py", "_SLICE_ELEMENTS = 1 << 20"): SPEED,
    ("deployer/restructure/search.py", "alive: int = 0"): NO_SHARED,
    ("deployer/restructure/search.py", "pair: int = 0"): NO_SHARED,
    ("deployer/restructure/search.py", "beside: int = 0"): NO_SHARED,
    ("deployer/restructure/simulated.py", "_MAX_KEPT = 2048"): SPEED,
}


def reason(mutant: Mutant) -> str:
    """Why ``mutant`` does what the module does; "" when it does not."""
    if (mutant.path, mutant.before) in ANY_NUMBER:
        return ANY_NUMBER[mutant.path, mutant.before]
    for (path, old, new), why in REASONS.items():
        if path == mutant.path and mutant.before.replace(old, new) == mutant.after != mutant.before:
            return why
    return ""
