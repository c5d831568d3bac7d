#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-eval --label-issues finds what cleanlab finds in random probabilities, in its order.
# Not under thread: compares numbers; cli/bert-eval/report has the threads
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'label issues by cleanlab' cleanlab
cp "$TEST_TOP/pipelines/data/vocab.txt" .
# SET.csv: the records; SET.p.csv: probabilities; SET.want: the ids of the issues. A set is a
# number of classes, of records, how sure the model is, and the share of wrong labels.
"$PEER_PYTHON" - <<'END'
import numpy
from cleanlab.filter import find_label_issues

random = numpy.random.default_rng(5)
for number, (classes, records, sure, wrong) in enumerate([
        (2, 40, 1, .2), (2, 300, 3, .05), (3, 25, .5, .5), (4, 200, 2, .1), (5, 400, 1, .3),
        (7, 150, 0, .9), (9, 600, 2, .2), (12, 100, 4, 0), (3, 3, 1, .5), (20, 500, 1, .4)]):
    truth = random.integers(classes, size=records)
    truth[:classes] = numpy.arange(classes)[:records] # each class is seen
    logits = random.normal(size=(records, classes))
    logits[numpy.arange(records), truth] += sure
    p = numpy.exp(logits)
    p = numpy.round(p / p.sum(1, keepdims=True), 7)
    labels = numpy.where(random.random(records) < wrong,
                         random.integers(classes, size=records), truth)
    labels[:classes] = truth[:classes]
    name = "set%d" % number
    with open(name + ".csv", "w") as out:
        print("id,text,label", *("r%d,some text,c%02d" % (i, c) for i, c in enumerate(labels)),
              sep="\n", file=out)
    with open(name + ".p.csv", "w") as out:
        print("id," + ",".join("c%02d" % c for c in range(classes)), file=out)
        for i in range(records):
            print("r%d,%s" % (i, ",".join("%.7f" % x for x in p[i])), file=out)
    found = find_label_issues(labels, p, filter_by="confident_learning",
                              return_indices_ranked_by="self_confidence")
    with open(name + ".want", "w") as out:
        print(*("r%d" % i for i in found), sep="\n", file=out)
END
for want in *.want; do
	set=${want%.want}
	csv2tfrecord -q -i id -t text -l label "$set.csv" | bert-tokenize -q -m vocab.txt -o r.rec
	bert-eval -q --predictions "$set.p.csv" --label-issues issues.csv -o report r.rec
	sed 1d issues.csv | cut -d, -f1 >got
	[ -s got ] || echo >got # none are an empty line there
	same got "$want" "$set: $(grep -c . got) of $(($(grep -c . "$set.csv") - 1)) labels"
done
finish
