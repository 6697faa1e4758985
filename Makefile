# Two commands do all: `make` installs and runs the default workflow; `make test` checks the package.
# `make test-quick` runs one test of each contract; `make test-statistics` runs what simulates for long.
# `make test-studies` checks the papers' studies, the workflow that runs them, and the benchmarks.
# `make test-slurm` checks the workflow on a real Slurm of one node, which it installs where it may.
# `make test-commands` runs every command that README and docs print.
# `make test-inspect` reads files that the makers' own packages write there and then, in an environment of its own,
# and the hostile ones of the makers that have no reader in the lock.
# `make test-browser` reads every HTML report in headless Chromium, which it installs where it may.
# `make site` builds the documentation into site/, and stops at a broken link or a page that prints something else.
# `make test-wheel` installs nbyk from its source and its wheel into an empty environment, and asks it there.
# `make test-faults TIMES=20` kills runs and fills disks at 20 random moments a test; SEED=n starts with moment n.
# `make test` runs one cheap moment of each kind, and a sample of the corpus of hostile inputs, of which this runs all.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
VENV := .venv
BIN := $(VENV)/bin
TIMES ?= 20
STUDIES := tests/workflow tests/papers tests/studies tests/benchmarks
QUICK = $(shell grep -rlE "mark.quick" tests --include="*.py")
STATISTICS = $(shell grep -rlE "mark.statistics" tests --include="*.py")
SLURM_PACKAGES := munge slurmctld slurmd slurm-client
EXAMPLE := src/nbyk/data/embedded/example
FIRST_COMPARE := $(BIN)/nbyk compare --gold $(EXAMPLE)/gold.csv $(EXAMPLE)/sim_a.csv $(EXAMPLE)/sim_c.csv
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --profile workflow/profiles/default

# Install Debian's packages, as root or by a sudo that asks for no password: $(call apt_install,what,packages).
define apt_install
{ as_root=; test "$$(id -u)" = 0 || as_root="sudo -n"; \
if command -v apt-get > /dev/null && $$as_root true 2> /dev/null; then \
	$$as_root apt-get update --quiet=2 && $$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
		apt-get install --quiet=2 --no-install-recommends $(2) > /dev/null; \
else echo "error: no $(1) here, and no right to install it; install $(2)"; exit 2; fi; }
endef

# Run a study, and any target after it, and print its first line: $(call run_study,study,target).
define run_study
$(SNAKEMAKE) $(1) $(2) --quiet all
@$(BIN)/python -c "import json; print(json.load(open('results/$(1)/summary.json'))['line'])"
@echo "Read results/$(1)/report.html; tables and figures lie beside it."
endef

# Rules and jobs call `nbyk` and `snakemake` by name; find the environment's first.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: all paper paper-homan paper-ulmer paper-boostsa paper-pandita calibration report snakemake-report unlock install test lint types unit test-quick test-studies test-statistics test-slurm test-browser test-wheel test-commands test-inspect test-faults site slurm chromium bench lock clean

all: install
	$(call run_study,wein2023)

# Every paper at full scale, that of Wein et al. 2023 over 100 test sets a cell in place of 20, on one page.
paper: install
	$(SNAKEMAKE) papers --quiet all --config n_references=100
	@$(BIN)/nbyk study papers-report results --out results/report.html
	@echo "Read results/report.html; each study's tables and figures lie in its own folder."

# Homan et al. 2025: how many ratings per item, Tables 1 to 3 and Figures 1 to 11 (some drawn from a prior for want of data).
paper-homan: install
	$(call run_study,homan2025)

# Ulmer et al. 2022, deep-significance: error rates of tests of scores, Tables 1 to 8 and Figures 2, 3, 6 and 7.
paper-ulmer: install
	$(call run_study,ulmer2022,cartpole)

# BooStSa, Fornaciari et al. 2022: bootstrap tests of label predictions, Figures 1 to 3, and their Type-I error.
paper-boostsa: install
	$(call run_study,boostsa2022)

# Pandita et al. 2026, Forest vs Tree: categories, Table 2, and p and power at every N·K and K.
paper-pandita: install
	$(call run_study,pandita2026)

# How often each test rejects where it should not, and where it should (docs/calibration.md).
calibration: install
	$(call run_study,calibration)

# One page of the papers whose studies were run; it names those that were not.
report: install
	$(BIN)/nbyk study papers-report results --out results/report.html
	@echo "Read results/report.html."

# Snakemake's own report of the default run: its jobs, their times and what they made.
snakemake-report: install
	$(SNAKEMAKE) --quiet all
	$(SNAKEMAKE) --report results/wein2023/snakemake-report.html

# Let Snakemake run again in a folder that a run left locked; first see that no run is alive in it.
unlock: install
	$(BIN)/snakemake --unlock --quiet all

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml envs/requirements.lock
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
		{ echo "error: $(PYTHON) is older than Python 3.11; run: make PYTHON=python3.12"; exit 2; }
	@echo "Installing into $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@{ $(BIN)/python -m pip install --disable-pip-version-check -r envs/requirements.lock && \
		$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .; \
		} > $(VENV)/install.log 2>&1 || { cat $(VENV)/install.log; exit 2; }
	@echo "Compiling what the first commands need"
	@{ $(FIRST_COMPARE) --full & compared=$$!; $(BIN)/nbyk plan convabuse --epsilon 0.3 --power 0.8 && \
		$(FIRST_COMPARE) $(EXAMPLE)/sim_b.csv && wait $$compared; } > $(VENV)/install.log
	@touch $@

