#!/bin/sh
# SPDX-License-Identifier: MIT
# Records of questions are the features that transformers' run_qa example makes.
# Not under thread: starts no threads beyond those of cli/bert-tokenize/questions
# Not under address: compares numbers; cli/bert-tokenize/questions runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'questions by transformers'
agrees() { # NAME TOKENIZER LENGTH STRIDE
	bert-tokenize -q -m "$2" --max-length $3 --stride $4 --max-question 1000 $1.text | tfrecord-cat -q --json >$1.json
	tfrecord-cat -q --json $1.text >$1.text.json
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/questions.py" "$2" $3 $4 $1.text.json $1.json >compared 2>err ||
		result 1 "$1: $(tail -n 1 err)"
	outcomes compared "$1, $3, $4: "
}
# blanks, marks, one character that is several tokens, answers at either end, none
cat >own.jsonl <<'END'
{"id": "1", "question": "  Who reads the books?", "context": "Zoë Keller's library, opened in 1987, has 6½ floors — 中文 books are on the 2nd.", "answers": [{"text": "Zoë Keller", "answer_start": 0}]}
{"id": "2", "question": "How many?", "context": "Zoë Keller's library, opened in 1987, has 6½ floors — 中文 books are on the 2nd.", "answers": [{"text": "½", "answer_start": 43}]}
{"id": "3", "question": "\tWhat?", "context": "  e\u0301t\u00e9   \n\n books…", "answers": [{"text": "books…", "answer_start": 12}]}
{"id": "4", "question": "Which?", "context": "Zoë Keller's library, opened in 1987, has 6½ floors — 中文 books are on the 2nd.", "answers": [{"text": "中文", "answer_start": 54}, {"text": "文", "answer_start": 55}]}
{"id": "5", "question": "Why not?", "context": "a b", "answers": []}
END
works 'questions of our own' squad2tfrecord -q -o own.text own.jsonl
mkdir bert roberta
cp "$TEST_TOP/pipelines/data/vocab.txt" bert
echo '{"do_lower_case": true, "tokenizer_class": "BertTokenizer"}' >bert/tokenizer_config.json
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" roberta
agrees own bert 384 128
agrees own bert 32 5
agrees own bert 29 12
agrees own roberta 384 128
agrees own roberta 60 20

# all questions of XQuAD, where they are
if [ -z "${MINILM-}" ] || [ ! -d "$SHARED/xquad" ]; then
	skip 'XQuAD by transformers' 'MINILM is not set, or there are no shared data'
	finish
fi
for l in en zh ar; do
	squad2tfrecord -q "$SHARED/xquad/xquad.$l.json" >$l.text
done
agrees en "$MINILM" 384 128
agrees en "$MINILM" 96 32
agrees zh "$MINILM" 200 50
agrees ar "$MINILM" 450 128
agrees en "$SHARED/vocab/roberta-base" 90 20
agrees zh "$SHARED/vocab/roberta-base" 384 128
finish
