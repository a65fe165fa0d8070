"""Tunes the upper layers so that the program's fixed rule is right on the vectors.

Each step samples a small catalogue (seeds and their nearest neighbours), a few triggers of each, messages,
texts that need nothing and texts that need two; the loss is the rule itself, softened, and what holds the
vectors near the untuned ones.
"""

import argparse
import copy
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import bert
import measure
import sets
import texts
from frozen import Frozen

p = argparse.ArgumentParser()
p.add_argument("--base", required=True)
p.add_argument("--data", default="data")
p.add_argument("--eval", default="eval")
p.add_argument("--shared", default="", help="with data/tap and data/routing/dev.jsonl, to measure on")
p.add_argument("--out", required=True)
p.add_argument("--init", default="", help="weights to go on from")
p.add_argument("--share", type=float, default=1.0, help="of those weights; the rest is the base")
p.add_argument("--registry", default="", help="a tap whose triggers take part too")
p.add_argument("--often", type=float, default=0.25, help="seeds that are of the registry")
p.add_argument("--minutes", type=float, default=72)
p.add_argument("--threads", type=int, default=1)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--freeze", type=int, default=3, help="layers that stay as they are")
p.add_argument("--rate", type=float, default=8e-5)
p.add_argument("--catalogue", type=int, default=32)
p.add_argument("--messages", type=int, default=2, help="a capability and step")
p.add_argument("--nulls", type=int, default=32)
p.add_argument("--pairs", type=int, default=8)
p.add_argument("--trigger-share", type=float, default=0.3, help="messages that are a trigger in a frame")
p.add_argument("--reach", type=int, default=3, help="an indirect message takes part if the base ranks it so high")
p.add_argument("--twins", type=float, default=0.75, help="a capability this like a held-out one is left out; 1 = none")
p.add_argument("--slope", type=float, default=0.65, help="a of the cosine's map c → a·c + 1 − a")
p.add_argument("--aim", type=float, default=0.79)
p.add_argument("--lead", type=float, default=0.16)
p.add_argument("--hush", type=float, default=0.51)
p.add_argument("--weight-order", type=float, default=0.15)
p.add_argument("--weight-null", type=float, default=1.3)
p.add_argument("--weight-pair", type=float, default=5.0)
p.add_argument("--weight-anchor", type=float, default=0.4)
p.add_argument("--pull", type=float, default=10.0, help="of the weights to the untuned ones, as weight decay is counted")
p.add_argument("--every", type=int, default=400)
a = p.parse_args()
torch.set_num_threads(a.threads)
torch.set_flush_denormal(True)
torch.manual_seed(a.seed)
r = random.Random(a.seed)
HELD_OUT = ("ordinary", "final")

tok = bert.tokenizer(a.base)
base = bert.from_base(a.base, 0.0).eval()
capabilities, nulls, two = texts.read(a.data)


@torch.no_grad()
def vectors(model, items):
    return bert.encode(model, tok, items, 128, True)


def centres(triggers):
    flat, at, found = vectors(base, [t for ts in triggers for t in ts]), 0, []
    for ts in triggers:
        found.append(flat[at : at + len(ts)].mean(0))
        at += len(ts)
    return F.normalize(torch.stack(found), dim=1)


def within_reach():
    """Of files with indirect messages, those whose capability the untuned base ranks high in its file."""
    for file in sorted({c["file"] for c in capabilities.values() if c["file"].startswith("caps-")}):
        of, cut, at = {n: c for n, c in capabilities.items() if c["file"] == file}, {}, 0
        for n, c in of.items():
            cut[n] = slice(at, at + len(c["triggers"]))
            at = cut[n].stop
        triggers = vectors(base, [t for c in of.values() for t in c["triggers"]]).numpy()
        for j, (n, c) in enumerate(of.items()):
            s = measure.scores(vectors(base, c["messages"]).numpy(), cut, triggers)
            c["messages"] = [m for m, row in zip(c["messages"], s) if (row > row[j]).sum() < a.reach]
            if len(c["messages"]) < 3:
                del capabilities[n]


within_reach()
if a.registry:
    # Its triggers alone: the messages that it is measured on are never seen.
    for phrases in texts.registry(a.registry):
        for name, triggers in phrases.items():
            capabilities[f"{name}@registry"] = {"triggers": triggers, "messages": triggers, "near": [], "file": "registry"}
