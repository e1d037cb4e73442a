"""Muon in single precision does what PyTorch's own one does, as far as bfloat16 lets that one."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from reins.training.muon import Muon, orthogonal  # noqa: E402


@pytest.mark.parametrize("shape", [(24, 24), (16, 40), (40, 16)])
def test_singular_values_are_near_one(shape: tuple[int, int]) -> None:
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
    assert values.min() > 0.6 and values.max() < 1.3


@pytest.mark.parametrize("shape", [(24, 24), (16, 40), (40, 16)])
def test_steps_are_those_of_torch(shape: tuple[int, int]) -> None:
    torch.manual_seed(2)
    begun = torch.randn(shape)
    ours, theirs = (torch.nn.Parameter(begun.clone()) for _ in range(2))
    optimisers = Muon([ours], lr=0.02, weight_decay=0.1), torch.optim.Muon([theirs], lr=0.02, weight_decay=0.1)
    for _ in range(5):
        gradient = torch.randn(shape)
        for parameter, optimiser in zip((ours, theirs), optimisers, strict=True):
            parameter.grad = gradient.clone()
            optimiser.step()
    moved = (theirs - begun).norm()
    assert (ours - theirs).norm() < 0.02 * moved


def test_what_has_no_gradient_stays() -> None:
    idle = torch.nn.Parameter(torch.ones(3, 3))
    Muon([idle], lr=0.1).step()
    assert torch.equal(idle.detach(), torch.ones(3, 3))
