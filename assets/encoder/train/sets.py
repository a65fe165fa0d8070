"""Test sets: reading them, and what the program's rule makes of them with some encoder."""

from pathlib import Path

import numpy as np

import measure
import texts

CANDIDATES = 40


def read(folder, name, tap):
    """The sets of one author: title → (catalogue, rows, candidates or 0 for all)."""
    held = {c["name"]: c["triggers"] for c in texts.rows(Path(folder, f"{name}_heldout_caps.jsonl"))}
    messages = [
        {"intent": m, "label": c["name"], "kind": "natural"}
        for c in texts.rows(Path(folder, f"{name}_heldout_caps.jsonl"))
        for m in c["messages"]
    ]
    found = {f"{name}: held out": (held, messages + texts.rows(Path(folder, f"{name}_heldout_null.jsonl")), CANDIDATES)}
    natural = Path(folder, f"{name}_registry.jsonl")
    if tap and natural.exists():
        found[f"{name}: registry"] = (texts.registry(tap)[0], texts.rows(natural), 0)
    return found


def published(shared):
    triggers, skills = texts.registry(Path(shared, "data/tap"))
    return {"dev.jsonl": ({**triggers, **skills}, texts.rows(Path(shared, "data/routing/dev.jsonl")), 0)}


def scores(vectors, catalogue, rows, candidates, draw=1):
    """[rows, capabilities]; with `candidates`, a row sees its own and so many others, the rest are at −1."""
    cut, at = {}, 0
    for name, triggers in catalogue.items():
        cut[name] = slice(at, at + len(triggers))
        at += len(triggers)
    found = measure.scores(vectors([r["intent"] for r in rows]), cut, vectors([t for ts in catalogue.values() for t in ts]))
    if candidates:
        rng, names = np.random.default_rng(draw), list(catalogue)
        for i, row in enumerate(rows):
            keep = [row["label"]] if row["label"] else [n for n in row.get("needs", []) if n in catalogue]
            keep += list(rng.choice([n for n in names if n not in keep], candidates - len(keep), replace=False))
            found[i, [j for j, n in enumerate(names) if n not in keep]] = -1
    return found


def report(vectors, chosen, title=""):
    for name, (catalogue, rows, candidates) in chosen.items():
        z = measure.summary(scores(vectors, catalogue, rows, candidates), list(catalogue), rows)
        print(f"{title:10} {name:20}", " ".join(f"{k} {v:.3f}" if k != "n" else f"n {v}" for k, v in z.items()), flush=True)
