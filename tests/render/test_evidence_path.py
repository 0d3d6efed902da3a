"""A diagnosis in words and as a strip; hostile texts stay text."""

from dataclasses import replace

from trail_callbacks import check
from trail_callbacks.render.evidence_path import cells, figures, verdict_line
from trail_callbacks.report.diagnosis import Break, Coverage, Diagnosis, Figure, Overlap, Stage

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
BROKEN = Break(stage="reranking", signature="selection_failure", step=HOSTILE, reasons=(HOSTILE,), certainty="high")
FOUND = Diagnosis(
    signature="selection_failure",
    first_break=BROKEN,
    breaks=(BROKEN,),
    reasons=(HOSTILE,),
    look_at=("Look at the ranks.",),
    coverage=Coverage(
        query={"retrieved": Figure(value=1.0, n=2), "selected": Figure(why="nobody knows")},
        sufficient={"retrieved": True, "selected": None},
        overlap={
            "selected": Overlap(
                jaccard=Figure(value=0.2, n=5), recall=Figure(value=0.5, n=2, interval=(0.1, 0.9)), precision=Figure()
            )
        },
    ),
    stages=(
        Stage(name="query", there=1, note="1 rewritten"),
        Stage(name="retrieval", there=4),
        Stage(name="reranking", there=1, lost=tuple(f"{HOSTILE}{n}" for n in range(6)), broken=True),
        Stage(name="packing"),
        Stage(name="generation", there=2, lost=("x",)),
    ),
    warnings=(HOSTILE,),
)


def test_the_first_line_says_what_broke_and_where():
    assert verdict_line(FOUND).startswith("selection failure; at reranking (")
    assert verdict_line(FOUND).endswith("certainty high")
    assert verdict_line(Diagnosis(signature="none")) == "no break: nothing is wrong with the answer"
    assert verdict_line(Diagnosis(signature="undetermined")) == "undetermined"
    memory = replace(FOUND, signature="right_by_memory")
    assert "right by memory; selection failure at reranking" in verdict_line(memory)


def test_stages_say_what_was_there_and_lost():
    shown = {cell.name: cell for cell in cells(FOUND)}
    assert list(shown) == ["asked", "retrieved", "reranked", "selected", "answered"]
    assert shown["asked"].there == "1 query, 1 rewritten"
    assert shown["retrieved"].figure == "1.00"
    assert shown["selected"].there == "not recorded"
    assert shown["selected"].figure == ""
    assert len(shown["reranked"].lost) == 5
    assert shown["reranked"].lost[-1] == "and 2 more"
    assert [cell.name for cell in shown.values() if cell.broken] == ["reranked"]
    assert shown["answered"].label == "unsupported"


def test_every_figure_has_an_n_or_a_reason():
    rows = dict(figures(FOUND))
    assert rows["question covered, retrieved"] == "1.00 (n=2)"
    assert rows["question covered, selected"] == "unknown: nobody knows"
    assert rows["gold recall, selected"] == "0.50 (n=2, 95 % interval 0.10 to 0.90)"
    assert rows["sufficient, retrieved"] == "yes"
    assert rows["sufficient, selected"] == "unknown"
    assert rows["gold precision, selected"] == "unknown"


def test_pages_and_notebooks_escape_it():
    report = replace(check("A.", ["B."]), diagnosis=FOUND)
    for shown in (report.to_html(), report._repr_html_()):
        assert "<script>alert" not in shown
        assert "evidence path" in shown.casefold()
    assert "Evidence path" not in check("A.", ["B."]).to_html()
