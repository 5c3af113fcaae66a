# Every target sets up what it needs by itself: .venv with the packages of requirements.lock and, on Debian and its
# relatives, the system packages of packaging/debian-packages.txt. The second time that takes no time.
# Another Python: make run PYTHON=python3.12
.POSIX:
.PHONY: help setup run test slow lint bench pictures docs texts bundle lock

PYTHON = python3
BIN = .venv/bin

help:
	@echo 'make run       open the hall of 16,384 GPUs; without a display: run it, leave summary and picture in out/'
	@echo 'make test      all checks: style, types, layers, tests'
	@echo 'make slow      the long tests, up to 80 minutes'
	@echo 'make lint      style, types and layers only'
	@echo 'make bench     speed figures of this machine'
	@echo 'make pictures  take the pictures of assets/pictures/ again'
	@echo 'make docs      bring the help pages up to date and build their site in out/site/'
	@echo 'make texts     the texts of the window for translators, in out/twin.pot'
	@echo 'make bundle    the program with its Python as .deb and .tar.xz, wheel and sdist, in dist/'
	@echo 'make lock      write requirements.lock again (needs uv)'
	@echo 'make setup     only the setting up that every other target does first'

setup:
	@PYTHON='$(PYTHON)' sh packaging/setup.sh

run: setup
	@sh packaging/run.sh

test: setup
	@sh packaging/test.sh

slow: setup
	@sh packaging/test.sh -m slow

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/twin bench

pictures: setup
	@sh packaging/pictures.sh

docs: setup
	$(BIN)/python packaging/help_pages.py
	$(BIN)/mkdocs build --strict

texts: setup
	$(BIN)/python packaging/texts.py

bundle: setup
	@sh packaging/bundle/build.sh

lock:
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url --no-header \
	    --python-version 3.11 -o requirements.lock
