"""The lower layers stay as they are, so what they make of a text is computed once and kept."""

import hashlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import bert


class Frozen:
    """Every text that training can ask for, by number, with its state below the tuned layers."""

    def __init__(self, base, tok, layers):
        self.base, self.tok, self.layers = base, tok, layers
        self.texts, self.place = [], {}

    def add(self, text):
        if text not in self.place:
            self.place[text] = len(self.texts)
            self.texts.append(text)
        return self.place[text]

    @torch.no_grad()
    def compute(self, cache):
        key = hashlib.sha256(("\0".join(self.texts) + str(self.layers)).encode()).hexdigest()[:12]
        path = Path(cache, f"states-{key}.pt")
        if path.exists():
            self.states, self.untuned = torch.load(path)
        else:
            self.states, vectors = [None] * len(self.texts), [None] * len(self.texts)
            order = sorted(range(len(self.texts)), key=lambda i: len(self.texts[i]))
            for at in range(0, len(order), 256):
                part = order[at : at + 256]
                ids, mask = bert.batch(self.tok, [self.texts[i] for i in part])
                with torch.autocast("cpu", torch.bfloat16):
                    low = self.base.below(ids, mask, self.layers)
                    high = self.base.above(low, mask.float(), self.layers)
                for k, i in enumerate(part):
                    self.states[i], vectors[i] = low[k, : int(mask[k].sum())].to(torch.bfloat16), high[k].float()
            self.untuned = torch.stack(vectors)
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.save((self.states, self.untuned), path)
        self.lengths = np.array([len(s) for s in self.states])

    def vectors(self, model, numbers, size=96):
        """What `model` makes of texts, with gradients; batched by length so that little is padding."""
        numbers = np.asarray(numbers)
        order, parts = np.argsort(self.lengths[numbers], kind="stable"), []
        for chunk in np.array_split(order, max(1, len(numbers) // size)):
            lengths = self.lengths[numbers[chunk]]
            low = torch.zeros(len(chunk), int(lengths.max()), bert.WIDTH, dtype=torch.bfloat16)
            mask = torch.zeros(low.shape[:2])
            for k, i in enumerate(numbers[chunk]):
                low[k, : lengths[k]], mask[k, : lengths[k]] = self.states[i], 1
            with torch.autocast("cpu", torch.bfloat16):
                parts.append(model.above(low, mask, self.layers).float())
        back = np.empty(len(numbers), int)
        back[order] = np.arange(len(numbers))
        return F.normalize(torch.cat(parts), dim=1)[torch.from_numpy(back)]
