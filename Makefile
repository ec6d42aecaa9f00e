# `make` names the targets; each is one command that also works without make.
.PHONY: help test lint ui report findings docs suite clean
PYTHON ?= python

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

test: ## the default tier of the tests (the README's second command, without the installation)
	$(PYTHON) -m pytest

lint: ## what CI checks before the tests: style, layers, types
	ruff check . && ruff format --check . && lint-imports && pyright

suite: ## every experiment, cached
	dvc repro

report: ## outputs/report.html over what has been run
	$(PYTHON) -m repro report

findings: ## docs/findings.md from the runs of the suite
	$(PYTHON) -m repro report runs=outputs/suite findings=docs/findings.md

ui: ## compare runs in MLflow at 127.0.0.1:5000
	@echo 'checks: http://127.0.0.1:5000/#/experiments/1/runs?viewStateShareKey=checks (or =runs, =surprises)'
	MLFLOW_DISABLE_TELEMETRY=true MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false mlflow ui --host 127.0.0.1 --backend-store-uri sqlite:///outputs/mlflow.db

docs: ## the documentation site, in site/ (pip install -e '.[docs]'); runs of `dvc repro` join it
	mkdocs build --strict

clean: ## caches and built pages; never outputs/
	rm -rf site .pytest_cache .ruff_cache .hypothesis
