"""One training run: tokenizer, gradient steps, evaluations, and checkpoints that it resumes from."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from shutil import which
from typing import Any, Final

import torch
from tokenizers import Tokenizer
from torch.nn import functional

from reins.training.limits import Limits, OnStep, Tell
from reins.training.muon import Muon
from reins.training.planner.batches import NOTHING, Batch, Feed, make_chunk
from reins.training.planner.evaluate import evaluate
from reins.training.planner.examples import SPLITS
from reins.training.planner.gguf_reading import load_gguf
from reins.training.planner.network import Llama
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.tokens import load_tokenizer, train_tokenizer
from reins.training.runs import CHECKPOINT, read_checkpoint, require_same, restore, take_steps
from reins.training.schedule import precision, rate_share

TOKENIZER: Final = "tokenizer.json"
CURVE: Final = "curve.jsonl"


@dataclass(slots=True)
class Progress:
    """What a run has come to.

    Attributes:
        step: gradient steps done.
        chunk: number of the chunk of examples that it is in.
        tokens: seen; those that prompts share count once.
        seconds: it has trained for.
        loss: running mean per token of a reply [nat].
        curve: evaluations, as they are in the curve file.
    """

    step: int = 0
    chunk: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = 0.0
    curve: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """A network in training."""

    settings: PlannerSettings
    folder: Path
    tokenizer: Tokenizer
    network: Llama
    optimisers: list[torch.optim.Optimizer]
    progress: Progress

    @property
    def done(self) -> bool:
        """Whether it has taken all its steps."""
        return self.progress.step >= self.settings.steps


def train(
    settings: PlannerSettings, folder: Path, limits: Limits, tell: Tell, on_step: OnStep, start: Path | None = None
) -> Run:
    """Train, or go on training, until the run is done or has to pause.

    Args:
        settings: of the run.
        folder: of its files; a run in it goes on.
        limits: when to pause.
        tell: told of evaluations, a line at a time.
        on_step: told how many steps have been taken.
        start: exported model to begin with; its shape and its tokenizer are taken with it.

    Raises:
        ReinsError: the run in `folder` was made with other settings, or there is nothing to begin with in `start`.
    """
    loaded = None if start is None else load_gguf(start)
    if start is not None and loaded is not None:
        settings = _starting_with(settings, start, loaded[0])
    run = _resumed(settings, folder) or _begun(settings, folder, tell, loaded)
    _compile(run)
    take_steps(run, _steps(run), limits, on_step, lambda: _look(run, tell))
    return run


def load(folder: Path) -> Run:
    """The run of a folder.

    Raises:
        ReinsError: there is none.
    """
    state = read_checkpoint(folder)
    settings = PlannerSettings.model_validate_json(state["settings"])
    network = Llama(settings.shape)
    optimisers = _optimisers(network, settings)
    restore(state, network, optimisers)
    tokenizer = load_tokenizer(folder / TOKENIZER)
    return Run(settings, folder, tokenizer, network, optimisers, Progress(**state["progress"]))


def _resumed(settings: PlannerSettings, folder: Path) -> Run | None:
    if not (folder / CHECKPOINT).is_file():
        return None
    run = load(folder)
    require_same(folder, run.settings, settings, free="evaluated")
    return run


def _starting_with(settings: PlannerSettings, start: Path, network: Llama) -> PlannerSettings:
    """The settings of a run that begins with a model: its shape, and no easy examples, for it knows those."""
    checksum = sha256(start.read_bytes()).hexdigest()
    return settings.model_copy(update={"start": checksum, "shape": network.shape, "easy": 0})


def _begun(settings: PlannerSettings, folder: Path, tell: Tell, loaded: tuple[Llama, Tokenizer] | None) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(settings.seed)
    if loaded is not None:
        network, tokenizer = loaded
    else:
        tell(f"reading {settings.read} examples for the tokenizer")
        rows = make_chunk(settings.seed, -1, settings.read)
        texts = (told.shared + task + reply for told in rows for task, reply in told.endings)
        tokenizer = train_tokenizer(texts, settings.shape.vocabulary)
        network = Llama(settings.shape)
    tokenizer.save(str(folder / TOKENIZER))
    return Run(settings, folder, tokenizer, network, _optimisers(network, settings), Progress())


def _optimisers(network: Llama, settings: PlannerSettings) -> list[torch.optim.Optimizer]:
    """Muon for the matrices, AdamW for the embedding and the norms."""
    matrices = [weight for name, weight in network.named_parameters() if weight.dim() == 2 and "embedding" not in name]
    others = [weight for name, weight in network.named_parameters() if weight.dim() < 2 or "embedding" in name]
    return [
        Muon(matrices, lr=settings.rate),
        torch.optim.AdamW(others, lr=settings.side_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def _steps(run: Run) -> Iterator[None]:
    """Takes them, until the run is done."""
    feed = Feed(run.settings, run.tokenizer, run.progress.chunk)
    for batch in feed:
        if run.done:
            return
        _step(run, batch)
        yield
        run.progress.chunk = feed.chunk


def _compile(run: Run) -> None:
    """Have PyTorch compile one block for all, where the settings ask it and a C++ compiler is there."""
    if run.settings.compiled and which("g++"):
        for block in run.network.blocks:
            block.compile(dynamic=True)


def _step(run: Run, batch: Batch) -> None:
    settings, progress = run.settings, run.progress
    share = rate_share(progress.step, settings)
    for optimiser, rate in zip(run.optimisers, (settings.rate, settings.side_rate), strict=True):
        for group in optimiser.param_groups:
            group["lr"] = rate * share
    told = batch.wanted != NOTHING
    with precision(settings.half):
        logits = run.network.logits(run.network.hidden_of_forks(batch.tokens, batch.forks)[told])
    losses = functional.cross_entropy(logits.float(), batch.wanted[told], reduction="none")
    of_reply = batch.replies[told]
    of_replies, of_prompts = losses[of_reply].mean(), losses[~of_reply].mean()
    (of_replies + settings.prompts * of_prompts).backward()
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), 1.0)
    for optimiser in run.optimisers:
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    progress.step += 1
    progress.tokens += batch.tokens.numel()
    progress.loss = of_replies.item() if progress.step == 1 else 0.98 * progress.loss + 0.02 * of_replies.item()


def _look(run: Run, tell: Tell) -> None:
    """Evaluate, and write it down."""
    progress = run.progress
    scores = evaluate(run.network, run.tokenizer, run.settings.evaluated, SPLITS)
    entry = {
        "step": progress.step,
        "seconds": round(progress.seconds),
        "tokens": progress.tokens,
        "loss": round(progress.loss, 4),
        **{name: asdict(score) for name, score in scores.items()},
    }
    progress.curve.append(entry)
    with (run.folder / CURVE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    tell(
        f"step {progress.step}, loss {progress.loss:.3f}, {progress.seconds / 60:.0f} min: "
        + "; ".join(f"{name} {score.correct:.0%}" for name, score in scores.items())
    )
