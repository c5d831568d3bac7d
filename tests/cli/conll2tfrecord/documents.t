#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole documents as records, and columns of them back.
# Not under thread: the threads are those of cli/bert-train/tagging
. "$TEST_TOP/tests/lib/lib.sh"
printf '%s\n' 'a I-X' 'b O' '' 'c I-X' '' '-DOCSTART- O' '' '' 'd O' '' '' 'e I-Y' 'f I-Y' '' '-DOCSTART- O' >doc.txt
json() { conll2tfrecord -q "$@" | tfrecord-cat -q --json; }
works 'documents' conll2tfrecord --documents -o doc.rec doc.txt
is "$(tail -n 1 err)" 'conll2tfrecord: 4 sentences in 2 documents, 6 words' 'both are counted'
is "$(tfrecord-cat -q --json doc.rec)" '{"id": "0", "lines": ["a I-X", "b O", "", "c I-X"], "tags": ["I-X", "O", "I-X"], "words": ["a", "b", "c"]}
{"doc": "-DOCSTART- O", "id": "2", "lines": ["d O", "", "e I-Y", "f I-Y"], "tags": ["O", "I-Y", "I-Y"], "words": ["d", "e", "f"]}' \
	'the words of all sentences, with the id of the first'
is "$(json --documents --scheme iob1:iobes doc.txt | grep -o '"tags.*\]')" '"tags": ["S-X", "O", "S-X"], "words": ["a", "b", "c"]
"tags": ["O", "B-Y", "E-Y"], "words": ["d", "e", "f"]' 'a scheme goes by sentences'
printf '%s\n' 'a I-X' '' 'b I-X' '-DOCSTART- O' >two.txt
is "$(json --documents --scheme iob1:iobes two.txt | grep -o '"tags[^]]*\]')" \
	'"tags": ["S-X", "S-X"]' 'which end an entity'
printf '# newdoc\n1\ta\tO\n\n1\tb\tO\n\n# newdoc\n1\tc\tO\n\n' >doc.conllu
is "$(json -w 2 --documents doc.conllu | sed 's/.*"words": //')" '["a", "b"]}
"c"}' 'of CoNLL-U'

vocab=$TEST_TOP/pipelines/data/vocab.txt
bert-tokenize -q -m "$vocab" -o tokens.rec doc.rec
works 'are learned' bert-train -q --init-config tiny --tokenizer "$vocab" --task tagging --steps 2 -o m tokens.rec
works 'and predicted' sh -c 'bert-predict -q -m m tokens.rec >columns.txt'
is "$(cut -d ' ' -f 1 columns.txt)" "$(printf '%s\n' a b '' c '' -DOCSTART- '' d '' e f)" \
	'as sentences, as they were'
bert-tokenize -q -m "$vocab" --max-length 4 --stride 1 -o windows.rec doc.rec
works 'in windows' sh -c 'bert-predict -q -m m windows.rec >columns.txt'
is "$(cut -d ' ' -f 1 columns.txt)" "$(printf '%s\n' a b '' c '' -DOCSTART- '' d '' e f)" \
	'likewise'
works 'with context' sh -c 'conll2tfrecord -q --context 4 doc.txt | bert-tokenize -q -m m | bert-predict -q -m m >context.txt'
is "$(cut -d ' ' -f 1 context.txt)" "$(cut -d ' ' -f 1 columns.txt)" 'the same words'

printf 'a O\n\nb O\n' >none.txt
declines 1 "*'none.txt': line 3: no line until here begins a document, as -DOCSTART- or '# newdoc' would" \
	'a file without documents' conll2tfrecord --documents -o none.rec doc.txt none.txt
echo '{"tokens": ["a"], "tags": ["O"]}' >a.jsonl
declines 1 '*a.jsonl*: line 1: does not say where a document begins, as columns can' 'objects' \
	conll2tfrecord --documents -o none.rec a.jsonl
[ ! -e none.rec ]
result $? 'nothing is written then'
declines 2 '*--documents makes no sense with --context, --sentence, *' 'context of documents' \
	conll2tfrecord --documents --context 1 doc.txt
finish
