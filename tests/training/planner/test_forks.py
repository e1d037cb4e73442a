"""Rows that begin alike are gone through once for all of their endings, and nothing else comes of it."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from reins.training.planner.forks import forks  # noqa: E402
from reins.training.planner.network import Llama  # noqa: E402
from reins.training.planner.settings import Shape  # noqa: E402

SHAPE = Shape(vocabulary=300, width=32, layers=2, heads=2, hidden=48)


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[int, list[int]]]:
    """Lengths of some rows, with equally many endings."""
    endings = draw(st.integers(1, 4))
    row = st.tuples(st.integers(1, 9), st.lists(st.integers(1, 7), min_size=endings, max_size=endings))
    return draw(st.lists(row, min_size=1, max_size=4))


@given(lengths=rows(), seed=st.integers(0, 1_000))
@settings(max_examples=40, deadline=None)
def test_every_ending_is_as_if_it_stood_alone(lengths: list[tuple[int, list[int]]], seed: int) -> None:
    """Also its gradients: each row alone, beginning and one ending, is the other way to go through it."""
    torch.manual_seed(seed)
    network = Llama(SHAPE)
    parts = [[torch.randint(0, 300, (length,)) for length in (shared, *ends)] for shared, ends in lengths]
    hidden = network.hidden_of_forks(torch.cat([part for row in parts for part in row]), forks(lengths))
    weight = torch.randn(SHAPE.width)
    (hidden @ weight).square().sum().backward()
    forked = [parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None]
    network.zero_grad()
    of_row = hidden.split([sum(map(len, row)) for row in parts])
    for found, (first, *ends) in zip(of_row, parts, strict=True):
        of_shared, *of_ends = found.split([len(first), *map(len, ends)])
        (network.hidden(first[None])[0] @ weight).square().sum().backward()
        torch.testing.assert_close(of_shared, network.hidden(first[None])[0], rtol=1e-4, atol=1e-4)
        for of_end, end in zip(of_ends, ends, strict=True):
            alone = network.hidden(torch.cat((first, end))[None])[0][len(first) :]
            (alone @ weight).square().sum().backward()
            torch.testing.assert_close(of_end, alone, rtol=1e-4, atol=1e-4)
    for parameter, grad in zip(network.parameters(), forked, strict=True):
        torch.testing.assert_close(grad, parameter.grad, rtol=1e-3, atol=1e-3)
