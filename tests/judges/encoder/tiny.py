"""Weights of real architectures, small enough to build and save in a test; untrained, so they say anything."""

import transformers
from graphs import BERT, NLI, WORDS, t5_words, words
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    DebertaV2Config,
    ModernBertConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
)

__all__ = [
    "NLI",
    "WORDS",
    "deberta",
    "modernbert",
    "roberta",
    "roberta_tokenizer",
    "saved",
    "t5",
    "t5_tokenizer",
    "tokenizer",
]


def tokenizer(marks=BERT, single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", size=400, more=(), **named):
    names = dict(zip(("pad_token", "cls_token", "sep_token", "unk_token"), marks, strict=False)) | named
    return PreTrainedTokenizerFast(tokenizer_object=words(marks, single, pair, size, more), **names)


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


def t5(tok, kind):
    config = transformers.T5Config(
        vocab_size=len(tok),
        d_model=32,
        d_kv=16,
        d_ff=48,
        num_layers=2,
        num_heads=2,
        pad_token_id=tok.pad_token_id,
        eos_token_id=tok.eos_token_id,
        decoder_start_token_id=tok.pad_token_id,
        feed_forward_proj="gated-gelu",
        num_labels=2,
    )
    return getattr(transformers, f"T5For{kind}")(config)


def t5_tokenizer():
    return PreTrainedTokenizerFast(tokenizer_object=t5_words(), pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
