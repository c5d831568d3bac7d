#!/bin/sh
# SPDX-License-Identifier: MIT
# Answers to questions: the files of SQuAD, JSON Lines, CSV; and bert-eval of the model.
. "$TEST_TOP/tests/lib/lib.sh"
{
	printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' '?' the
	for i in 1 2 3 4 5 6 7 8 9; do echo "w$i"; done
} >vocab.txt
# Words of which "the" and the one behind it are the answer; every sixth question has none. Every
# fourth text has two windows, which share four words.
questions() { # SEED NUMBER LACKING(0|1)
	awk -v seed="$1" -v count="$2" -v lacking="$3" '
	function window(id, number, from, to, at, context, inside,   ids, segments, starts, ends, most, k) {
		ids = "2,5,3"
		segments = "0,0,0"
		starts = ends = "-1,-1,-1"
		most = "0,0,0"
		for (k = from; k < to; k++) {
			ids = ids "," word[k]
			segments = segments ",1"
			starts = starts "," begin[k]
			ends = ends "," begin[k] + length(name[k])
			most = most ",1"
		}
		inside = at >= from && at + 1 < to
		printf "{\"id\": \"%s\", \"input_ids\": [%s,3], \"segment_ids\": [%s,1], \"token_starts\": [%s,-1], " \
			"\"token_ends\": [%s,-1], \"max_context\": [%s,0], \"window\": %d, \"start_position\": %d, " \
			"\"end_position\": %d, \"question\": \"?\", \"context\": \"%s\", ", id, ids, segments, starts,
			ends, most, number, inside ? at - from + 3 : 0, inside ? at - from + 4 : 0, context
		if (at < 0)
			print "\"answers\": {\"bytes\": []}, \"answer_starts\": {\"int64\": []}}"
		else
			printf "\"answers\": [\"%s %s\"], \"answer_starts\": [%d]}\n", name[at], name[at + 1], begin[at]
	}
	BEGIN {
		srand(seed)
		for (i = 1; i <= count; i++) {
			words = (i % 4 == 0 ? 16 : 8) + int(rand() * 4)
			at = lacking && i % 6 == 0 ? -1 : int(rand() * (words - 1))
			context = ""
			for (k = 0; k < words; k++) {
				word[k] = k == at ? 6 : 7 + int(rand() * 9)
				name[k] = k == at ? "the" : "w" word[k] - 6
				context = context (k > 0 ? " " : "\303\251 ")
				begin[k] = length(context) - (length("\303\251") - 1)
				context = context name[k]
			}
			window("q" i, 0, 0, words < 12 ? words : 10, at, context)
			if (words >= 12)
				window("q" i, 1, 6, words, at, context)
		}
	}'
}
questions 1 1000 1 | tfrecord-cat -q --from-json -o train.rec
questions 2 60 1 | tfrecord-cat -q --from-json -o v2.rec
questions 3 60 0 | tfrecord-cat -q --from-json -o v1.rec
echo '{"model_type": "bert", "vocab_size": 16, "hidden_size": 64, "num_hidden_layers": 2,
	"num_attention_heads": 4, "intermediate_size": 128, "max_position_embeddings": 32}' >small.json
bert-train -q --init-config small.json --tokenizer vocab.txt --learning-rate 3e-3 --batch-size 16 --dropout 0 \
	--task qa --epochs 10 -o model train.rec

works 'predictions.json' bert-predict -m model -o p.json v1.rec
like "$(cat err)" '*60 questions, 0 without an answer*' 'every question gets an answer'
is "$(sed -n '1p;2s/: ".*//p;$p' p.json)" '{
    "q1"
}' 'an object, as Python writes it'
is "$(grep -c ': "the w[1-9]"' p.json)" 60 'with the answers'
works 'their scores' bert-eval -q --predictions p.json v1.rec
like "$(cat out)" '*
all               1.0000  1.0000         60' 'are full'
works 'the model' bert-eval -q -m model v1.rec
is "$(head -n 2 out)" "$(bert-eval -q --predictions p.json v1.rec)" 'is scored as its file is'
like "$(tail -n 1 out)" 'loss 0.*' 'with its loss'
bert-predict -q -m model --nbest n.json --null-odds o.json -o p2.json v2.rec
like "$(bert-eval -q --predictions p2.json --null-odds o.json v2.rec)" \
	'*no answer         1.0000  1.0000         10*all               1.0000 *best exact match 1.0000 *' 'null odds'
is "$(bert-eval -q -m model v2.rec | sed '/^loss/d' | sed '$d')" \
	"$(bert-eval -q --predictions p2.json --null-odds o.json v2.rec)" 'of the model are those of the files'