# Held-out capabilities stay unseen: whatever is too like one of them does not take part.
held_out = [row["triggers"] for path in sorted(Path(a.eval).glob("*_heldout_caps.jsonl")) if path.name.split("_")[0] in HELD_OUT for row in texts.rows(path)]
centre = centres([c["triggers"] for c in capabilities.values()])
unlike = (centre @ centres(held_out).T).max(1).values <= a.twins
names = [n for n, keep in zip(capabilities, unlike) if keep]
centre = centre[unlike]
print(len(names), "capabilities,", len(capabilities) - len(names), "left out as too like a held-out one", flush=True)

# Every text by number.
pool, dressing = Frozen(base, tok, a.freeze), random.Random(5)
caps = [capabilities[n] for n in names]
TRIGGERS = [[pool.add(t) for t in c["triggers"]] for c in caps]
MESSAGES = [[[pool.add(m), pool.add(texts.dress(m, dressing, texts.LIGHT, 0.2))] for m in c["messages"]] for c in caps]
FRAMED = [[[pool.add(texts.dress(t, dressing, texts.FRAMES, 0.15)) for _ in range(2)] for t in c["triggers"]] for c in caps]
NULLS = [[pool.add(t), pool.add(texts.null(t, dressing))] for t in nulls]
MISSES = [(i, pool.add(m)) for i, c in enumerate(caps) for m in c["near"]]
TWO = [(pool.add(x["text"]), [[pool.add(t) for t in ts] for ts in x["triggers"]]) for x in two]
JOINED = []
for _ in range(2500):
    i, j = dressing.sample(range(len(names)), 2)
    x, y = dressing.choice(caps[i]["messages"]), dressing.choice(caps[j]["messages"])
    JOINED.append((pool.add(x.rstrip(".?!") + dressing.choice(texts.JOINTS) + texts.lower(y)), i, j))
pool.compute(Path(a.out).parent / "cache")
print(len(pool.texts), "texts", flush=True)

model = copy.deepcopy(base)
if a.init:
    tuned, untuned = bert.load(a.init, 0.0).state_dict(), base.state_dict()
    model.load_state_dict({k: a.share * v + (1 - a.share) * untuned[k] for k, v in tuned.items()})
for q in model.parameters():
    q.requires_grad_(False)
trained = [q for layer in model.layers[a.freeze :] for q in layer.parameters()]
for q in trained:
    q.requires_grad_(True)

# Neighbours within a writer's file are distinct on purpose. Across files two names may mean the same thing,
# so a pair that the untuned base finds too like is never asked apart.
files = np.array([c["file"] for c in caps])
REGISTRY = [i for i, c in enumerate(caps) if c["file"] == "registry"]
doubtful = torch.tensor(files[:, None] != files[None, :]) & (centre @ centre.T > 0.62)


@torch.no_grad()
def neighbours():
    flat, at, found = np.array([t for ts in TRIGGERS for t in ts]), 0, []
    v = torch.cat([pool.vectors(model, flat[k : k + 1024]) for k in range(0, len(flat), 1024)])
    for ts in TRIGGERS:
        found.append(v[at : at + len(ts)].mean(0))
        at += len(ts)
    c = F.normalize(torch.stack(found), dim=1)
    s = (c @ c.T).fill_diagonal_(-1)
    s[doubtful] = -1
    return s.topk(10, dim=1).indices.tolist()


def pick(near):
    chosen = []
    while len(chosen) < a.catalogue:
        seed = r.choice(REGISTRY) if REGISTRY and r.random() < a.often else r.randrange(len(names))
        for i in [seed] + r.sample(near[seed], r.choice([1, 2, 3, 4])):
            if i not in chosen and not any(doubtful[i, j] for j in chosen):
                chosen.append(i)
    return chosen[: a.catalogue]


def some(triggers, width, but=()):
    rest = [t for j, t in enumerate(triggers) if j not in but] or list(triggers)
    r.shuffle(rest)
    return (rest * width)[:width]


def ask(i):
    """A message for capability i: its own, or a trigger in a frame, which then does not judge it."""
    if caps[i]["file"] == "registry" or r.random() < a.trigger_share:
        j = r.randrange(len(TRIGGERS[i]))
        return r.choice(FRAMED[i][j]), j
    return r.choice(r.choice(MESSAGES[i])), None


