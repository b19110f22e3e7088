# make demo: install what is missing, deploy the bundled model to the emulated NUCLEO-F767ZI.
# make test: install what is missing, lint, type-check, run every test.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PYTEST_ARGS ?=
MNIST   = docs/examples/mnist

.PHONY: demo test lint format tools clean

demo: $(VENV)/.installed
	ci/install-tools.sh demo
	$(BIN)/deployer run --board nucleo-f767zi \
	    --calibration $(MNIST)/mnist_calibration.npz --dataset $(MNIST)/mnist_test.npz \
	    --input-scale 1/255 $(MNIST)/mnist_dscnn.onnx

test: $(VENV)/.installed-dev $(VENV)/labgrid/.installed
	ci/install-tools.sh test
	PATH="$(CURDIR)/$(BIN):$$PATH" ci/check.sh $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .
	$(BIN)/python -m deployer.codegen.kernel_headers
	git ls-files '*.c' '*.h' ':!tests/**/golden/**' | xargs clang-format -i

$(VENV)/.installed: pyproject.toml
	ci/make-venv.sh $(PYTHON) $(VENV) .
	touch $@

$(VENV)/.installed-dev: pyproject.toml
	ci/make-venv.sh $(PYTHON) $(VENV) '.[dev]'
	touch $@ $(VENV)/.installed

# by itself: it replaces pyserial
$(VENV)/labgrid/.installed: hil/deployer_labgrid/requirements.txt
	$(PYTHON) -m venv $(VENV)/labgrid
	$(VENV)/labgrid/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

clean:
	rm -rf build dist $(VENV)
