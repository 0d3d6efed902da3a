"""Answers that state the values of probes as `make_probes` makes them, of every kind of edit."""

from trail_callbacks.canary import KINDS, Corpus, Document
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.questions.making import make_probes

TEXTS = (
    "The ferry to Skogholm takes 40 minutes. It carries 1,850 passengers a day. Visitors must wear a badge on deck.",
    "The harbour of Lund cost $1.5 million and was opened on 12 March 2019. The harbour office is open on Sundays.",
    "The lighthouse of Hamar is 25 metres high. Karin Holt has kept the lighthouse since 1986. Dogs are not allowed.",
    "In the regatta of 2021 the share of electric boats was 12%. The pump at the old mill has a warranty of 24 months.",
    "The basin of the shipyard holds 3,400 litres. The shipyard of Torvik employs 212 people. Smoking is prohibited.",
)


def test_what_states_a_value_is_read_as_that():
    corpus = Corpus([Document(f"d{i}", text) for i, text in enumerate(TEXTS)])
    made = [make_probes(perturb(corpus, seed=seed, kinds=(kind,)))[0] for kind in KINDS for seed in range(3)]
    probes = [probe for each in made for probe in each]
    assert len(probes) >= 40
    assert len({probe.kind for probe in probes}) >= 6
    wrong, n = [], 0
    for probe in probes:
        said = [(probe.real, "leaks_prior"), (probe.real_quote, "leaks_prior")]
        if probe.fictive is not None:
            said += [(probe.fictive, "follows_context"), (probe.fictive_quote, "follows_context")]
            said += [(f"It is not {probe.real} but {probe.fictive}.", "follows_context")]
        for answer, expected in said:
            n += 1
            found = classify(probe, "fictive", answer)
            if found.outcome != expected and found.how != "undecided":
                wrong.append((probe.kind, probe.question, answer, expected, found))
    assert len(wrong) <= 0.02 * n, wrong
