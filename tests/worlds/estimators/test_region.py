"""Both projections of a region agree, stay inside, and no point nearby is better."""

import pytest
import torch

from repro.worlds.estimators.region import BALL_REGION, BOX_REGION

SIZE = 0.7
REGIONS = {
    "ball": (BALL_REGION, lambda theta: theta.norm(dim=-1)),
    "box": (BOX_REGION, lambda theta: theta.abs().amax(dim=-1)),
}


@pytest.fixture
def cases():
    """Points inside both sets, centres (50, 3) inside and outside, informations (50, 3, 3)."""
    generator = torch.Generator().manual_seed(0)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    root = draw(50, 3, 3)
    theta = 0.2 * torch.tanh(draw(50, 3))
    return theta, draw(50, 3), root @ root.mT + 0.1 * torch.eye(3, dtype=torch.float64)


def distance(theta, centre, information):
    apart = theta - centre
    return (apart[:, None] @ information @ apart[..., None])[:, 0, 0]


@pytest.mark.parametrize("name", REGIONS)
def test_the_nearest_point_is_inside_and_none_inside_is_nearer(name, cases):
    region, size_of = REGIONS[name]
    _, centre, information = cases
    found = region.nearest(centre, information, SIZE)
    assert size_of(found).max() <= SIZE * (1 + 1e-12)
    inside = size_of(centre) <= SIZE
    assert inside.any()
    assert not inside.all()
    torch.testing.assert_close(found[inside], centre[inside])
    generator = torch.Generator().manual_seed(1)
    for _ in range(200):
        other = found + 0.1 * torch.randn(50, 3, generator=generator, dtype=torch.float64)
        other = other * (SIZE / size_of(other).clamp(min=SIZE))[:, None]
        closer = distance(other, centre, information) - distance(found, centre, information)
        assert closer.min() >= -1e-9


@pytest.mark.parametrize("name", REGIONS)
def test_a_newton_step_goes_to_the_nearest_point_of_its_own_centre(name, cases):
    region, _ = REGIONS[name]
    theta, centre, information = cases
    score = (information @ (centre - theta)[..., None])[..., 0]
    arrived = theta + region.newton(theta, score, information, SIZE)
    torch.testing.assert_close(
        arrived, region.nearest(centre, information, SIZE), atol=1e-7, rtol=0
    )
