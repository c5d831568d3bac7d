#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: records as JSON Lines and back.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"

# there and back: JSON that is written as we write it comes back as it was
cat >all.jsonl <<'E'
{"text": "plain", "int": 7, "float": 1.5}
{"ints": [1, -1, 9223372036854775807, -9223372036854775808, 0]}
{"floats": [0.1, -0.0, 1e-45, 3.4028235e+38, 100.0, 1e+20]}
{"texts": ["", "a\"b\\c\n\t\r\b\f", "\u0000\u0001\u001f", "é 漢 😀"]}
{"binary": {"base64": "/w=="}, "mixed": ["a", {"base64": "//8="}, {"base64": "AP+A"}]}
{"b": {"bytes": []}, "f": {"float": []}, "i": {"int64": []}, "n": null}
{"inf": {"float": "AACAfwAAgP8AAMB/AQCgfw=="}}
{"": "", "a=b": 1, "\"": 2, "z": 3, "a": 4}
{}
E
works '--from-json' tfrecord-cat --from-json -o all.rec all.jsonl
is "$(cat out err)" 'tfrecord-cat: 9 records' 'the summary'
tfrecord-cat -q --json all.rec >back.jsonl 2>err
same back.jsonl all.jsonl '--json'
tfrecord-cat -q --from-json back.jsonl | cmp - all.rec
result $? 'and back to the same bytes'
printf '\n{"a":1}\r\n  \n{ "a" : 2 }' >odd.jsonl
is "$(tfrecord-cat -q --from-json odd.jsonl | tfrecord-cat -q --json)" '{"a": 1}
{"a": 2}' 'blank lines, CRLF, no last line end'
is "$(printf '\357\273\277{"a": 1}\n' | tfrecord-cat -q --from-json --json)" '{"a": 1}' \
	'... a byte order mark'
is "$(tfrecord-cat -q --from-json --json --where a=2 odd.jsonl odd.jsonl)" '{"a": 2}
{"a": 2}' 'both at once, several files'
is "$(tfrecord-cat -q --from-json </dev/null | wc -c)" 0 'nothing'
is "$(tfrecord-cat -q --json </dev/null | wc -c)" 0 'of nothing'

# the tools' own records
D=$TEST_TOP/pipelines/data
csv2tfrecord -q -i id -t text -l intent -o text.rec "$D/library-train.csv"
bert-tokenize -q -m "$D/vocab.txt" -o token.rec text.rec
for f in text token; do
	tfrecord-cat -q --json $f.rec >$f.jsonl
	is "$(wc -l <$f.jsonl)" "$(tfrecord-cat --count $f.rec)" \
		"$f records: a line each"
	tfrecord-cat -q --from-json $f.jsonl | cmp - $f.rec
	result $? 'and back to the same bytes'
done
perl -MJSON::PP -e 'while (<>) { decode_json($_) }' text.jsonl token.jsonl \
	all.jsonl 2>why
result $? 'a JSON parser of others takes them'
if cp "$SHARED/tf/bert_tiny_mrpc/mrpc_output/eval.tf_record" mrpc.rec 2>err; then
	tfrecord-cat -q --json mrpc.rec >mrpc.jsonl
	tfrecord-cat -q --from-json mrpc.jsonl | tfrecord-cat -q --json |
		cmp - mrpc.jsonl
	result $? "TensorFlow's records there and back"
else
	skip "TensorFlow's records there and back" 'no published records'
fi

# what is no record
bad() { # JSON GLOB
	printf '{}\n%s\n' "$1" >bad.jsonl
	refuses "tfrecord-cat: cannot read 'bad.jsonl': line 2: $2" "no record: $1" \
		tfrecord-cat --from-json -o no.rec bad.jsonl
}
bad '[]' 'is not a JSON object'
bad '{' '*(column 1)'
bad '{"a": 1, "a": 2}' '*duplicate*'
bad '{"a": true}' "member 'a': is not a string, number, list, *"
bad '{"a": {"b": 1}}' "member 'a': is not *"
bad '{"a": {"base64": "AA"}}' "member 'a': is not *"
bad '{"a": {"base64": "AB=="}}' "member 'a': is not *"
bad '{"a": {"base64": "A==="}}' "member 'a': is not *"
bad '{"a": {"float": "AAAA"}}' "member 'a': is not *"
bad '{"a": []}' "member 'a': an empty list is written *"
bad '{"a": [1, 1.5]}' "member 'a': the list mixes kinds of values"
bad '{"a": 1e39}' "member 'a': a number is too large for a float"
bad '{"a": [1.5, 1e39]}' "member 'a': a number is too large for a float"
bad '{"a": [1, null]}' "member 'a': the list holds more than strings and numbers"
bad '{"a": 9223372036854775808}' '*too big*'
bad "$(printf '{"a": "\377"}')" '*unable to decode byte 0xff*'
[ ! -e no.rec ]
result $? 'and no file appears'
refuses "*'text.jsonl' is not a TFRecord stream: it starts with text*" \
	'JSON without --from-json' tfrecord-cat text.jsonl
tfrecord-cat --json token.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
{
	tfrecord-cat --json token.rec 2>err
	echo $? >status
} | head -c 1 >/dev/null
is "$(cat status err)" 141 'a closed pipe'

# the package tfrecord of the Python in PEER_PYTHON
if "${PEER_PYTHON:-false}" -c "import tfrecord" 2>/dev/null; then
	"$PEER_PYTHON" - >why 2>&1 <<'E'
from tfrecord.writer import TFRecordWriter
w = TFRecordWriter("peer.rec")
for i in range(50):
    w.write({"t": (f"text {i}".encode(), "byte"), "n": (i, "int"),
             "f": ([i / 7, -i], "float"), "l": (list(range(i % 5)), "int")})
w.close()
E
	result $? 'the package tfrecord writes'
	tfrecord-cat -q --json --where n=4 peer.rec >got
	grep -q '"l": \[0, 1, 2, 3\]' got && grep -q '"t": "text 4"' got &&
		grep -q '"f": \[0.5714286, -4.0\]' got
	result $? 'what it wrote'
	tfrecord-cat -q --json peer.rec | tfrecord-cat -q --from-json -o peer2.rec
	"$PEER_PYTHON" - >why 2>&1 <<'E'
from tfrecord.reader import tfrecord_loader
a = list(tfrecord_loader("peer.rec", None))
b = list(tfrecord_loader("peer2.rec", None))
assert len(a) == len(b) == 50
for x, y in zip(a, b):
    assert x.keys() == y.keys()
    for k in x:
        assert bytes(x[k]) == bytes(y[k]), (k, x[k], y[k])
E
	result $? 'and reads what came back'
else
	skip 'the package tfrecord writes' 'PEER_PYTHON names no Python that has it'
fi
finish