def sample(near):
    chosen, width = pick(near), r.choice([4, 5, 5, 6, 7])
    triggers, asked, of = [], [], []
    for k, i in enumerate(chosen):
        drawn = [ask(i) for _ in range(a.messages)]
        asked += [text for text, _ in drawn]
        of += [k] * len(drawn)
        triggers += some(TRIGGERS[i], width, {j for _, j in drawn})
    extra, both = [], []
    for text, wanted in r.sample(TWO, a.pairs // 2):
        extra += [t for ts in wanted for t in some(ts, width)]
        both.append(text)
    for text, i, j in r.sample(JOINED, a.pairs // 2):
        extra += some(TRIGGERS[i], width) + some(TRIGGERS[j], width)
        both.append(text)
    silent = [r.choice(r.choice(NULLS)) for _ in range(a.nulls)]
    missed = [(chosen.index(i), t) for i, t in r.sample(MISSES, min(len(MISSES), 600)) if i in chosen][:8]
    return triggers, width, asked, of, extra, both, silent, missed


def soft(x):
    return F.softplus(20 * x) / 20


def score(messages, triggers, width):
    """The rule's scores: the mean of the three best of each."""
    return (a.slope * (messages @ triggers.T) + 1 - a.slope).view(len(messages), -1, width).topk(3, 2).values.mean(2)


def losses(near):
    triggers, width, asked, of, extra, both, silent, missed = sample(near)
    parts = [triggers, extra, asked, silent, [t for _, t in missed], both]
    numbers = np.array([t for part in parts for t in part])
    z = pool.vectors(model, numbers)
    T, X, Q, N, M, B = z.split([len(part) for part in parts])
    of, count = torch.tensor(of), len(triggers) // width
    s = score(Q, T, width)
    own = s.gather(1, of[:, None])[:, 0]
    rival = torch.logsumexp(30 * s.masked_fill(F.one_hot(of, count).bool(), -2.0), 1) / 30
    quiet = torch.logsumexp(30 * score(N, T, width), 1) / 30
    if missed:
        # A near miss says only that it is not for its own capability.
        quiet = torch.cat([quiet, score(M, T, width).gather(1, torch.tensor([k for k, _ in missed])[:, None])[:, 0]])
    # Two needs are quiet when the best is low or has no lead.
    best = score(B, torch.cat([T, X]), width).topk(2, dim=1).values
    return {
        "aim": soft(a.aim - own).mean(),
        "lead": soft(rival + a.lead - own).mean(),
        "order": a.weight_order * F.cross_entropy(16 / a.slope * s, of),
        "null": a.weight_null * soft(quiet - a.hush).mean(),
        "pair": a.weight_pair * soft(torch.minimum(best[:, 0] - 0.62, best[:, 0] - best[:, 1] - 0.035)).mean(),
        "anchor": a.weight_anchor * (1 - (z * pool.untuned[torch.from_numpy(numbers)]).sum(1)).mean(),
    }


def save(tuned):
    Path(a.out).mkdir(parents=True, exist_ok=True)
    bert.save(tuned, Path(a.out, "model.safetensors"))
    Path(a.out, "settings.json").write_text(json.dumps(vars(a), indent=1) + "\n")


watched = sets.read(a.eval, "ordinary", a.shared and Path(a.shared, "data/tap"))
if Path(a.eval, "novel_heldout_caps.jsonl").exists():
    watched |= sets.read(a.eval, "novel", "")
if a.shared:
    watched |= sets.published(a.shared)


def evaluate(tuned, title):
    mapped = lambda items: bert.with_constant(vectors(tuned, items), a.slope).numpy()
    sets.report(mapped, watched, title)


home = [q.clone() for layer in base.layers[a.freeze :] for q in layer.parameters()]
optimiser = torch.optim.AdamW(trained, lr=a.rate, weight_decay=0.0)
begun = time.time()
done = lambda: (time.time() - begun) / 60 / a.minutes
averaged = copy.deepcopy(model)
near, log, step = neighbours(), [], 0
evaluate(model, "untuned")
while done() < 1:
    if step and step % 200 == 0:
        near = neighbours()
    for group in optimiser.param_groups:
        group["lr"] = a.rate * min(1, (step + 1) / 50) * max(0.02, 1 - done())
    parts = losses(near)
    optimiser.zero_grad()
    sum(parts.values()).backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimiser.step()
    step += 1
    decay = min(0.99, step / (step + 9))
    with torch.no_grad():
        for weights, untuned in zip(trained, home):
            weights.lerp_(untuned, min(1, optimiser.param_groups[0]["lr"] * a.pull))
        for mean, now in zip(averaged.parameters(), model.parameters()):
            mean.mul_(decay).add_(now, alpha=1 - decay)
    log.append([float(x.detach()) for x in parts.values()])
    if step % 50 == 0:
        print(step, f"{time.time() - begun:.0f} s", dict(zip(parts, np.round(np.mean(log[-50:], 0), 4).tolist())), flush=True)
    if step % a.every == 0:
        save(averaged)
        evaluate(averaged, f"step {step}")
save(averaged)
evaluate(averaged, "end")
