#!/bin/sh
# oldest.sh FOLDER: the frontend's tests, and one whole run, with the oldest onnx and numpy that
# pyproject.toml allows. The newest are those of the environment itself. They lie in FOLDER, before
# the environment's own, and are fetched when pyproject.toml asks for others.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
pins=$(python ci/floors.py onnx numpy)
if [ "$(cat "$folder/pins" 2>/dev/null)" != "$pins" ]; then
    rm -rf "$folder"
    # shellcheck disable=SC2086
    python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --target "$folder" $pins || {
        echo "oldest: skipped, this Python has no packages of $pins"
        [ -z "${CI:-}" ] # where skipping is not passing
        exit
    }
    echo "$pins" >"$folder/pins"
fi
export PYTHONPATH="$folder${PYTHONPATH:+:$PYTHONPATH}"
python - "$folder" <<'EOF'
import sys, numpy, onnx

print(f"oldest: onnx {onnx.__version__}, numpy {numpy.__version__}")
sys.exit(not all(module.__file__.startswith(sys.argv[1]) for module in (numpy, onnx)))
EOF
# pinned texts quote the newest library
DEPLOYER_FUZZ=100 pytest -n 2 --dist loadfile --ignore-glob='*pinned*' tests/unit/frontend
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python -m deployer run --board host --output "$scratch/run" docs/examples/mnist/mnist_dscnn.onnx >"$scratch/text" ||
    { cat "$scratch/text"; exit 1; }
