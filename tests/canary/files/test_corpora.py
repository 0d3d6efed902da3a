"""Reading corpora: real files of every kind, exports of real vector stores, and what cannot be read."""

import gzip
import json

import pytest

from trail_callbacks.canary import Document, Skipped
from trail_callbacks.canary.files.corpora import corpus_of, read_corpus
from trail_callbacks.errors import InputError

FERRY = "The ferry to Skogholm takes 40 minutes."


def texts(corpus):
    return {each.id: each.text for each in corpus}


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def test_a_folder_is_read_by_name_at_any_depth(folder):
    root = folder(
        b_dot_md="# Boats\r\n\r\nAlma is red.\r\n",
        a_dot_txt="\ufeff" + FERRY,
        sub__c_dot_html="<p>Berta is <b>blue</b>.</p>",
        sub__deep__d_dot_rst="Old\n===\n",
        _dot_hidden__e_dot_txt="secret",
        f_dot_txt_dot_gz=gzip.compress(b"packed"),
    )
    corpus = read_corpus(root)
    assert texts(corpus) == {
        "a.txt": FERRY,
        "b.md": "# Boats\n\nAlma is red.\n",
        "f.txt.gz": "packed",
        "sub/c.html": "<p>Berta is <b>blue</b>.</p>",
        "sub/deep/d.rst": "Old\n===\n",
    }
    assert [each.metadata["media"] for each in corpus] == ["text", "markdown", "text", "html", "rst"]
    assert corpus.skipped == ()


def test_ids_tell_several_folders_apart(folder):
    root = folder(one__a_dot_txt="A.", two__a_dot_txt="B.")
    assert texts(read_corpus(root / "one", root / "two")) == {"one/a.txt": "A.", "two/a.txt": "B."}
    assert list(texts(read_corpus(root / "one" / "a.txt", root / "two" / "a.txt"))) == ["a.txt", "a.txt#2"]


def test_what_is_no_text_is_skipped_with_the_reason(folder):
    root = folder(
        a_dot_txt=FERRY,
        b_dot_txt=b"first\nsecond \xff\n",
        c_dot_txt=b"\x7fELF\0\0",
        d_dot_txt="",
        e_dot_txt=" \n",
        f_dot_pdf=b"%PDF-1.7",
        g_dot_txt="\ufeffwide".encode("utf-16"),
        h_dot_txt_dot_gz=gzip.compress(b"x" * 5000)[:20],
        i_dot_csv="",
    )
    corpus = read_corpus(root)
    assert list(texts(corpus)) == ["a.txt"]
    reasons = {each.place: each.why for each in corpus.skipped}
    assert reasons["b.txt, line 2"].startswith("is not UTF-8")
    assert reasons["c.txt"] == "is a binary file, not text"
    assert reasons["d.txt"] == reasons["e.txt"] == reasons["i.csv"] == "is empty"
    assert "(.pdf)" in reasons["f.pdf"]
    assert "UTF-16" in reasons["g.txt"]
    assert "end too early" in reasons["h.txt.gz"]
    assert len(reasons) == 8


def test_nothing_at_all_is_an_error_that_says_what_was_found(folder, tmp_path):
    with pytest.raises(InputError, match=r"a\.pdf: is a kind of file that is not read"):
        read_corpus(folder(a_dot_pdf="x"))
    with pytest.raises(InputError, match="does not exist: name a folder or a file"):
        read_corpus(tmp_path / "nowhere")
    with pytest.raises(InputError, match="the corpus holds no text"):
        read_corpus()
    with pytest.raises(InputError, match=r"cannot be read|does not exist"):
        read_corpus("a\0b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no text"):
        read_corpus(tmp_path / "empty")


