# The two that matter: `make demo` and `make test`. See `make help`.

PYTHON ?= python3
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-latest lint bench clean

# Three environments that never touch each other:
#   .venv         the core and the runtime of .tflite files (make demo)
#   .venv-test    everything, for tests and benchmarks
#   .venv-latest  the core on the newest TensorFlow and Keras
# Each holds `.ready` once it is whole, and is brought up to date when the
# requirements or the version change. One that holds `.making` was interrupted
# and is made anew. One with neither is not ours: it is added to, never removed.
VENVS := .venv/.ready .venv-test/.ready .venv-latest/.ready
.venv/.ready: EXTRAS := [litert]
.venv-test/.ready: EXTRAS := [all,reference,test]
.venv-latest/.ready: EXTRAS := [test]

help:
	@echo "make demo         train on the embedded corpus, score it, parse sentences"
	@echo "make test         install everything, lint, run the tests"
	@echo "make test-slow    run the tests that take minutes"
	@echo "make test-latest  run the core's tests on the newest TensorFlow"
	@echo "make lint         check style and format only"
	@echo "make bench        run the benchmarks"
	@echo "make clean        remove caches and build products (no environment, no run)"
	@echo
	@echo "make PYTHON=python3.12 ... chooses the Python of new environments."

demo: .venv/.ready
	.venv/bin/keras-slu demo

test: lint
	.venv-test/bin/python tests/run.py

test-slow: .venv-test/.ready
	.venv-test/bin/python tests/run.py -m slow

test-latest: .venv-latest/.ready
	.venv-latest/bin/python -m pip install --upgrade tensorflow keras
	.venv-latest/bin/python tests/run.py

lint: .venv-test/.ready
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .

bench: .venv-test/.ready
	@set -e; for script in $(sort $(wildcard benchmarks/*.py)); do \
	    echo "== $$script"; .venv-test/bin/python $$script; \
	done

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -path './.venv*' -prune -o -name __pycache__ -type d -exec rm -rf {} +

define CHECK_PYTHON
import sys
name = sys.executable
if not (3, 10) <= sys.version_info[:2] <= (3, 13):
    sys.exit("error: %s is Python %d.%d; keras-slu needs 3.10 to 3.13. "
             "Name one: make PYTHON=python3.12" % ((name,) + sys.version_info[:2]))
try:
    import ensurepip, venv
except ImportError:
    sys.exit("error: %s cannot make environments. Install python3-venv (for "
             "example: apt-get install python%d.%d-venv), then run make again."
             % ((name,) + sys.version_info[:2]))
endef
export CHECK_PYTHON

$(VENVS): setup.cfg keras_slu/__init__.py
	@command -v $(PYTHON) >/dev/null || { \
	    echo "error: no $(PYTHON) here. Install Python 3.10 to 3.13, or name" \
	         "one: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c "$$CHECK_PYTHON"
	@echo "Making $(@D): some minutes, up to 3.5 GB."
	@if [ -e $(@D)/.making ]; then rm -rf $(@D); fi
	@if [ -e $@ ]; then mv $@ $(@D)/.making; \
	elif [ ! -e $(@D) ]; then \
	    mkdir $(@D) && touch $(@D)/.making && $(PYTHON) -m venv $(@D); \
	fi
	$(@D)/bin/python -m pip install --disable-pip-version-check -e ".$(EXTRAS)"
	@rm -f $(@D)/.making && touch $@