test: lint types unit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

types: install
	$(BIN)/mypy

# Each worker keeps to files of its own until it has none left, so that what a file's tests share is made once.
unit: install
	$(BIN)/pytest -n $(CORES) --dist worksteal -m "not statistics and not faults" $(addprefix --ignore=,$(STUDIES))

test-studies: install
	$(BIN)/pytest -n $(CORES) --dist worksteal -m "not statistics and not faults" $(STUDIES)

# One process, so that nothing is compiled twice.
test-quick: install
	$(BIN)/pytest -n 0 -m quick $(QUICK)

test-statistics: install
	$(BIN)/pytest -n $(CORES) --dist worksteal -m statistics $(STATISTICS)

test-slurm: install slurm
	$(BIN)/pytest tests/slurm

test-browser: install chromium
	$(BIN)/pytest -n $(CORES) --dist worksteal tests/browser

test-wheel: install
	$(BIN)/pytest tests/wheel

# The dependencies of the makers' packages exclude some of the locked versions and some of each other's.
test-inspect: install
	test -d $(VENV)-inspect || $(PYTHON) -m venv $(VENV)-inspect
	$(VENV)-inspect/bin/python -m pip install --quiet --disable-pip-version-check '.[inspect,excel]' 'inspect_ai>=0.3.80' datasets argilla deepeval swebench mlflow langfuse lm_eval xlsxwriter pytest hypothesis polars
	$(VENV)-inspect/bin/python -m pip install --quiet --disable-pip-version-check --no-deps evals
	$(VENV)-inspect/bin/python -m pip install --quiet --disable-pip-version-check openai backoff blobfile lz4 pyzstd zstandard setproctitle termcolor
	test -d $(VENV)-inspect/helm || $(PYTHON) -m venv $(VENV)-inspect/helm
	$(VENV)-inspect/helm/bin/python -m pip install --quiet --disable-pip-version-check crfm-helm
	! command -v npm > /dev/null || npm install --silent --no-audit --no-fund --prefix $(VENV)-inspect promptfoo
	PATH="$$PWD/$(VENV)-inspect/node_modules/.bin:$$PWD/$(VENV)-inspect/helm/bin:$$PATH" \
		$(VENV)-inspect/bin/python -m pytest -rs tests/data/test_inspect_logs.py tests/data/test_readers.py \
		tests/data/test_made_there.py
	NBYK_FAULTS_TIMES=1 $(VENV)-inspect/bin/python -m pytest -q tests/hostile -k "Inspect or set"

test-commands: install
	$(BIN)/pytest -n $(CORES) --dist worksteal tests/commands

# The name of each test ends in the seed of its moment.
test-faults: install
	NBYK_FAULTS_TIMES=$(TIMES) NBYK_FAULTS_SEED=$(SEED) $(BIN)/pytest -vv -n $(CORES) tests/faults tests/hostile tests/workflow/test_damaged_intermediates.py

# The gallery's notebooks run first: they draw its pictures.
site: install $(VENV)/installed-docs
	$(BIN)/python scripts/notebooks.py
	rm -rf docs/api
	$(BIN)/sphinx-build --builder html --fail-on-warning --keep-going --fresh-env --quiet docs site
	$(BIN)/pytest tests/site
	@echo "Read site/index.html."

$(VENV)/installed-docs: $(VENV)/installed envs/docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r envs/requirements.lock -r envs/docs.lock
	touch $@

# The tests start their own daemons and no service.
slurm:
	@export PATH="$$PATH:/usr/sbin:/sbin"; \
	for program in munged slurmctld slurmd squeue; do command -v $$program > /dev/null || missing=yes; done; \
	test -z "$$missing" || $(call apt_install,Slurm,$(SLURM_PACKAGES))

chromium:
	@for program in chromium chromium-browser google-chrome; do \
		command -v $$program > /dev/null && exit 0; done; \
	$(call apt_install,Chromium,chromium)

# The peers are transliterations of VET and BooStSa, or the real ones:
# make bench VET=path/to/google-research/vet BOOSTSA=path/to/unpacked/wheel
bench: install
	$(BIN)/python -m benchmarks $(if $(VET),--vet $(VET)) $(if $(BOOSTSA),--boostsa $(BOOSTSA))

lock:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel
	$(BIN)/python -m pip install --quiet -e .[workflow,slurm,dev]
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude nbyk --exclude pip > envs/requirements.lock
	$(BIN)/python -m pip install --quiet -e .[docs]
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude nbyk --exclude pip | grep -vxFf envs/requirements.lock > envs/docs.lock

clean:
	test ! -d results || find results -mindepth 1 ! -name README.md -delete
	rm -rf $(VENV) logs .snakemake site docs/api docs/gallery/figures docs/gallery/notebooks
