"""Scores an exported model on the sets, message by message as the program does (batch 1)."""

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime as ort

import bert
import measure
import texts

p = argparse.ArgumentParser()
p.add_argument("model", help="folder with model.onnx and tokenizer.json")
p.add_argument("--sets", required=True, help="folder with *_heldout_caps.jsonl and so on")
p.add_argument("--prefix", default="plain")
p.add_argument("--shared", default="")
p.add_argument("--draws", type=int, default=3)
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


def run(title, catalogue, rows, candidates=0):
    v = np.stack([vector(t) for ts in catalogue.values() for t in ts])
    cut, k = {}, 0
    for n, ts in catalogue.items():
        cut[n] = slice(k, k + len(ts))
        k += len(ts)
    whole = measure.scores(np.stack([vector(x["intent"]) for x in rows]), cut, v)
    order, results = list(catalogue), []
    for draw in range(a.draws if candidates else 1):
        s = whole.copy()
        if candidates:
            rng = np.random.default_rng(draw)
            for i, x in enumerate(rows):
                keep = [x["label"]] if x["label"] else list(x.get("needs", []))
                keep += list(rng.choice([n for n in order if n not in keep], candidates - len(keep), replace=False))
                s[i, [j for j, n in enumerate(order) if n not in keep]] = -1
        results.append(measure.summary(s, order, rows))
    z = {k: np.mean([x[k] for x in results]) for k in results[0]}
    print(f"{title:22}", " ".join(f"{k} {v:.3f}" if k != "n" else f"n {v:.0f}" for k, v in z.items()), flush=True)


held = {c["name"]: c for c in texts.rows(Path(a.sets, f"{a.prefix}_heldout_caps.jsonl"))}
rows = [{"intent": m, "label": n, "kind": "natural"} for n, c in held.items() for m in c["messages"]]
rows += texts.rows(Path(a.sets, f"{a.prefix}_heldout_null.jsonl"))
run("held out, 40 of 64", {n: c["triggers"] for n, c in held.items()}, rows, 40)
if a.shared:
    caps, skills = texts.registry(Path(a.shared, "data/tap"))
    run("registry, natural", caps, texts.rows(Path(a.sets, f"{a.prefix}_registry.jsonl")))
    run("dev.jsonl", {**caps, **skills}, texts.rows(Path(a.shared, "data/routing/dev.jsonl")))
