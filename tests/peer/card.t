#!/bin/sh
# SPDX-License-Identifier: MIT
# Model cards of bert-train as huggingface_hub reads them: what it takes for results
# is what the history says, to the last digit.
# Not under thread: the threads are those of cli/bert-train/card
# Not under address: cli/bert-train/card is run there
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"

peer_or_end 'huggingface_hub' huggingface_hub
cat >read.py <<'END'
import json, os, sys
from huggingface_hub import ModelCard

path, task, library = sys.argv[1:4]
data = ModelCard.load(os.path.join(path, "README.md")).data
assert data.pipeline_tag == task, data.pipeline_tag
assert data.library_name == library, data.library_name
assert data.tags == ["bertutils", "bert"], data.tags
lines = [json.loads(l) for l in open(os.path.join(path, "history.jsonl"))]
best = ([l for l in lines if l.get("best")] or [{}])[-1]
wanted = {k[5:]: v for k, v in best.items() if k.startswith("eval_") and v is not None}
wanted.pop("quadratic_weighted_kappa", None)  # these labels are names
got = {r.metric_type: r.metric_value for r in data.eval_results or []}
assert got == wanted, (got, wanted)
assert all(isinstance(v, (int, float)) for v in got.values()), got
if wanted:
    assert data.model_name == os.path.basename(path), data.model_name
    assert {r.task_type for r in data.eval_results} == {task}
    assert set(data.metrics) <= set(wanted), data.metrics
    names = {r.dataset_name for r in data.eval_results}
    assert names == {sys.argv[4]}, names
print(len(wanted) > 0)
END
# card DIR TASK LIBRARY EVALUATED DATA
card() {
	is "$("$PEER_PYTHON" read.py "$1" "$2" "$3" "${5-}" 2>why.python)" "$4" "$1: $2"
	[ ! -s why.python ] || sed 's/^/# /' why.python
}
small_data
small_train classes -q --eval dev.rec --epochs 2
card classes text-classification transformers True dev.rec
small_train none -q
card none text-classification transformers False
cp dev.rec "a \"b\": 'c' #d.rec"
small_train "it's: {x}" -q --eval "a \"b\": 'c' #d.rec"
card "it's: {x}" text-classification transformers True "a \"b\": 'c' #d.rec"
# values that YAML could take for texts
small_train sure -q --eval dev.rec --epochs 40
card sure text-classification transformers True dev.rec
small_train masked -q --task masked-lm --eval-share 0.2
card masked fill-mask transformers True 'a share of 0.2 of the training data'
small_train head -q --head 'first, dense 8 relu, dense 4' --eval dev.rec
card head text-classification bertutils True dev.rec
for f in train dev; do
	csv2tfrecord -q -i id -t text --pair intent $f.csv |
		bert-tokenize -q -m vocab.txt --apart -o $f.pairs.rec
done
cp train.rec train.classes
cp train.pairs.rec train.rec
small_train pairs -q --task embedding --eval dev.pairs.rec
card pairs sentence-similarity sentence-transformers True dev.pairs.rec
finish
