#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat --split: the parts of scikit-learn's train_test_split.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

ids() { tfrecord-cat -q --json "$@" | sed 's/{"id": \([0-9]*\).*/\1/' | paste -sd ' '; }

perl -e 'print qq({"id": $_, "label": "@{[$_ % 3 ? "a" : "b"]}"}\n) for 0 .. 19' |
	tfrecord-cat -q --from-json -o a.rec
# train_test_split(range(20), test_size=.25, random_state=42)
works '--split' tfrecord-cat --split train=.75,test=.25 -o p a.rec
is "$(ids p-test)" '0 1 8 15 17' 'the test part as scikit-learn, in the order of the input'
is "$(ids p-train)" '2 3 4 5 6 7 9 10 11 12 13 14 16 18 19' 'and the training part'
tfrecord-cat -q --split train=.75,test=.25 --shuffle -o p a.rec
is "$(ids p-test)" '0 17 15 1 8' '--shuffle: its order'
is "$(ids p-train)" '5 11 3 18 16 13 2 9 19 4 12 7 10 14 6' 'of both parts'
tfrecord-cat -q --split train=.75,test=.25 --shuffle --stratify label --seed 7 -o p a.rec
is "$(ids p-test)" '0 6 7 14 10' '--stratify'
is "$(ids p-train)" '1 4 12 16 9 15 5 13 17 2 8 19 3 11 18' 'the training part'

# ceil(share * n) as a double: 100 * .07 is more than 7
perl -e 'print qq({"id": $_}\n) for 1 .. 100' | tfrecord-cat -q --from-json -o b.rec
for case in .07:8 .14:15 .28:29 .55:56 .1:10; do
	share=${case%:*}
	tfrecord-cat -q --split "a=$(echo "$share" | awk "{ print 1 - \$1 }"),b=$share" -o n b.rec
	is "$(tfrecord-cat --count n-b)" "${case#*:}" "$share of 100"
done
tfrecord-cat -q --split a=.5,b=.3,c=.2 -o n b.rec
for k in a b c; do tfrecord-cat --count n-$k; done >got
is "$(paste -sd ' ' got)" '50 30 20' 'three parts'
is "$(ids n-a n-b n-c | tr ' ' '\n' | sort -n | paste -sd ' ')" \
	"$(seq 100 | paste -sd ' ')" 'each record in one of them'
works 'the parts are told' tfrecord-cat --split a=.9,b=.1 -o n b.rec
is "$(cat err)" "tfrecord-cat: 90 records in 'n-a'
tfrecord-cat: 10 records in 'n-b'
tfrecord-cat: 100 records" 'with their records'
tfrecord-cat -q --split a=0,b=1 -o n b.rec
is "$(tfrecord-cat --count n-a) $(tfrecord-cat --count n-b)" '0 100' 'a share of 0'
tfrecord-cat -q --split a=.5,b=.5 -o n /dev/null
is "$(cat n-a n-b | wc -c)" 0 'of nothing'
refuses "*1 record leaves none for part 'a'" 'too few records' \
	tfrecord-cat -q --head 1 --split a=.9,b=.1 -o no b.rec
exits 2 'a seed of numpy' tfrecord-cat --split a=.9,b=.1 --seed 4294967296 -o no b.rec
is "$(echo no*)" 'no*' 'and nothing appears'

# classes that scikit-learn refuses: one of a kind
perl -e 'print qq({"id": $_, "label": "@{[$_ ? $_ % 2 : "rare"]}"}\n) for 0 .. 9' |
	tfrecord-cat -q --from-json -o r.rec
works 'a class of one record' tfrecord-cat --split a=.5,b=.5 --stratify label -o r r.rec
is "$(head -n 1 err)" "tfrecord-cat: warning: 1 value of 'label' has fewer records than there are parts: not every part has it" 'is warned of'
is "$(ids r-a r-b | tr ' ' '\n' | sort -n | paste -sd ' ')" '0 1 2 3 4 5 6 7 8 9' \
	'no record is lost'

if ! "${PEER_PYTHON:-false}" -c "import sklearn" 2>/dev/null; then
	skip 'random cases equal to scikit-learn' 'PEER_PYTHON names no Python that has it'
elif compares 'random cases equal to scikit-learn'; then
	cat >peer.py <<'E'
import json, random, subprocess
from sklearn.model_selection import train_test_split
random.seed(1)
def ids(f):
    out = subprocess.run(["tfrecord-cat", "-q", "--json", f],
                         stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(l)["id"] for l in out.splitlines()]
kinds = [list("aaaabbc"), ["10", "9", "9", "-1", "100"], [7, 30, 30, 200, 1000],
         ["é", "z", "Z", "Z", "ab", "abc"], [str(i) for i in range(12)] * 2 + ["x"]]
done = {}
for case in range(160):
    n, seed = random.choice([2, 3, 10, 11, 97, 100, 299, 700]), random.randint(0, 2**32 - 1)
    share = random.choice([.1, .07, .14, .28, .55, .5, 1 / 3, .9, .25, .02])
    kind = random.choice(kinds)
    y = [random.choice(kind) for i in range(n)]
    strat, order, three = case % 2, case // 2 % 2, case % 5 == 0
    # what a table's reader makes of such labels
    key = [int(v) if all(str(w).lstrip("-").isdigit() for w in y) else v for v in y]
    with open("p.jsonl", "w") as f:
        for i in range(n):
            f.write(json.dumps({"id": i, "label": y[i]}, ensure_ascii=False) + "\n")
    shares = [.6 * (1 - share), 1 - share - .6 * (1 - share), share] if three else [1 - share, share]
    try:
        def split(rows, part):
            return train_test_split(rows, test_size=part, random_state=seed,
                                    stratify=[key[i] for i in rows] if strat else None)
        parts = split(list(range(n)), share)
        if three:
            parts = split(parts[0], shares[1] / (shares[0] + shares[1])) + parts[1:]
    except ValueError:
        continue
    done[strat, order, three] = done.get((strat, order, three), 0) + 1
    names = ["a", "b", "c"][:len(shares)]
    subprocess.run(["tfrecord-cat", "-q", "--from-json", "--seed", str(seed), "-o", "p", "--split",
                    ",".join("%s=%r" % (a, s) for a, s in zip(names, shares))] +
                   ["--stratify", "label"] * strat + ["--shuffle"] * order + ["p.jsonl"], check=True)
    for name, part in zip(names, parts):
        assert ids("p-" + name) == (part if order else sorted(part)), (case, n, shares, seed, kind)
assert len(done) == 8 and min(done.values()) > 3, done
E
	"$PEER_PYTHON" peer.py >why 2>&1
	result $? 'random cases equal to scikit-learn'
fi
finish