like "$(head -n 8 n.json)" '{
    "q1": [
        {
            "start_logit": *,
            "end_logit": *,
            "text": "the w?",
            "probability": 0.*
        },' 'the best answers'
like "$(bert-predict -q -m model --null-threshold 1e9 v2.rec)" '*: "*w*' 'a threshold is a number'
is "$(bert-predict -q -m model --null-threshold 1e9 v2.rec | grep -c ': ""')" 0 '... over which none is'
is "$(bert-predict -q -m model --null-threshold -1e9 v2.rec | grep -c ': ""')" 60 '... or all are'
is "$(bert-predict -q -m model --max-answer 1 v1.rec | grep -c 'the w')" 0 '--max-answer'
bert-predict -q -m model --format jsonl v1.rec >out
like "$(head -n 1 out)" '{"id": "q1", "answer": "the w?", "start": *, "end": *, "probability": 0.*}' 'JSON Lines'
tfrecord-cat -q --json v1.rec | sed 's/.*"answer_starts": \[*\([0-9]*\).*"id": "\(q[0-9]*\)".*"window": 0.*/\2 \1/;/{/d' | sort >want
sed 's/.*"id": "\(q[0-9]*\)".*"start": \([0-9]*\).*/\1 \2/' out | sort >got
[ -s want ] && same got want 'count code points'
bert-predict -q -m model --null-threshold -1e9 --format jsonl v1.rec >out
like "$(head -n 1 out)" '{"id": "q1", "answer": "", "start": null, "end": null, "probability": *, "null_odds": -*}' '... of no answer'
bert-predict -q -m model --header ID,PredictionString -o p.csv v1.rec
like "$(head -n 2 p.csv)" 'ID,PredictionString
q1,the w?' 'CSV'
bert-predict -q -m model --format csv --delimiter ';' --header 'the "id",a,b' v1.rec >p.csv 2>err
like "$(cat err)" '*does not name two columns*' '... of two columns'
bert-predict -q -m model --format csv --delimiter ';' --header 'the "id",a;b' v1.rec >p.csv
like "$(head -n 2 p.csv)" '"the ""id""";"a;b"
q1;the w?' '... whose header is CSV, too'
works 'run_squad'"'"'s way' bert-predict -m model --dialect google --nbest n.json -o google.json v1.rec
same google.json p.json 'finds the same where the answer is clear'
is "$(sed -n '4,7s/^ *"\([a-z_]*\)":.*/\1/p' n.json | tr '\n' ' ')" 'text probability start_logit end_logit ' \
	'its best answers have their own order'
bert-predict -q -m model --dialect google --nbest n.json --n-best 1 -o one.json v1.rec
is "$(grep -c '"text"' n.json)" 60 '--n-best'
is "$(bert-eval -q -m model --dialect google v1.rec | head -n 2)" "$(bert-eval -q --predictions google.json v1.rec)" \
	'bert-eval finds them, too'
# A window that shows less around a token does not begin an answer with it.
tfrecord-cat -q --json v1.rec | sed 's/"max_context": \[[^]]*\]/"max_context": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]/' >none
awk '{ n = split($0, a, /"max_context": \[/); m = index(a[2], "]"); k = $0; sub(/.*"input_ids": \[/, "", k); sub(/\].*/, "", k)
	k = gsub(/,/, ",", k) + 1; z = "0"; while (--k) z = z ",0"; print a[1] "\"max_context\": [" z substr(a[2], m) }' none |
	tfrecord-cat -q --from-json -o none.rec
is "$(bert-predict -q -m model --dialect google none.rec | grep -c ': "empty"')" 60 '... if none shows most'
is "$(bert-predict -q -m model none.rec | grep -c ': "the w')" 60 '... which transformers do not ask'
bert-predict -q -m model -j 3 v2.rec >three.json
bert-predict -q -m model -j 1 v2.rec >one.json
same one.json three.json 'threads do not matter'

misuses '*answers are written as json, jsonl or csv, not as tsv*' 'another format' bert-predict -m model --format tsv v1.rec
misuses '*--windows joins what is predicted of whole texts*' 'windows' bert-predict -m model --windows first v1.rec
misuses '*other options for labels do not apply*' 'options for labels' bert-predict -m model --top 2 v1.rec
tfrecord-cat -q --json v1.rec | sed -E 's/, "answers": .*/}/; s/"(start|end)_position": [0-9]+, //g' |
	tfrecord-cat -q --from-json -o unknown.rec
declines 1 "*no record has an answer (make records of questions with squad2tfrecord)" 'no answers to compare with' \
	bert-eval -m model unknown.rec
declines 1 "*no training record has an answer (make records of questions with squad2tfrecord)" 'or to learn from' \
	bert-train --force -m model --steps 1 -o learnt unknown.rec
misuses '*need files of their own*' 'one file for two' bert-predict -m model --nbest x.json -o x.json v1.rec
misuses '*answers to questions are evaluated without --by, *' '--by' bert-eval -m model --by length v1.rec
misuses '*--null-odds is for --predictions*' 'null odds for a model' bert-eval -m model --null-odds o.json v1.rec
rm -rf bare && cp -r model bare && rm bare/vocab.txt bare/tokenizer_config.json
misuses "*'bare' has no tokenizer, whose tokens answers are found by" 'no tokenizer' bert-predict -m bare --dialect google v1.rec
misuses '*give -m DIR*' 'answers in a file have no dialect' bert-eval --predictions p.json --dialect google v1.rec
misuses "*expected hf|google*" 'another dialect' bert-predict -m model --dialect bert v1.rec
tfrecord-cat -q --json v1.rec | sed 's/"context": "[^"]*"/"context": "short"/' | tfrecord-cat -q --from-json -o short.rec
refuses '*record 1: a token stands for the characters * of a context that has 5' 'tokens beyond the context' \
	bert-predict -m model -o short.json short.rec
exits 1 'nothing' test -e short.json
printf 'text,label\nw1,x\nw2,y\n' | csv2tfrecord -q -t text -l label | bert-tokenize -q -m vocab.txt -o labels.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 1 -o labels labels.rec
misuses '*--format json is for answers to questions; jsonl *' 'their form' bert-predict -m labels --format json labels.rec
misuses '*does not answer questions*' 'a model of labels' bert-predict -m labels --nbest x.json labels.rec
refuses "*has no 'token_starts'*squad2tfrecord*" 'records of labels' bert-predict -m model -o x.json labels.rec
finish
