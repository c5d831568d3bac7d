#!/bin/sh
# SPDX-License-Identifier: MIT
# A retrieval data set in BEIR's layout: from its files to an encoder and a reranker.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
words='cat dog bird fish tree house'
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' a where is the $words >vocab.txt

# A query for each word, a passage for each two; it is relevant if it names the word first.
mkdir qrels
awk -v words="$words" 'BEGIN {
	k = split(words, w, " ")
	print "query-id\tcorpus-id\tscore" >"qrels/train.tsv"
	print "query,passage,score,q" >"wide.csv"
	for (i = 1; i <= k; i++) {
		printf "{\"_id\": \"q%d\", \"text\": \"where is the %s\", \"metadata\": {}}\n", i, w[i] >"queries.jsonl"
		for (j = 1; j <= k; j++)
			printf "{\"_id\": \"%d-%d\", \"title\": \"the %s\", \"text\": \"is a %s\"}\n", i, j, w[i], w[j] >"corpus.jsonl"
	}
	for (i = 1; i <= k; i++)
		for (j = 1; j <= k; j++)
			for (l = 1; l <= 4; l++) {
				score = l == 1
				printf "q%d\t%d-%d\t%d\n", i, (i + l - 2) % k + 1, j, score >"qrels/train.tsv"
				printf "where is the %s,the %s is a %s,%d,q%d\n", w[i], w[(i + l - 2) % k + 1], w[j], score, i >"wide.csv"
			}
}'
beir() {
	csv2tfrecord -q --join query-id=queries.jsonl --join corpus-id=corpus.jsonl \
		-t query-id.text --pair corpus-id.title,corpus-id.text "$@" qrels/train.tsv
}

works 'labelled pairs' beir -l score -o pairs.text
csv2tfrecord -q -t query --pair passage -l score -o wide.text wide.csv
same pairs.text wide.text 'are those of a table that has the texts'
works 'they become tokens' eval 'beir -l score --keep query-id | bert-tokenize -q -m vocab.txt -o pairs.rec'
works 'a reranker learns them' bert-train -q --task ranking --init-config tiny --tokenizer vocab.txt \
	--epochs 2 --learning-rate 1e-3 -o ranker pairs.rec
works 'and is judged by query' bert-eval -q -m ranker --rank-by query-id pairs.rec
like "$(tail -n 2 out)" 'ranking by query-id: 6 queries
MRR@10 [01].*  NDCG@10 *  P@1 *' 'which are those of the qrels'
works 'relevant pairs' eval 'beir --where score=1 --drop-duplicates | bert-tokenize -q -m vocab.txt --apart -o apart.rec'
works 'teach an encoder' bert-train -q --task embedding --init-config tiny --tokenizer vocab.txt \
	--epochs 2 --learning-rate 1e-3 -o encoder apart.rec
works 'that is judged' bert-eval -q -m encoder apart.rec
like "$(cat out)" '*MRR *(36 pairs)*' 'by the place of the right passage'
finish
