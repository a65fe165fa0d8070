"""Tuned weights → one int8 ONNX graph with pooling and unit length inside."""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

import bert

p = argparse.ArgumentParser()
p.add_argument("--weights", required=True)
p.add_argument("--base", required=True)
p.add_argument("--out", required=True)
p.add_argument("--slope", type=float, default=1.0, help="a of the cosine's map c → a·c + 1 − a")
a = p.parse_args()


class Graph(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = bert.load(a.weights, 0.0)

    def forward(self, input_ids, attention_mask):
        return bert.with_constant(self.encoder(input_ids, attention_mask), a.slope)


model = Graph().eval()
ids = torch.randint(1000, 2000, (2, 9))
mask = torch.ones_like(ids)
mask[1, 6:] = 0
out = Path(a.out)
out.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as folder:
    whole = os.path.join(folder, "float.onnx")
    with torch.no_grad():
        torch.onnx.export(
            model, (ids, mask), whole, opset_version=17, dynamo=False, do_constant_folding=True,
            input_names=["input_ids", "attention_mask"], output_names=["sentence_embedding"],
            dynamic_axes={"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "length"}, "sentence_embedding": {0: "batch"}},
        )
        expected = model(ids, mask).numpy()
    got = ort.InferenceSession(whole, providers=["CPUExecutionProvider"]).run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})[0]
    print("float graph against the module, largest difference", float(np.abs(expected - got).max()))
    quantize_dynamic(
        whole, str(out / "model.onnx"), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
        op_types_to_quantize=["MatMul", "Gather"], extra_options={"MatMulConstBOnly": True},
    )
graph = onnx.load(str(out / "model.onnx"))
print("int8 graph", os.path.getsize(out / "model.onnx"), "bytes, opset", [o.version for o in graph.opset_import])
shutil.copy(next(Path(a.base).rglob("tokenizer.json")), out / "tokenizer.json")
