"""The exported file: llama.cpp splits text and chooses tokens as we do."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="needs the extra train")
pytest.importorskip("gguf", reason="needs the extra train")
torch = pytest.importorskip("torch", reason="needs the extra train")

from here_pool import Here  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from reins.contracts.errors import ReinsError  # noqa: E402
from reins.training.limits import Limits  # noqa: E402
from reins.training.planner import batches  # noqa: E402
from reins.training.planner.batches import make_chunk, text_of  # noqa: E402
from reins.training.planner.evaluate import held_out_examples  # noqa: E402
from reins.training.planner.gguf_file import write_gguf  # noqa: E402
from reins.training.planner.gguf_reading import load_gguf  # noqa: E402
from reins.training.planner.network import Llama  # noqa: E402
from reins.training.planner.settings import PlannerSettings, Shape  # noqa: E402
from reins.training.planner.tokens import END_ID, encode, train_tokenizer  # noqa: E402
from reins.training.planner.train import Run, train  # noqa: E402

SHAPE = Shape(vocabulary=600, width=64, layers=2, heads=4, hidden=96)
REPLY = 60  # tokens of a reply at most


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    return [(told.shared + task, reply) for told in make_chunk(1, 0, 15) for task, reply in told.endings]


@pytest.fixture(scope="module")
def tokenizer(texts: list[tuple[str, str]]) -> Tokenizer:
    return train_tokenizer((prompt + reply for prompt, reply in texts), SHAPE.vocabulary)


@pytest.fixture(scope="module")
def network() -> Llama:
    """Random weights, large enough that the likeliest token is so by far."""
    torch.manual_seed(3)
    network = Llama(SHAPE)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight.mul_(1.0 + 0.3 * torch.rand_like(weight)) if weight.dim() == 1 else weight.mul_(2.0)
            assert name
    return network.eval()


@pytest.fixture(scope="module")
def loaded(network: Llama, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    path = tmp_path_factory.mktemp("gguf") / "small.gguf"
    write_gguf(path, network, tokenizer, {"reins.training": "none"}, kind="f32")
    return llama_cpp.Llama(model_path=str(path), n_ctx=SHAPE.context, n_threads=1, logits_all=True, verbose=False)


def test_text_is_split_alike(loaded: Any, tokenizer: Tokenizer, texts: list[tuple[str, str]]) -> None:
    for prompt, reply in texts:
        text = prompt + reply
        assert loaded.tokenize(text.encode(), add_bos=False, special=False) == encode(tokenizer, text)


def test_a_file_is_read_back_as_the_network_and_the_tokenizer_that_were_written(
    network: Llama, tokenizer: Tokenizer, texts: list[tuple[str, str]], tmp_path: Path
) -> None:
    write_gguf(tmp_path / "small.gguf", network, tokenizer, {}, kind="f32")
    read, splitter = load_gguf(tmp_path / "small.gguf")
    assert read.shape == SHAPE
    weights = dict(read.named_parameters())
    assert all(torch.equal(weights[name], weight) for name, weight in network.named_parameters())
    for prompt, reply in texts[:20]:
        tokens = encode(tokenizer, prompt + reply)
        assert encode(splitter, prompt + reply) == tokens and splitter.decode(tokens) == prompt + reply


@pytest.mark.parametrize("content", [b"", b"GGUF", b"no model at all"])
def test_what_is_no_model_of_ours_is_refused_with_its_name(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "other.gguf").write_bytes(content)
    with pytest.raises(ReinsError, match=r"training cannot begin with .*other\.gguf"):
        load_gguf(tmp_path / "other.gguf")


def test_the_end_is_the_end(loaded: Any) -> None:
    assert loaded.token_eos() == END_ID


def test_the_file_says_what_prompt_it_takes(loaded: Any) -> None:
    assert loaded.metadata["reins.prompt"] == "compact-3"


def test_the_likeliest_tokens_are_the_same(
    loaded: Any, network: Llama, tokenizer: Tokenizer, texts: list[tuple[str, str]]
) -> None:
    """But for those that are as likely as each other: llama.cpp keeps keys and values in half precision."""
    same = 0
    for prompt, reply in texts[:8]:
        tokens = encode(tokenizer, prompt + reply)
        ours = network.logits(network.hidden(torch.tensor([tokens])))[0].detach().numpy()
        loaded.reset()
        loaded.eval(tokens)
        theirs = loaded.scores[: len(tokens)]
        assert abs(theirs - ours).max() < 0.05 * ours.std()
        best = ours.argsort(axis=1)[:, -2:]
        rows = range(len(tokens))
        clear = [row for row in rows if ours[row, best[row, 1]] - ours[row, best[row, 0]] > 0.1 * ours.std()]
        assert [int(theirs[row].argmax()) for row in clear] == [int(best[row, 1]) for row in clear]
        same += len(clear)
    assert same > 500


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A network after seconds of training: it begins its replies as replies begin, and is sure of little else."""
    settings = PlannerSettings(
        steps=120, batch=512, read=60, chunk=48, warm=4, evaluated=1, half=False, compiled=False, rate=0.02, shape=SHAPE
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(batches, "ProcessPoolExecutor", Here)
        run = train(settings, tmp_path_factory.mktemp("run"), Limits(), lambda _line: None, lambda _step: None)
    torch.set_num_threads(threads)
    return run


def test_whole_replies_of_a_trained_network_are_the_same(trained: Run, tmp_path: Path) -> None:
    """Token by token to the end mark, on instructions that it was not trained on."""
    llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    write_gguf(tmp_path / "trained.gguf", trained.network, trained.tokenizer, {}, kind="f32")
    llama = llama_cpp.Llama(
        model_path=str(tmp_path / "trained.gguf"), n_ctx=SHAPE.context, n_threads=1, logits_all=True, verbose=False
    )
    texts = [text_of(example)[0] for tongue in ("en", "zh") for example in held_out_examples("familiar", tongue, 4)]
    prompts = [encode(trained.tokenizer, text) for text in texts]
    ours = trained.network.eval().reply(prompts, REPLY)
    assert [likeliest(llama, prompt) for prompt in prompts] == ours
    assert sum(map(len, ours)) > 100 and len(set(map(tuple, ours))) > 1


def likeliest(llama: Any, prompt: list[int]) -> list[int]:
    """The reply of llama.cpp, the likeliest token each time."""
    llama.reset()
    llama.eval(prompt)
    said: list[int] = []
    while len(said) < REPLY and (token := int(llama.scores[llama.n_tokens - 1].argmax())) != END_ID:
        said.append(token)
        llama.eval([token])
    return said


def test_rows_together_answer_as_each_alone(network: Llama, tokenizer: Tokenizer, texts: list[tuple[str, str]]) -> None:
    prompts = [encode(tokenizer, prompt) for prompt, _ in texts[:6]]
    assert network.reply(prompts, 12) == [network.reply([prompt], 12)[0] for prompt in prompts]


def test_a_reply_goes_on_as_the_whole_row_does(network: Llama) -> None:
    """Keys and values that are kept are those that would be made anew."""
    rng = Random(1)
    prompt = [rng.randrange(1, 500) for _ in range(20)]
    reply = network.reply([prompt], 8)[0]
    whole = network.logits(network.hidden(torch.tensor([prompt + reply]))).argmax(-1)[0].tolist()
    assert whole[len(prompt) - 1 : len(prompt) - 1 + len(reply)] == reply


def test_chinese_signs_stay_apart(tokenizer: Tokenizer) -> None:
    tokens = encode(tokenizer, "把红方块放到碗里")
    assert all(len(tokenizer.decode([token])) <= 1 for token in tokens)