def test_records_of_lines_are_documents_and_broken_ones_have_a_line(folder):
    lines = [
        json.dumps({"id": "x", "text": FERRY, "metadata": {"topic": "boats"}, "embedding": [0.1, 0.2], "year": 1932}),
        '{"id": "half',
        json.dumps({"id": "x", "page_content": "Alma is red."}),
        json.dumps({"title": "no text"}),
        json.dumps({"content": "a \ud800 surrogate"}),
        json.dumps(["no object"]),
    ]
    corpus = read_corpus(folder(a_dot_jsonl="\n".join(lines)))
    assert texts(corpus) == {"x": FERRY, "x#2": "Alma is red.", "a.jsonl#line 5": "a \ufffd surrogate"}
    assert corpus["x"].metadata == {"year": 1932, "topic": "boats"}
    assert [each.place for each in corpus.skipped] == ["a.jsonl, line 2", "a.jsonl, line 4", "a.jsonl, line 6"]
    assert "it has title" in corpus.skipped[1].why


def test_duplicates_are_kept_and_noted(folder):
    corpus = read_corpus(folder(a_dot_txt=FERRY, b_dot_txt=FERRY))
    assert list(texts(corpus)) == ["a.txt", "b.txt"]
    assert corpus.skipped == (Skipped("b.txt", "repeats the text of a.txt; both are kept, as the app has both"),)


def test_tables_are_a_document_a_row(folder):
    corpus = read_corpus(
        folder(a_dot_csv='id,text,topic\n1,"Alma, red",boats\n2,Berta\n', b_dot_tsv="text\tid\nx y\tk\n")
    )
    assert texts(corpus) == {"1": "Alma, red", "k": "x y"}
    assert corpus["1"].metadata == {"topic": "boats"}
    assert corpus.skipped[0].place == "a.csv, line 3"


@pytest.mark.parametrize(
    "export",
    [
        [{"id": "k", "payload": {"page_content": FERRY, "metadata": {"topic": "boats"}}, "vector": [1.0]}],
        [{"_id": "k", "_source": {"text": FERRY, "topic": "boats"}}],
        [{"id": "k", "values": [1.0], "metadata": {"text": FERRY, "topic": "boats"}}],
    ],
    ids=["qdrant", "elasticsearch", "pinecone"],
)
def test_exports_of_vector_stores(folder, export):
    corpus = read_corpus(folder(a_dot_json=json.dumps(export)))
    assert texts(corpus) == {"k": FERRY}
    assert corpus["k"].metadata == {"topic": "boats"}


def test_objects_of_frameworks():
    core = pytest.importorskip("llama_index.core")
    documents = pytest.importorskip("langchain_core.documents")
    node = core.schema.TextNode(text=FERRY, id_="n1", metadata={"topic": "boats"})
    written = documents.Document(id="d1", page_content=FERRY, metadata={"topic": "boats"})
    plain = core.Document(text="Alma is red.", id_="n2")
    corpus = corpus_of([node, plain, written, core.schema.NodeWithScore(node=node, score=0.5)])
    assert texts(corpus) == {"n1": FERRY, "n2": "Alma is red.", "d1": FERRY, "n1#2": FERRY}
    assert corpus["n1"].metadata["topic"] == corpus["d1"].metadata["topic"] == "boats"
    corpus["d1"].metadata["topic"] = "other"
    assert written.metadata == {"topic": "boats"}


def test_objects_of_every_kind():
    corpus = corpus_of([FERRY, {"text": "Alma.", "id": 7}, Document("own", "Berta.", {"when": float("nan")}), 3, ""])
    assert texts(corpus) == {"document 1": FERRY, "7": "Alma.", "own": "Berta."}
    assert corpus["own"].metadata == {"when": "NaN"}
    assert [each.place for each in corpus.skipped] == ["document 4", "document 5"]
    for nothing in ([3], []):
        with pytest.raises(InputError, match="the corpus has no text"):
            corpus_of(nothing)


def test_hostile_json_is_skipped(folder):
    deep = "[" * 100_000 + "]" * 100_000
    root = folder(
        a_dot_txt=FERRY, b_dot_json=deep, c_dot_json='{"docstore/data": 3}', d_dot_json='{"ids": [], "documents": []}'
    )
    corpus = read_corpus(root)
    assert list(texts(corpus)) == ["a.txt"]
    assert {each.place for each in corpus.skipped} == {"b.json, line 1", "c.json, line 1", "d.json, line 1"}
