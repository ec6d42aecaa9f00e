"""After the benchmarks: what one replicate costs in each, and the ratios, from one run."""

from repro.study.parallel import single_thread

single_thread()

RATIOS = {
    "scipy on rows / batched, n = 1e5": ("scipy_rows", "batched_fit_1e5"),
    "scipy on counts / batched, n = 1e5": ("scipy_counts", "batched_fit_1e5"),
    "sweep at n = 1e12 / at n = 1e3": ("sweep_1e12", "sweep_1e3"),
    "sampling and fit / sampling alone": ("batched_fit_1e5", "sampling_1e5"),
}


def pytest_xdist_auto_num_workers():
    """This process alone: several measure no speeds."""
    return 0


def pytest_terminal_summary(terminalreporter, config):
    session = getattr(config, "_benchmarksession", None)
    done = {b.name.removeprefix("test_"): b for b in session.benchmarks} if session else {}
    timed = {name: b for name, b in done.items() if b.stats and "replicates" in b.extra_info}
    cost = {name: b.stats.min / b.extra_info["replicates"] for name, b in timed.items()}
    found = {k: cost[a] / cost[b] for k, (a, b) in RATIOS.items() if a in cost and b in cost}
    if not found:
        return
    terminalreporter.section("seconds a replicate")
    for name, seconds in cost.items():
        terminalreporter.write_line(f"{name:36s} {seconds:.3e}")
    terminalreporter.section("ratios")
    for name, ratio in found.items():
        terminalreporter.write_line(f"{name:40s} {ratio:10.3g}")
