#!/bin/sh
# make-venv.sh PYTHON FOLDER REQUIREMENT: a virtual environment with this project in it, editable.
set -eu
python=$1 folder=$2 requirement=$3

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: $python is older than 3.11; try: make PYTHON=python3.11 ..." >&2
    exit 2
}
# Debian splits venv from the interpreter
"$python" -c 'import ensurepip' 2>/dev/null || ci/install-tools.sh venv
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -e "$requirement"
