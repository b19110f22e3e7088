#!/bin/sh
# What a change must pass: lint, format, types, tests, and tests of the frontend with old libraries. Arguments go to pytest.
set -eu

ruff check .
ruff format --check .
mypy
git ls-files '*.c' '*.h' ':!tests/**/golden/**' | xargs clang-format --dry-run --Werror
# the unit tests first: they fail fastest
pytest -n 2 --dist loadfile "$@"
ci/oldest.sh build/oldest
