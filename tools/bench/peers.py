"""What others take for the maximum likelihood of clean labels, beside the batched fit here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from repro.labels.preferences.label_counts import draw_label_counts
from repro.p1.pessimism.datasets import BuiltLabels
from repro.worlds.instances.linear import random_linear_world
from tools.bench.cpu_time import cost

BATCH, ROWS = 2000, 10**5
FEW, MANY = 100, 10**9


def world(states: int = 6, features: int = 4):
    """A random linear world of four responses."""
    return random_linear_world(states, 4, features, 0.5, 1.0, 0.6, seed=1)


def drawn(n_pairs: float, replicates: int, epsilon: float = 1.0):
    """Labels of that many datasets, as counts."""
    rng, instance = np.random.default_rng(0), world()
    args = (instance.cell_prob, instance.reward_diff, int(n_pairs), epsilon, replicates)
    return draw_label_counts(rng, *args)


def fitted(instance, n_pairs: float, replicates: int = BATCH, epsilon: float = 1.0):
    """Sampling and fit of that many datasets."""
    rng = np.random.default_rng(0)
    source = BuiltLabels(truth=instance, n_pairs=int(n_pairs), epsilon=epsilon)
    return source.draw(rng, replicates).fit(epsilon)


def over_sampling() -> Iterator[tuple[str, str, str]]:
    """(n, sampling and fit over sampling, sampling over numpy's binomial), ε = 1."""
    instance = world()
    for n_pairs in (FEW, 10**3, 10**4, 10**6, MANY):
        both = cost(lambda n=n_pairs: fitted(instance, n))
        sampling = cost(lambda n=n_pairs: drawn(n, BATCH))
        plain = cost(lambda n=n_pairs: _numpy_counts(instance, n))
        yield f"{n_pairs:g}", f"{both / sampling:.2f}", f"{sampling / plain:.2f}"


def _numpy_counts(instance, n_pairs: int):
    """Pairs of each cell and wins among them, by numpy alone."""
    rng = np.random.default_rng(0)
    pairs = rng.multinomial(n_pairs, instance.cell_prob.numpy(), size=BATCH)
    return rng.binomial(pairs, 1 / (1 + np.exp(-instance.reward_diff.numpy())))


def throughput() -> Iterator[tuple[str, float]]:
    """(who, CPU seconds a dataset): clean labels, so that all fit the same model."""
    import statsmodels.api as sm
    from sklearn.linear_model import LogisticRegression

    instance = world()
    counts = drawn(ROWS, 1, np.inf)
    x, pairs, wins = (t.numpy() for t in (instance.feature_diff, counts.pairs[0], counts.wins[0]))
    cell = np.repeat(np.arange(len(x)), pairs.astype(int))
    first = [np.arange(int(m)) < int(k) for m, k in zip(pairs, wins, strict=True)]
    rows, labels = x[cell], np.concatenate(first).astype(float)
    table = np.stack([wins, pairs - wins], axis=1)
    twice, sides = np.concatenate([x, x]), np.repeat([1, 0], len(x))
    weights = np.concatenate([wins, pairs - wins])
    plain = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-9, max_iter=1000)

    both = cost(lambda: fitted(instance, ROWS, epsilon=np.inf)) / BATCH
    sampling = cost(lambda: drawn(ROWS, BATCH, np.inf)) / BATCH
    yield "sampling and fit here, batched", both
    yield "sampling alone", sampling
    if find_spec("jax"):
        yield "JAX, the same batch of counts, Newton, fit alone", cost(jax_batch()) / BATCH
    yield "scipy BFGS, rows", cost(lambda: scipy_fit(rows, np.ones(len(rows)), labels), 1)
    yield "scipy BFGS, counts", cost(lambda: scipy_fit(x, pairs, wins))
    yield "statsmodels Logit, rows", cost(lambda: sm.Logit(labels, rows).fit(disp=0), 1)
    family = sm.families.Binomial()
    yield "statsmodels GLM, counts", cost(lambda: sm.GLM(table, x, family=family).fit())
    yield "scikit-learn, rows", cost(lambda: plain.fit(rows, labels), 1)
    yield "scikit-learn, weighted counts", cost(lambda: plain.fit(twice, sides, weights))


def scipy_fit(features, pairs, wins):
    """Maximum likelihood of clean labels by BFGS with its gradient."""
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    def loss(theta):
        at = features @ theta
        value = -(wins * log_expit(at) + (pairs - wins) * log_expit(-at)).sum()
        return value / pairs.sum(), -((wins - pairs * expit(at)) @ features) / pairs.sum()

    start = np.zeros(features.shape[1])
    return minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x


def jax_batch():
    """() → (BATCH, d) maximum likelihood of ``BATCH`` datasets, compiled, float64."""
    import jax  # pyright: ignore[reportMissingImports]  # a peer, not needed here
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    jax.config.update("jax_enable_x64", True)
    counts, features = drawn(ROWS, BATCH, np.inf), jnp.asarray(world().feature_diff.numpy())
    pairs, wins = jnp.asarray(counts.pairs.numpy()), jnp.asarray(counts.wins.numpy())

    def newton(pairs, wins):
        def step(state):
            theta, _ = state
            share = jax.nn.sigmoid(features @ theta)
            curvature = (features.T * (pairs * share * (1 - share))) @ features
            move = jnp.linalg.solve(curvature, features.T @ (wins - pairs * share))
            return theta + move, jnp.abs(move).max()

        start = jnp.zeros(features.shape[1]), jnp.inf
        return jax.lax.while_loop(lambda state: state[1] > 1e-9, step, start)[0]

    batch = jax.jit(jax.vmap(newton))
    return lambda: np.asarray(batch(pairs, wins))
