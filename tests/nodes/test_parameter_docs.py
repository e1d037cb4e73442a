"""The page of parameters is what the models say."""

from pathlib import Path

from reins.nodes import parameter_docs, start

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    page = (ROOT / parameter_docs.PATH).read_text(encoding="utf-8")
    assert page == parameter_docs.markdown(), "write it again: ./run python -m reins.nodes.parameter_docs"


def test_every_node_is_on_it() -> None:
    nodes = {name for name, entry in vars(start).items() if getattr(entry, "func", None) is start.start}
    assert nodes == set(parameter_docs.MODELS)


def test_every_parameter_has_a_description() -> None:
    for model in parameter_docs.MODELS.values():
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
