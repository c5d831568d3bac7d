#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat --stats.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

cat >a.jsonl <<'E'
{"text_a": "", "label": "b"}
{"text_a": "a", "label": "a"}
{"text_a": "ab", "text_b": "c", "label": "b"}
{"text_a": "abcd"}
{"text_a": "é\n", "label": "new\nline"}
{"input_ids": [1, 2, 3, 0], "input_mask": [1, 1, 1, 0], "label_ids": 7}
{"input_ids": [1, 2, 3, 4]}
E
tfrecord-cat -q --from-json -o a.rec a.jsonl
works '--stats' tfrecord-cat --stats a.rec
cat >wanted <<E
records: 7, bytes: $(wc -c <a.rec)

labels: 4, records without one: 2
         2  b
         1  7
         1  a
         1  new\\x0aline

texts: 11 bytes in all, mean 2.2, least 0, most 4 (record 4), empty 1
         1  0
         1  1
         2  2-3
         1  4-7

tokens: 7 tokens in all, mean 3.5, least 3, most 4 (record 7), empty 0
         1  2-3
         1  4-7
E
same out wanted 'what it prints'
is "$(cat err)" '' 'and nothing else'
is "$(tfrecord-cat --stats --where label=a a.rec | head -n 1)" \
	'records: 1, bytes: 51' 'of what is chosen'
is "$(tfrecord-cat --stats </dev/null)" 'records: 0, bytes: 0' 'of nothing'
printf '{"text_a": "x", "label": ["a", "b"]}' | tfrecord-cat -q --from-json -o two.rec
like "$(tfrecord-cat --stats two.rec)" '*labels: 2, records without one: 0*1  a*1  b*' \
	'two labels of one record'
# words and questions, each in two windows, too
cat >words.jsonl <<'E'
{"words": ["a", "b", "c"], "tags": ["O", "X", "O"], "input_ids": [1, 2], "window": 0}
{"words": ["a", "b", "c"], "tags": ["O", "X", "O"], "input_ids": [3], "window": 1}
{"words": ["d"], "input_ids": [3]}
E
is "$(tfrecord-cat -q --from-json words.jsonl | tfrecord-cat --stats | sed 1d)" '
tags: 2, records without one: 1
         2  O
         1  X

words: 4 words in all, mean 2.0, least 1, most 3 (record 1), empty 0
         1  1
         1  2-3

tokens: 4 tokens in all, mean 1.3, least 1, most 2 (record 1), empty 0
         2  1
         1  2-3' 'words'
cat >questions.jsonl <<'E'
{"question": "a?", "context": "b", "answers": "b", "answer_starts": 0, "input_ids": [1], "window": 0}
{"question": "a?", "context": "b", "answers": "b", "answer_starts": 0, "input_ids": [1], "window": 1}
{"question": "c?", "context": "d", "answers": {"bytes": []}, "answer_starts": {"int64": []}}
{"question": "c?", "context": "d"}
E
like "$(tfrecord-cat -q --from-json questions.jsonl | tfrecord-cat --stats)" '*
questions: 3, answered: 1, without an answer: 1

texts: 9 bytes in all, mean 3.0, least 3, most 3 (record 1), empty 0
         3  2-3
*' 'questions'
head -c 100 a.rec >cut.rec
refuses "*'cut.rec': record 2: ends inside*" 'a cut' tfrecord-cat --stats cut.rec
if cp "$SHARED/tf/bert_tiny_mrpc/mrpc_output/eval.tf_record" mrpc.rec 2>err; then
	like "$(tfrecord-cat --stats mrpc.rec)" "*
labels: 2, records without one: 0
       279  1
       129  0
*" 'MRPC'
else
	skip 'MRPC' 'no published records'
fi
tfrecord-cat --stats a.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
finish
