#!/usr/bin/env bash
# From the base in a package to the int8 graph: environment, training, export, scores, parity vectors.
#   run.sh WORK_FOLDER [SHARED_FOLDER]
# WORK_FOLDER gets everything that is made; nothing here is overwritten. SHARED_FOLDER holds data/tap and
# data/routing/dev.jsonl, which are only measured on. Two cores: about two hours and a half.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
shared=${2:+$(cd "$2" && pwd)}

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    # torch alone: what else its package names is for graphics cards.
    "$work/venv/bin/pip" install -q --no-deps $(grep '^torch==' "$here/requirements.txt")
    "$work/venv/bin/pip" install -q filelock typing_extensions sympy networkx jinja2 fsspec
    grep -v '^torch==' "$here/requirements.txt" | "$work/venv/bin/pip" install -q -r /dev/stdin
fi
python=$work/venv/bin/python
base=$work/base
if [ ! -f "$base/model.safetensors" ]; then
    "$python" - "$base" <<'PY'
import pathlib, sys, zipfile
import all_minilm_l6_v2
zipfile.ZipFile(pathlib.Path(all_minilm_l6_v2.__file__).with_name("model.zip")).extractall(sys.argv[1])
PY
fi
echo "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  $base/model.safetensors" | sha256sum -c -

cd "$here"
"$python" train.py --base "$base" --out "$work/all" ${shared:+--shared "$shared"} --twins 1 --minutes 90 --threads 2
"$python" train.py --base "$base" --out "$work/tuned" ${shared:+--shared "$shared" --registry "$shared/data/tap"} \
    --twins 1 --init "$work/all/model.safetensors" --share 0.9 --minutes 15 --threads 2
"$python" export.py --weights "$work/tuned/model.safetensors" --base "$base" --out "$work/model" --slope 0.65
"$python" score.py "$work/model" --sets eval ${shared:+--shared "$shared"}
"$python" parity.py "$work/model" data "$work/model/parity.json"
echo "made in $work/model: model.onnx, tokenizer.json, parity.json"
