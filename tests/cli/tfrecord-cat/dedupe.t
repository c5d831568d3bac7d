#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: --dedupe and --leak.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

make() { tfrecord-cat -q --from-json -o "$1"; }

make a.rec <<'E'
{"id": "1", "text_a": "x"}
{"id": "2", "text_a": "y"}
{"id": "3", "text_a": "x", "label": "l"}
{"id": "4", "text_a": ""}
{"id": "5", "text_b": "x"}
{"id": "6", "text_a": ""}
{"id": "7", "text_b": "x"}
E
tfrecord-cat --dedupe text_a -o b.rec a.rec 2>err
is "$? $(cat err)" '0 tfrecord-cat: 5 records; 2 dropped as duplicates' '--dedupe'
is "$(tfrecord-cat -q --json b.rec | cut -c 9 | paste -sd ' ')" '1 2 4 5 7' \
	'the first ones and those without the field'
is "$(tfrecord-cat --count --dedupe text_a a.rec a.rec)" 7 'over several files'
is "$(tfrecord-cat -q --json --dedupe text_a --tail 3 a.rec | cut -c 9 |
	paste -sd ' ')" '4 5 7' 'before --tail'
is "$(tfrecord-cat --count --dedupe text_a --where text_a=x a.rec)" 1 \
	'after --where'
is "$(tfrecord-cat --count --dedupe nosuch </dev/null)" 0 'of nothing'
refuses "tfrecord-cat: no record has the feature 'nosuch'" 'no such feature' \
	tfrecord-cat --dedupe nosuch -o no.rec a.rec
[ ! -e no.rec ]
result $? 'and nothing appears'

make other.rec <<'E'
{"id": "1", "text_a": "x", "label": "l"}
{"id": "2", "text_a": "x", "label": "l"}
{"id": "3", "text_a": "x"}
{"id": "4", "text_a": "z"}
{"id": "5", "text_a": "z", "label": "l"}
{"id": "6", "text_a": "p", "text_b": "q", "label": "l"}
{"id": "7", "text_a": "p", "text_b": "r", "label": "m"}
E
works 'equal labels' tfrecord-cat --dedupe text_a -o b.rec other.rec
is "$(cat err)" 'tfrecord-cat: 3 records; 4 dropped as duplicates' 'or none are dropped without a word'
make another.rec <<'E'
{"id": "8", "text_a": "x", "label": "m"}
{"id": "9", "text_a": "x", "label": "m"}
E
works 'other labels' tfrecord-cat --dedupe text_a -o b.rec other.rec another.rec
is "$(cat err)" "tfrecord-cat: warning: 2 dropped records have another label than the record kept with the same text_a, as record 8
tfrecord-cat: 3 records; 6 dropped as duplicates" 'are warned of'
make several.rec <<'E'
{"id": "1", "text_a": "p", "text_b": "q", "label": "l", "user": "u"}
{"id": "2", "text_a": "r", "text_b": "q", "label": "m", "user": "u"}
{"id": "3", "text_a": "p", "text_b": "s", "label": "m", "user": "v"}
E
for field in text_a text_b user; do
	works "$field" tfrecord-cat --dedupe $field -o b.rec several.rec
	is "$(cat err)" 'tfrecord-cat: 2 records; 1 dropped as duplicates' 'contradicts nothing'
done
make orders.rec <<'E'
{"text_a": "y", "label": ["l", "m"]}
{"text_a": "y", "label": ["m", "l"]}
E
works 'labels in another order' tfrecord-cat --dedupe text_a -o b.rec orders.rec
is "$(cat err)" 'tfrecord-cat: 1 record; 1 dropped as duplicates' 'are the same'
make numbers.rec <<'E'
{"id": "1", "input_ids": [2, 3], "label_ids": [0]}
{"id": "1", "input_ids": [2, 4], "label_ids": [1]}
E
works 'numbers of labels' tfrecord-cat --dedupe id -o b.rec numbers.rec
like "$(cat err)" '*warning: 1 dropped record has another label than the record kept with the same id, as record 2*' 'likewise'

make train.rec <<'E'
{"text_a": "one"}
{"text_a": "a", "text_b": "bc"}
{"text_a": "tab\tline\nend\r"}
{"text_a": ""}
E
make test.rec <<'E'
{"text_a": "two"}
{"text_a": "ab", "text_b": "c"}
{"text_a": "tab\tline\nend\r"}
{"text_a": "One"}
E
make test2.rec <<'E'
{"text_a": "one"}
{"text_a": "a", "text_b": "bc"}
E
tfrecord-cat --leak train.rec test.rec test2.rec >out 2>err
is "$? $(cat err)" "1 tfrecord-cat: 3 of 6 records in 'train.rec', too" '--leak'
printf 'test.rec:3\ttab\\tline\\nend\\r\ntest2.rec:1\tone\ntest2.rec:2\ta\tbc\n' >wanted
same out wanted 'what it prints'
tfrecord-cat -q --leak train.rec <test2.rec >out
is "$? $(head -n 1 out)" "1 standard input:1	one" 'standard input'
tfrecord-cat --leak train.rec --head 2 test.rec >out 2>err
is "$? $(cat out err)" "0 tfrecord-cat: 0 of 2 records in 'train.rec', too" \
	'nothing found'
tfrecord-cat -q --leak train.rec </dev/null
is $? 0 'of nothing'
: >none.rec
tfrecord-cat -q --leak none.rec train.rec
is $? 0 'in nothing'
head -c 60 train.rec >cut.rec
exits 2 'a cut OTHER is trouble' tfrecord-cat --leak cut.rec test.rec
like "$(cat err)" "*'cut.rec': record 2: ends inside*" 'and told'
exits 2 'so is a cut input' tfrecord-cat --leak train.rec cut.rec
misuses "*standard input is given 2 times*" 'one stream cannot be both' \
	tfrecord-cat --leak - -
exits 2 'no OTHER' tfrecord-cat --leak nosuch test.rec
make tokens.rec <<'E'
{"input_ids": [1, 2]}
E
make tokens2.rec <<'E'
{"input_ids": [1, 2, 3]}
{"input_ids": [1, 2]}
{"input_ids": [1, 2], "segment_ids": [0, 1], "input_mask": [1, 1]}
E
tfrecord-cat --leak tokens.rec tokens2.rec >out 2>err
is "$? $(cat out err)" "1 tokens2.rec:2	1 2
tfrecord-cat: 1 of 3 records in 'tokens.rec', too" 'token records are compared by their ids'
exits 2 'texts and tokens' tfrecord-cat --leak tokens.rec test.rec
exits 2 'token records' tfrecord-cat --leak train.rec tokens.rec
like "$(cat err)" "*'tokens.rec': record 1: holds tokens*" 'have no texts'
tfrecord-cat -q --leak train.rec test2.rec >/dev/full 2>err
is "$? $(cat err)" '2 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
for o in --count '--tail 1' --shuffle --json; do
	# shellcheck disable=SC2086
	exits 2 "makes no sense: --leak $o" tfrecord-cat --leak train.rec $o a.rec
done
finish
