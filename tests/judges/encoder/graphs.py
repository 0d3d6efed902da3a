"""Models that are small enough to build and save in a test, as ONNX files: no torch is needed for them.

They know no language, only a rule, so that their verdicts are known. `entailment`: "confirms" entails any claim,
"denies" contradicts it, a text with neither is neutral. `grounding` marks every word unless the input holds "confirms";
and always the word "purple". `first_token` answers where its input begins, as HHEM does; `decoding` with the first step
of a decoder, as T5 does.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper, parser
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

WORDS = (
    "the", "ferry", "bridge", "town", "mill", "island", "takes", "opened", "carries", "old", "small", "green", "forty",
    "seven", "people", "cars", "today",
)  # fmt: skip
NLI = {0: "entailment", 1: "neutral", 2: "contradiction"}
BERT = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")
T5 = ("<pad>", "</s>", "<unk>")

_HEAD = '<ir_version: 8, opset_import: ["" : 17]>'
INPUTS = "int64[B,T] input_ids, int64[B,T] attention_mask"
SUM = """
  found = Gather <axis: int = 0> (table, input_ids)
  shown = Cast <to: int = 1> (attention_mask)
  two = Constant <value_ints: ints = [2]> ()
  mask = Unsqueeze (shown, two)
  kept = Mul (found, mask)
  one = Constant <value_ints: ints = [1]> ()
  summed = ReduceSum (kept, one)
"""
"""What the tokens of an input say, by label, added up."""


def words(marks=BERT, single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", size=400, more=()):
    """A byte-level tokenizer whose words are tokens of their own; any text can be written in it."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    text = [f" {word} {word}" for word in (*WORDS, "confirms", "denies", "purple") for _ in range(20)]
    inner.train_from_iterator(
        text,
        trainers.BpeTrainer(
            special_tokens=list(marks),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            vocab_size=size,
            show_progress=False,
        ),
    )
    inner.add_tokens(list(more))
    ids = [(mark, inner.token_to_id(mark)) for mark in marks]
    inner.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)
    return inner


def t5_words():
    return words(T5, "$A </s>", "$A </s> $B </s>", more=("\u2581", "\u25811"))


def table(tok, labels, **says):
    """For each token what it says of each label; the words of the rule are tokens that begin with a blank."""
    values = np.zeros((tok.get_vocab_size(), labels), dtype=np.float32)
    for word, row in says.items():
        values[tok.token_to_id(f"\u0120{word}")] = row
    return values


def graph(text, **constants):
    model = parser.parse_model(f"{_HEAD} {text}")
    for name, value in constants.items():
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value, dtype=np.float32), name))
    onnx.checker.check_model(model)
    return model


def saved(folder, tok, config, **files):
    """Saves graphs as files of their names, with tokenizer and configuration."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in files.items():
        onnx.save(model, folder / f"{name}.onnx")
    tok.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, **config}))
    return str(folder)


def config(labels, kind="SequenceClassification", **more):
    named = {str(i): name for i, name in labels.items()}
    return {"architectures": [f"TinyFor{kind}"], "id2label": named, **more}


def entailment(folder, order=(0, 1, 2), **more):
    """`order` gives the index of entailment, of neutral and of contradiction."""
    tok = words()
    rows = np.eye(3, dtype=np.float32)[list(order)]
    rule = graph(
        f"tiny ({INPUTS}) => (float[B,3] logits) {{ {SUM} flat = Squeeze (summed, one) logits = Add (flat, bias) }}",
        table=table(tok, 3, confirms=30 * rows[0], denies=20 * rows[2]),
        bias=8 * rows[1],
    )
    return saved(folder, tok, config({order[i]: NLI[i] for i in NLI}, max_position_embeddings=512, **more), model=rule)


def grounding(folder):
    """Labels are LABEL_0, backed, and LABEL_1, not."""
    tok = words()
    rule = graph(
        f"""tiny ({INPUTS}) => (float[B,T,2] logits) {{ {SUM}
            word = Gather <axis: int = 0> (single, input_ids)
            both = Add (summed, word)
            logits = Add (both, bias) }}""",
        table=table(tok, 2, confirms=(30, 0)),
        single=table(tok, 2, purple=(0, 99)),
        bias=(0, 8),
    )
    labels = {0: "LABEL_0", 1: "LABEL_1"}
    return saved(folder, tok, config(labels, "TokenClassification", max_position_embeddings=8192), model=rule)


def first_token(folder):
    """The token that the input begins with says whether "confirms" is in it; all others say the opposite."""
    tok = t5_words()
    rule = graph(
        f"""tiny ({INPUTS}) => (float[B,T,2] logits) {{ {SUM}
            answer = Add (summed, bias)
            begin = Gather <axis: int = 0> (starts, input_ids)
            logits = Mul (answer, begin) }}""",
        table=table(tok, 2, confirms=(0, 20)),
        starts=[[1.0] if i == 0 else [-1.0] for i in range(tok.get_vocab_size())],
        bias=(8, 0),
    )
    return saved(folder, tok, {}, model=rule)


def decoding(folder):
    """The scores of "\u2581" and "\u25811" at the first step say whether "confirms" is in the input."""
    tok = t5_words()
    no, yes = tok.token_to_id("\u2581"), tok.token_to_id("\u25811")
    size = tok.get_vocab_size()
    encoder = graph(
        f"""encoder ({INPUTS}) => (float[B,T,2] last_hidden_state) {{ {SUM}
            last_hidden_state = Add (kept, zero) }}""",
        table=table(tok, 2, confirms=(0, 20)),
        zero=(0, 0),
    )
    decoder = graph(
        f"""decoder (int64[B,S] input_ids, float[B,T,2] encoder_hidden_states, int64[B,T] encoder_attention_mask)
            => (float[B,S,{size}] logits, float[B,S,1] present) {{
            shown = Cast <to: int = 1> (encoder_attention_mask)
            two = Constant <value_ints: ints = [2]> ()
            mask = Unsqueeze (shown, two)
            kept = Mul (encoder_hidden_states, mask)
            one = Constant <value_ints: ints = [1]> ()
            summed = ReduceSum (kept, one)
            answer = Add (summed, bias)
            scores = MatMul (answer, place)
            first = Gather <axis: int = 0> (starts, input_ids)
            logits = Add (scores, first)
            present = Cast <to: int = 1> (first) }}""",
        place=np.stack([np.eye(size)[no], np.eye(size)[yes]]),
        starts=[[0.0] if i == 0 else [np.nan] for i in range(size)],
        bias=(8, 0),
    )
    return saved(folder, tok, {"decoder_start_token_id": 0}, encoder_model=encoder, decoder_model=decoder)
