"""Scores an exported model on the sets, message by message as the program does (batch 1)."""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime as ort

import bert
import measure
import sets

p = argparse.ArgumentParser()
p.add_argument("model", help="folder with model.onnx and tokenizer.json")
p.add_argument("--sets", required=True, help="folder with *_heldout_caps.jsonl and so on")
p.add_argument("--names", default="ordinary,novel,indirect,hard")
p.add_argument("--shared", default="")
p.add_argument("--draws", type=int, default=3, help="of the candidates for held-out capabilities")
p.add_argument("--curve", action="store_true", help="other thresholds and leads too: what is traded for what")
a = p.parse_args()
options = ort.SessionOptions()
options.intra_op_num_threads = 1
session = ort.InferenceSession(str(Path(a.model, "model.onnx")), options, providers=["CPUExecutionProvider"])
tok = bert.tokenizer(a.model, 128)
known = {}


def vector(text):
    if text not in known:
        ids = np.array([tok.encode(text).ids], dtype=np.int64)
        known[text] = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    return known[text]


def vectors(items):
    return np.stack([vector(text) for text in items])


def line(title, found):
    z = {k: np.mean([x[k] for x in found]) for k in found[0]}
    print(f"{title:38}", " ".join(f"{k} {v:.3f}" if k != "n" else f"n {v:.0f}" for k, v in z.items()), flush=True)


chosen = {}
for name in a.names.split(","):
    chosen |= sets.read(a.sets, name, a.shared and Path(a.shared, "data/tap"))
if a.shared:
    chosen |= sets.published(a.shared)
for title, (catalogue, rows, candidates) in chosen.items():
    found = [sets.scores(vectors, catalogue, rows, candidates, draw) for draw in range(a.draws if candidates else 1)]
    line(title, [measure.summary(s, list(catalogue), rows) for s in found])
    for threshold in (0.60, 0.65, 0.70) if a.curve else ():
        for lead in (0.03, 0.06, 0.09):
            line(f"  at {threshold:.2f}/{lead:.2f}", [measure.summary(s, list(catalogue), rows, threshold, lead) for s in found])
