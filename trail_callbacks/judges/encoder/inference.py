"""From texts to probabilities: tokens counted, never cut; batches of like length; no value that is not a number.

`Asked`, `Grounding` and `Reader` are the vocabulary that pair and token classifiers share.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder.loading import Loaded, first_line
from trail_callbacks.models.call import Pipeline
from trail_callbacks.text import encodable

Probabilities: TypeAlias = list[list[float]]
"""For each token of an input, or for the input as a whole, the probability of each label."""

_TOGETHER = 8192  # tokens of a batch, padding included: more costs memory and saves no time


class UnusableError(Exception):
    """A model gave no usable answer: not a number, or no room for the text. Becomes an error of the judgement."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement and the sentences to read it against, from `chunks.statements`: at least one."""

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What a model makes of a statement.

    Attributes:
        support: Probability, 0.0 to 1.0, that what was read supports it: the highest over the chunks, or for words the
            lowest over those of the statement.
        against: Probability, 0.0 to 1.0, that something contradicts it; None if the model cannot tell.
        supporting: The sentence that supports it best.
        opposing: The sentence that contradicts it most; None if none was looked for.
        near: The sentences among which `supporting` is.
        unbacked: The parts of the statement that nothing supports, verbatim; of a token classifier only.
        share: Share of the statement's characters, blanks aside, that are in them.
        read: Chunks that were read.
        chunks: Chunks that there are.
        failure: Why there is no answer; all else is then without meaning.
    """

    support: float = 0.0
    against: float | None = None
    supporting: Passage | None = None
    opposing: Passage | None = None
    near: tuple[Passage, ...] = ()
    unbacked: tuple[str, ...] = ()
    share: float = 0.0
    read: int = 0
    chunks: int = 0
    failure: str | None = None


class Reader(Protocol):
    """A loaded model that reads statements against sentences."""

    def read(self, asks: Sequence[Asked]) -> Pipeline[list[Grounding]]:
        """Reads all asks together. Pauses between batches, so that it can be cancelled there."""


class Encoder:
    """Tokenizes for a model and runs it."""

    def __init__(self, loaded: Loaded, batch_size: int) -> None:
        self.loaded = loaded
        self._batch_size = batch_size
        self._accepted = set(inspect.signature(loaded.network.forward).parameters)
        self._marks = sorted({*loaded.tokenizer.all_special_tokens, *loaded.tokenizer.get_added_vocab()}, key=len)
        self._lengths: dict[str, int] = {}

    def plain(self, text: str) -> str:
        """Takes from a text what the tokenizer would take for marks of its own; offsets stay valid.

        A source that holds `[SEP]` or `</s>` could otherwise end the evidence and go on in the place of the claim.
        """
        text = encodable(text)
        for mark in self._marks:
            if len(mark) > 1 and not mark.isspace() and mark in text:
                text = text.replace(mark, " " + mark[1:])
        return text

    def count(self, text: str) -> int:
        """Counts the tokens of a text, without those that are put around every input."""
        known = self._lengths.get(text)
        if known is None:
            with self.loaded.lock:
                known = len(self.loaded.tokenizer(self.plain(text), add_special_tokens=False)["input_ids"])
            self._lengths[text] = known
        return known

    def encode(self, *texts: str, offsets: bool = False) -> Any:
        """Encodes one text or a pair; never cut. See `fitting`."""
        with self.loaded.lock:
            return self.loaded.tokenizer(*texts, return_offsets_mapping=offsets)

    def probabilities(self, encodings: Sequence[Any]) -> Pipeline[list[Probabilities | UnusableError]]:
        """Runs the model on encoded inputs, those of like length together."""
        results: list[Probabilities | UnusableError] = [[]] * len(encodings)
        fitting = [i for i, one in enumerate(encodings) if len(one["input_ids"]) <= self.loaded.window]
        for i in set(range(len(encodings))) - set(fitting):
            results[i] = UnusableError(
                f"{len(encodings[i]['input_ids'])} tokens do not fit the {self.loaded.window} of {self.loaded.name}"
            )
        for batch in self._batches(encodings, fitting):
            for i, found in zip(batch, self._run([encodings[i] for i in batch]), strict=True):
                results[i] = found
            yield ()  # whoever drives this may stop here
        return results

    def _batches(self, encodings: Sequence[Any], which: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        for i in sorted(which, key=lambda i: len(encodings[i]["input_ids"])):
            longest = len(encodings[i]["input_ids"])
            if batch and (len(batch) == self._batch_size or (len(batch) + 1) * longest > _TOGETHER):
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _run(self, encodings: Sequence[Any]) -> list[Probabilities | UnusableError]:
        import torch  # noqa: PLC0415 - optional and heavy

        loaded, head = self.loaded, self.loaded.profile.head
        lengths = [len(one["input_ids"]) for one in encodings]
        inputs = {"input_ids": self._padded(encodings, "input_ids", loaded.tokenizer.pad_token_id or 0)}
        inputs["attention_mask"] = self._padded(encodings, "attention_mask", 0)
        if "token_type_ids" in self._accepted and "token_type_ids" in encodings[0]:
            inputs["token_type_ids"] = self._padded(encodings, "token_type_ids", 0)
        if head == "decoder":
            inputs["decoder_input_ids"] = torch.zeros((len(encodings), 1), dtype=torch.long, device=loaded.device)
        try:
            with loaded.lock, torch.inference_mode():
                logits = loaded.network(**inputs).logits.float()
        except Exception as error:  # noqa: BLE001 - out of memory above all: an answer that is missing, not a crash
            what = first_line(error)
            return [UnusableError(f"{loaded.name} failed on {loaded.device}: {what}")] * len(encodings)
        if head == "decoder":
            logits = logits[:, 0, [index for _, index in loaded.profile.outputs]]
        elif head == "first_token":
            logits = logits[:, 0, :]
        shares = logits.softmax(-1).cpu()
        rows = shares if shares.dim() == 3 else shares.unsqueeze(1)  # noqa: PLR2004 - inputs, tokens, labels
        found: list[Probabilities | UnusableError] = []
        for row, length in zip(rows, lengths, strict=True):
            own = row[:length] if head == "tokens" else row
            if bool(own.isfinite().all()):
                found.append(own.tolist())
            else:
                found.append(UnusableError(f"{loaded.name} gave a value that is not a number: try dtype='float32'"))
        return found

    def _padded(self, encodings: Sequence[Any], name: str, filling: int) -> Any:
        import torch  # noqa: PLC0415 - as above

        longest = max(len(one[name]) for one in encodings)
        rows = [[*one[name], *([filling] * (longest - len(one[name])))] for one in encodings]
        return torch.tensor(rows, dtype=torch.long, device=self.loaded.device)
