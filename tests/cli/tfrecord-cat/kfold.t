#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat --kfold: the folds of scikit-learn.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

ids() { tfrecord-cat -q --json "$@" | sed 's/{"id": \([0-9]*\).*/\1/' | paste -sd ' '; }

perl -e 'print qq({"id": $_, "label": "@{[$_ % 3 ? "a" : "b"]}"}\n) for 0 .. 10' |
	tfrecord-cat -q --from-json -o a.rec
works '--kfold' tfrecord-cat --kfold 3 -o f a.rec
is "$(cat err)" 'tfrecord-cat: 11 records in 3 folds' 'each record counts once'
for k in 1 2 3; do
	ids f-test-$k
done >got
# KFold(3, shuffle=True, random_state=42).split(range(11))
printf '%s\n' '0 5 9 10' \
	'1 2 4 8' \
	'3 6 7' >wanted
same got wanted 'as scikit-learn'
is "$(ids f-train-1 f-test-1 | tr ' ' '\n' | sort -n | paste -sd ' ')" \
	'0 1 2 3 4 5 6 7 8 9 10' 'training and test together are all'
tfrecord-cat -q --kfold 3 --seed 7 --stratify label -o s a.rec
for k in 1 2 3; do
	ids s-test-$k
done >got
# StratifiedKFold(3, shuffle=True, random_state=7)
printf '%s\n' '2 3 4 6' \
	'0 1 5 8' \
	'7 9 10' >wanted
same got wanted 'stratified'
tfrecord-cat --kfold 5 --stratify label -o rare a.rec 2>err
is "$(cat err)" "tfrecord-cat: warning: 1 value of 'label' has fewer records than there are folds: not every fold tests it
tfrecord-cat: 11 records in 5 folds" 'a class smaller than the folds'
refuses '*12 folds need as many records' 'too few records' \
	tfrecord-cat --kfold 12 -o no a.rec
refuses '*8 folds need as many records of some value' 'too few of each' \
	tfrecord-cat --kfold 8 --stratify label -o no a.rec
refuses '*2 folds need as many records' 'none' tfrecord-cat --kfold 2 -o no /dev/null
head -c 100 a.rec >cut.rec
refuses '*ends inside a record*' 'a cut stream' tfrecord-cat --kfold 2 -o no cut.rec
is "$(echo no*)" 'no*' 'and nothing appears'
for o in '--kfold 2' '--kfold 1 -o no' '--kfold 251 -o no' \
	'--kfold 2 --shard 2 -o no' '--kfold 2 --split a=1' \
	'--kfold 2 --seed 4294967296 -o no' '--kfold 2 --count'; do
	# shellcheck disable=SC2086
	exits 2 "makes no sense: $o" tfrecord-cat $o a.rec
done

if ! "${PEER_PYTHON:-false}" -c "import sklearn" 2>/dev/null; then
	skip 'random cases equal to scikit-learn' 'PEER_PYTHON names no Python that has it'
elif compares 'random cases equal to scikit-learn'; then
	"$PEER_PYTHON" - >why 2>&1 <<'E'
import json, random, subprocess
from sklearn.model_selection import KFold, StratifiedKFold
random.seed(1)
def ids(f):
    out = subprocess.run(["tfrecord-cat", "-q", "--json", f],
                         stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(l)["id"] for l in out.splitlines()]
for case in range(40):
    n, k, seed = random.randint(30, 700), random.randint(2, 9), random.randint(0, 2**32 - 1)
    y = [random.choice("aaaabbc") for i in range(n)]
    with open("p.jsonl", "w") as f:
        for i in range(n):
            f.write('{"id": %d, "label": "%s"}\n' % (i, y[i]))
    strat = case % 2
    make = (StratifiedKFold if strat else KFold)(k, shuffle=True, random_state=seed)
    subprocess.run(["tfrecord-cat", "-q", "--from-json", "--kfold", str(k), "--seed", str(seed),
                    "-o", "p"] + ["--stratify", "label"] * strat + ["p.jsonl"], check=True)
    for i, (train, test) in enumerate(make.split(range(n), y)):
        assert ids(f"p-train-{i+1}") == list(train), (case, i)
        assert ids(f"p-test-{i+1}") == list(test), (case, i)
E
	result $? 'random cases equal to scikit-learn'
fi
finish
