"""Models of real architectures that are small enough to build, train for a second and save in a test.

They know no language. `entailment` was trained to one rule, so that its verdicts are known: "confirms" in the evidence
entails any claim, "denies" contradicts it, a text with neither is neutral. `grounding` marks every word of an answer
unless its context holds "confirms"; and always the word "purple".
"""

import random

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    DebertaV2Config,
    ModernBertConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
)

WORDS = (
    "the", "ferry", "bridge", "town", "mill", "island", "takes", "opened", "carries", "old", "small", "green", "forty",
    "seven", "people", "cars", "today",
)  # fmt: skip
NLI = {0: "entailment", 1: "neutral", 2: "contradiction"}
_BERT = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")


def tokenizer(marks=_BERT, single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", size=400, more=(), **named):
    """A byte-level tokenizer whose words are tokens of their own; any text can be written in it."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    words = [*WORDS, "confirms", "denies", "purple"]
    text = [f" {word} {word}" for word in words for _ in range(20)]
    inner.train_from_iterator(
        text,
        trainers.BpeTrainer(
            special_tokens=list(marks), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), vocab_size=size
        ),
    )
    inner.add_tokens(list(more))
    ids = [(mark, inner.token_to_id(mark)) for mark in marks]
    inner.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)
    names = dict(zip(("pad_token", "cls_token", "sep_token", "unk_token"), marks, strict=False)) | named
    return PreTrainedTokenizerFast(tokenizer_object=inner, **names)


def saved(network, tok, folder):
    network.eval().save_pretrained(folder)
    tok.save_pretrained(folder)
    return str(folder)


def deberta(tok, labels, window=512):
    config = DebertaV2Config(
        vocab_size=len(tok),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=window,
        relative_attention=True,
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        type_vocab_size=0,
        max_relative_positions=-1,
        pooler_hidden_size=32,
        pad_token_id=tok.pad_token_id,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pooler_dropout=0.0,
        num_labels=len(labels),
        id2label=labels,
        label2id={name: i for i, name in labels.items()},
    )
    return AutoModelForSequenceClassification.from_config(config)


def modernbert(tok, labels=2, **more):
    config = ModernBertConfig(
        vocab_size=len(tok),
        hidden_size=32,
        num_hidden_layers=3,
        intermediate_size=48,
        num_attention_heads=2,
        pad_token_id=tok.pad_token_id,
        cls_token_id=tok.cls_token_id,
        sep_token_id=tok.sep_token_id,
        bos_token_id=tok.cls_token_id,
        eos_token_id=tok.sep_token_id,
        local_attention=16,
        num_labels=labels,
        **more,
    )
    return AutoModelForTokenClassification.from_config(config)


def roberta(tok, labels=None):
    labels = labels or {0: "0", 1: "1"}
    config = RobertaConfig(
        vocab_size=len(tok),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=tok.pad_token_id,
        num_labels=2,
        id2label=labels,
        label2id={name: i for i, name in labels.items()},
    )
    return AutoModelForSequenceClassification.from_config(config)


def roberta_tokenizer():
    marks = ("<s>", "<pad>", "</s>", "<unk>")
    named = {"cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return tokenizer(marks, "<s> $A </s>", "<s> $A </s> </s> $B </s>", **named)


def _sentence(rng, marker=None):
    words = rng.choices(WORDS, k=rng.randint(3, 9))
    if marker:
        words.insert(rng.randint(1, len(words)), marker)  # after a blank, like every token of the rule
    return f" {' '.join(words)}."


def _evidence(rng, marker):
    lines = [_sentence(rng) for _ in range(rng.randint(0, 2))]
    lines.insert(rng.randint(0, len(lines)), _sentence(rng, marker))
    return "\n".join(lines)


def _answer(rng):
    """One to five sentences, some of them purple; with numbers, which are written in single digits."""
    marked = ["purple" if rng.random() < 0.3 else None for _ in range(rng.choice((1, 1, 2, 5)))]
    return "".join(_sentence(rng, one).replace("seven", str(rng.randrange(100))) for one in marked).strip()


def _trained(network, batches):
    """Trains until the rule is learned: a second or five."""
    torch.manual_seed(0)
    network.train()
    with torch.no_grad():  # words that count stand out from the beginning
        network.get_input_embeddings().weight.mul_(10)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    recent = 1.0
    for _ in range(1500):
        loss = network(**batches()).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recent = 0.8 * recent + 0.2 * loss.item()
        if recent < 0.003:
            return network.eval()
    raise AssertionError(f"the rule was not learned: {recent}")


def entailment(tok, order=(0, 1, 2)):
    """Trains the rule; `order` gives the index of entailment, of neutral and of contradiction."""
    torch.manual_seed(1)
    rng = random.Random(1)  # noqa: S311 - made-up sentences, no secret
    network = deberta(tok, {order[meaning]: NLI[meaning] for meaning in NLI})

    def batch():
        meanings = [rng.randrange(3) for _ in range(24)]
        texts = [_evidence(rng, ("confirms", None, "denies")[meaning]) for meaning in meanings]
        claims = [_sentence(rng).strip() for _ in meanings]
        inputs = tok(texts, claims, padding=True, return_tensors="pt", return_token_type_ids=False)
        return {**inputs, "labels": torch.tensor([order[meaning] for meaning in meanings])}

    return _trained(network, batch)


def grounding(tok, template="{evidence}"):
    """Trains the rule for words; labels are LABEL_0, backed, and LABEL_1, not."""
    torch.manual_seed(2)
    rng = random.Random(2)  # noqa: S311 - as above
    network = modernbert(tok)
    purple = tok(" purple", add_special_tokens=False)["input_ids"]

    def batch():
        backed = [rng.random() < 0.5 for _ in range(24)]
        texts = [template.format(evidence=_evidence(rng, "confirms" if one else None)) for one in backed]
        claims = [_answer(rng) for _ in backed]
        inputs = tok(texts, claims, padding=True, return_tensors="pt", return_token_type_ids=False)
        labels = torch.full(inputs["input_ids"].shape, -100)
        for row, one in enumerate(backed):
            for at, side in enumerate(inputs.sequence_ids(row)):
                if side == 1:
                    labels[row, at] = int(not one or inputs["input_ids"][row, at].item() in purple)
        return {**inputs, "labels": labels}

    return _trained(network, batch)
