"""Reads the training text and makes messages as people type them."""

import json
import random
import re
from pathlib import Path


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]


def read(folder):
    """Capabilities (name → triggers, messages, near, file), texts that need none, texts that need two."""
    capabilities = {}
    for path in sorted(Path(folder).glob("*-*.jsonl")):
        for row in rows(path):
            capabilities[f"{row['name']}@{path.stem}"] = {**row, "near": row.get("near") or [], "file": path.stem}
    return capabilities, [r["text"] for r in rows(Path(folder, "null.jsonl"))], rows(Path(folder, "two.jsonl"))


# Frames around a whole request; {t} begins in lower case.
FRAMES = """{t}|{t}|{t}|{t}|{t}|{t}|{t}?|{t}!|{t} please|please {t}|pls {t}|can you {t}|can u {t}|could you {t}|hey, {t}|hi, {t}
ok, {t}|ok now {t}|now {t}|and then {t}|then {t}|next, {t}|also {t}|and also {t}|after that {t}|one more thing: {t}|{t} again|{t} asap
i need to {t}|i want to {t}|i'd like to {t}|we need to {t}|let's {t}|help me {t}|need help with this: {t}|trying to {t}, not sure how
how do i {t}|how would i {t}|is it possible to {t}|what's the best way to {t}|can't manage to {t}|quick one: {t}|{t}, thanks
back to work: {t}|back to what we were doing, {t}|thanks. {t}|great, {t}|perfect. now {t}|forget that, {t}|never mind that. {t}|same thing but {t}
my boss wants me to {t}|{t} for the new project|{t} when you get a chance|so {t}|um, {t}|sorry, {t}|actually {t}|first {t}""".replace("\n", "|").split("|")
# Frames that fit any sentence, not only a request.
LIGHT = "{t}|{t}|{t}|{t}|{t}|{t}|{t}|hey, {t}|ok, {t}|ok so {t}|also, {t}|and {t}|{t} please|{t} thanks|thanks. {t}|next: {t}|quick one: {t}|so {t}|um, {t}|back to work: {t}|perfect. {t}|{t}!|{t}...".split("|")
# Between two requests in one message.
JOINTS = [" and then ", " and ", ", then ", " and also ", ". also ", ", and put it in ", " so i can ", " → "]
BEFORE = ["", "", "", "", "", "hey ", "ok ", "well, ", "so ", "hmm ", "and ", "um ", "please ", "ah, "]
AFTER = ["", "", "", "", "", "!", "?", "...", " please", " thanks", " :)", " lol"]
SHORT = [(" you ", " u "), (" your ", " ur "), (" to ", " 2 "), (" for ", " 4 "), (" please", " plz"), (" with ", " w/ "), (" because ", " cuz "), (" and ", " n "), (" are ", " r "), ("ing ", "in ")]
KEYS = {a: b for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for a, b in zip(row, row[1:])}


def lower(text):
    return text[:1].lower() + text[1:] if not text[:2].isupper() else text


def typo(text, r):
    if r.random() < 0.2:
        fitting = [(a, b) for a, b in SHORT if a in f" {text} "]
        if fitting:
            a, b = r.choice(fitting)
            return f" {text} ".replace(a, b, 1).strip()
    words = text.split(" ")
    places = [i for i, w in enumerate(words) if len(w) >= 4 and w.isalpha()]
    if not places:
        return text
    i = r.choice(places)
    w, p = words[i], 0
    p = r.randint(1, len(w) - 2)
    words[i] = r.choice([
        w[:p] + w[p + 1] + w[p] + w[p + 2 :],
        w[:p] + w[p] + w[p:],
        w[:p] + w[p + 1 :],
        w[:p] + KEYS.get(w[p], "e") + w[p + 1 :],
    ])
    return " ".join(words)


def dress(text, r, frames, rate=0.12):
    text = r.choice(frames).format(t=lower(text) if r.random() < 0.7 else text)
    if r.random() < rate:
        text = typo(text, r)
    if r.random() < 0.15:
        text = text.lower()
    if r.random() < 0.2:
        text = text.rstrip(".?!")
    return text


def null(text, r):
    text = r.choice(BEFORE) + (lower(text) if r.random() < 0.5 else text) + r.choice(AFTER)
    return typo(text, r) if r.random() < 0.08 else text


def registry(folder):
    """Triggers of a tap's capabilities and, as the published set does, phrases of its skills."""
    import tomllib

    triggers = {}
    for path in sorted(Path(folder, "capabilities").glob("*/config.toml")):
        triggers[path.parent.name] = tomllib.loads(path.read_text())["triggers"]
    skills = {}
    for path in sorted(Path(folder, "skills").glob("*/SKILL.md")):
        phrases = re.findall(r"semantic\(([^()]*(?:\([^()]*\)[^()]*)*)\)", path.read_text().split("\n---", 1)[0])
        phrases = [re.sub(r",\s*0?\.\d+$", "", p).strip() for p in phrases]
        if phrases:
            skills[path.parent.name] = phrases
    return triggers, skills
