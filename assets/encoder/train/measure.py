"""The fixed rule and what it comes to on a set: the same arithmetic as the program's."""

import numpy as np

THRESHOLD, MARGIN, TOP = np.float32(0.65), np.float32(0.06), 3


def scores(messages, catalogue, vectors):
    """messages [n, d]; catalogue {name: slice of vectors} → [n, names]."""
    out = np.empty((len(messages), len(catalogue)), np.float32)
    for j, where in enumerate(catalogue.values()):
        c = messages @ vectors[where].T
        k = min(TOP, c.shape[1])
        out[:, j] = np.sort(c, axis=1)[:, -k:].mean(1)
    return out


def judged(score, names, labels, texts, threshold, margin):
    order = np.sort(score, axis=1)
    first, second = order[:, -1], order[:, -2]
    best = score.argmax(1)
    long_enough = np.array([sum(not c.isspace() for c in t) >= 8 for t in texts])
    fires = (first >= np.float32(threshold)) & (first - second >= np.float32(margin)) & long_enough
    gold = np.array([names.index(l) if l is not None else -1 for l in labels])
    return best == gold, fires, gold >= 0


def summary(score, names, rows, threshold=THRESHOLD, margin=MARGIN):
    labels, messages = [r["label"] for r in rows], [r["intent"] for r in rows]
    hit, fires, positive = judged(score, names, labels, messages, threshold, margin)
    two = np.array([r.get("kind") == "two" for r in rows])
    none = ~positive & ~two
    mean = lambda x, where: float(x[where].mean()) if where.any() else float("nan")
    return {
        "n": int(positive.sum()),
        "top1": mean(hit, positive),
        "right": mean(hit & fires, positive),
        "wrong": mean(~hit & fires, positive),
        "null": mean(fires, none),
        "two_abstain": 1 - mean(fires, two) if two.any() else float("nan"),
    }
