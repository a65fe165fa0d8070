"""Vectors that the program must reproduce: texts of every kind and what the exported graph makes of them."""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort

import bert
import texts

model, data, out = map(Path, sys.argv[1:4])
session = ort.InferenceSession(str(model / "model.onnx"), providers=["CPUExecutionProvider"])
tok = bert.tokenizer(model, 128)
capabilities, nulls, two = texts.read(data)
chosen = [c["messages"][0] for c in list(capabilities.values())[::80]] + nulls[::280] + [x["text"] for x in two[::65]]
chosen += ["x", "naïve café", "日本語", "a" * 400, "word " * 300]
rows = []
for text in chosen:
    ids = np.array([tok.encode(text).ids], dtype=np.int64)
    vector = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    rows.append({"text": text, "vector": [round(float(x), 5) for x in vector]})
out.write_text(json.dumps(rows, ensure_ascii=False) + "\n")
print(len(rows), "parity vectors")
