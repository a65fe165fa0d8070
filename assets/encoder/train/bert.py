"""The encoder as a plain PyTorch module: BERT (6 layers, 384 wide), mean pooling, unit length."""

import json
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

WIDTH, HEADS, LAYERS, INNER, VOCABULARY, POSITIONS = 384, 12, 6, 1536, 30522, 512


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attention_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, h, bias, drop):
        batch, length, _ = h.shape
        split = lambda x: x.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
        q, k, v = split(self.query(h)), split(self.key(h)), split(self.value(h))
        weights = torch.softmax(q @ k.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + bias, -1)
        mixed = (drop(weights) @ v).transpose(1, 2).reshape(batch, length, WIDTH)
        h = self.attention_norm(drop(self.output(mixed)) + h)
        return self.norm(drop(self.down(F.gelu(self.up(h)))) + h)


class Encoder(nn.Module):
    def __init__(self, layers=LAYERS, dropout=0.1):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.kind = nn.Parameter(torch.zeros(WIDTH))
        self.embedding_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.drop = nn.Dropout(dropout)

    def below(self, input_ids, attention_mask, layers):
        """The state after the first `layers` layers."""
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        h = self.words(input_ids) + self.positions(positions)[None] + self.kind
        h = self.drop(self.embedding_norm(h))
        return self._run(h, attention_mask.to(h.dtype), self.layers[:layers])

    def above(self, h, mask, layers):
        """The vector that the layers after the first `layers` make of a state."""
        h = self._run(h, mask, self.layers[layers:])
        pooled = (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return pooled / torch.sqrt((pooled * pooled).sum(-1, keepdim=True))

    def _run(self, h, mask, layers):
        bias = (1.0 - mask[:, None, None, :]) * -10000.0
        for layer in layers:
            h = layer(h, bias, self.drop)
        return h

    def forward(self, input_ids, attention_mask):
        return self.above(self.below(input_ids, attention_mask, 0), attention_mask.to(self.kind.dtype), 0)


def with_constant(vectors, slope):
    """One component more, the same in every vector: a cosine c becomes slope·c + 1 − slope."""
    # Not new_full: the number of rows has to stay open in the exported graph.
    constant = vectors[:, :1] * 0 + (1 - slope) ** 0.5
    return torch.cat([vectors * slope**0.5, constant], dim=1)


NAMES = {
    "attention.self.query": "query", "attention.self.key": "key", "attention.self.value": "value",
    "attention.output.dense": "output", "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "up", "output.dense": "down", "output.LayerNorm": "norm",
}


def from_base(folder, dropout=0.1):
    """The untuned base as published, in our module."""
    raw = load_file(str(next(Path(folder).rglob("model.safetensors"))))
    raw = {name.removeprefix("bert."): value.float() for name, value in raw.items()}
    state = {
        "words.weight": raw["embeddings.word_embeddings.weight"],
        "positions.weight": raw["embeddings.position_embeddings.weight"],
        "kind": raw["embeddings.token_type_embeddings.weight"][0],
        "embedding_norm.weight": raw["embeddings.LayerNorm.weight"],
        "embedding_norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    for n in range(LAYERS):
        for theirs, ours in NAMES.items():
            for part in ("weight", "bias"):
                state[f"layers.{n}.{ours}.{part}"] = raw[f"encoder.layer.{n}.{theirs}.{part}"]
    model = Encoder(dropout=dropout)
    model.load_state_dict(state)
    return model


def load(path, dropout=0.1):
    state = load_file(str(path))
    layers = 1 + max(int(k.split(".")[1]) for k in state if k.startswith("layers."))
    model = Encoder(layers, dropout)
    model.load_state_dict(state)
    return model


def save(model, path):
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, str(path))


def tokenizer(folder, longest=64):
    found = Tokenizer.from_file(str(next(Path(folder).rglob("tokenizer.json"))))
    found.no_padding()
    found.enable_truncation(longest)
    return found


def batch(tok, texts):
    ids = [e.ids for e in tok.encode_batch(list(texts))]
    longest = max(map(len, ids))
    out = torch.zeros(len(ids), longest, dtype=torch.long)
    mask = torch.zeros(len(ids), longest, dtype=torch.long)
    for row, x in enumerate(ids):
        out[row, : len(x)] = torch.tensor(x)
        mask[row, : len(x)] = 1
    return out, mask


def encode(model, tok, texts, size=128, half=False):
    """Vectors with gradients, batched by length so that little is padding."""
    texts = list(texts)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    parts = []
    for at in range(0, len(order), size):
        ids, mask = batch(tok, [texts[i] for i in order[at : at + size]])
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            parts.append(model(ids, mask).float())
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(parts)[back]
