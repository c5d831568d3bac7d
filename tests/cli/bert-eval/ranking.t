#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-eval --rank-by against sums by awk over the written predictions.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
words='cat dog bird fish tree house'
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' a where is the $words >vocab.txt

# 24 queries of 15 passages; a passage is relevant if it names what is asked for.
awk -v words="$words" 'BEGIN {
	srand(5)
	k = split(words, w, " ")
	print "id,query,passage,relevant,q"
	for (i = 1; i <= 24; i++)
		for (j = 1; j <= 15; j++) {
			asked = w[i % k + 1]
			named = w[int(rand() * k) + 1]
			printf "%d-%d,where is the %s,a %s is the %s,%d,Q%d\n", i, j, asked,
				named, w[int(rand() * k) + 1], (i > 1 && asked == named), i
		}
}' >pairs.csv
csv2tfrecord -q -t query --pair passage -l relevant -i id --keep q pairs.csv | bert-tokenize -q -m vocab.txt -o pairs.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 2 --learning-rate 1e-3 -o m pairs.rec

# QUERY SCORE RELEVANCE -> the three numbers; the least relevant is first among equals
measure() { # FILE [K]
	sort -k1,1 -k2,2gr -k3,3g "$1" | awk -v k="${2-10}" '
		function best(list,  i, j, t, s, v) {
			t = split(list, v, " ")
			for (i = 1; i <= t; i++)
				for (j = i + 1; j <= t; j++)
					if (v[j] > v[i]) { s = v[i]; v[i] = v[j]; v[j] = s }
			for (s = 0; i > 0; i--)
				if (i <= k && i <= t) s += v[i] / log(i + 1) * log(2)
			return s
		}
		function finish() {
			if (first == 0) return
			queries++
			mrr += first <= k ? 1 / first : 0
			ndcg += gain / best(all)
			at1 += first == 1
		}
		$1 != last { finish(); last = $1; rank = first = gain = 0; all = "" }
		{ rank++
			all = all " " $3
			if ($3 > 0 && first == 0) first = rank
			if (rank <= k) gain += $3 / log(rank + 1) * log(2) }
		END { finish(); printf "%d MRR@%d %.4f  NDCG@%d %.4f  P@1 %.4f\n", queries, k,
			mrr / queries, k, ndcg / queries, at1 / queries }'
}
bert-predict -q -m m --proba -o p.csv pairs.rec
awk -F, 'NR == FNR { rel[$1] = $4; q[$1] = $5; next }
	FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "1") c = i; next }
	{ print q[$1], $c, rel[$1] }' pairs.csv p.csv >scores
works '--rank-by' bert-eval -q -m m --rank-by q pairs.rec
is "$(tail -n 2 out)" "ranking by q: 22 queries, 2 without a relevant record left out
$(measure scores | cut -d' ' -f2-)" 'as the written probabilities say'
bert-eval -q -m m --rank-by q --json pairs.rec >json
is "$(grep -c '"mrr_at_10"\|"ndcg_at_10"\|"precision_at_1"\|"queries": 22' json)" 4 'and in JSON'
for k in 3 99; do
	bert-eval -q -m m --rank-by q --rank-at $k pairs.rec >out
	is "$(tail -n 1 out)" "$(measure scores $k | cut -d' ' -f2-)" "the first $k candidates"
done
bert-eval -q -m m --rank-by q --rank-at 3 --json pairs.rec >json
is "$(grep -c '"mrr_at_3"\|"ndcg_at_3"' json)" 2 '... in JSON'
misuses '*--rank-at needs --rank-by*' 'a number alone' bert-eval -m m --rank-at 3 pairs.rec

tfrecord-cat -q --where "q=$(awk '$3 > 0 { print $1; exit }' scores)" -o one.rec pairs.rec
like "$(bert-eval -q -m m --rank-by q one.rec)" '*ranking by q: 1 query
*' 'one query'

# no query has a relevant candidate
tfrecord-cat -q --where label=0 -o none.rec pairs.rec
works 'irrelevant records alone' bert-eval -q -m m --rank-by q none.rec
is "$(tail -n 1 out)" 'ranking by q: 0 queries, 24 without a relevant record left out' 'left out: all queries'
works '... as JSON' bert-eval -q -m m --rank-by q --json none.rec
is "$(grep -c 'mrr_at_10\|"queries": 0,\|"without_relevant": 24$' out)" 2 '... without numbers'

# a constant score is worth nothing; in bf16, tiles of AMX may round equal rows differently
sed '1!s/where is the/tree/; 1!s/a [a-z]* is the [a-z]*/dog/' pairs.csv >same.csv
csv2tfrecord -q -t query --pair passage -l relevant --keep q same.csv | bert-tokenize -q -m vocab.txt -o same.rec
awk -F, 'NR > 1 { print $5, 0, $4 }' pairs.csv >scores
bert-eval -q -m m --dtype f32 --rank-by q same.rec >out
is "$(tail -n 1 out)" "$(measure scores | cut -d' ' -f2-)" 'relevant records are last among equal scores'

# degrees of relevance, by a model of numbers
awk -F, -v OFS=, 'NR > 1 { $4 = (NR * 7) % 4 } { print }' pairs.csv >degrees.csv
csv2tfrecord -q --label-type float -t query --pair passage -l relevant -i id --keep q degrees.csv |
	bert-tokenize -q -m vocab.txt -o degrees.rec
bert-train -q --task regression --init-config tiny --tokenizer vocab.txt --epochs 1 -o r degrees.rec
bert-predict -q -m r -o p.csv degrees.rec
awk -F, 'NR == FNR { rel[$1] = $4; q[$1] = $5; next }
	FNR > 1 { print q[$1], $2, rel[$1] }' degrees.csv p.csv >scores
bert-eval -q -m r --rank-by q degrees.rec >out
is "$(tail -n 2 out)" "ranking by q: 24 queries
$(measure scores | cut -d' ' -f2-)" 'numbers rank by degree'

refuses "*: record 1: has no feature 'nosuch'*" 'no such feature' bert-eval -m m --rank-by nosuch pairs.rec
exits 2 'predictions alone' bert-eval --predictions p.csv --rank-by q pairs.rec
csv2tfrecord -q -t query --pair passage -l q -i id --keep relevant pairs.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o many many.rec
misuses '*only two classes or one number do*' 'many classes do not rank' bert-eval -m many --rank-by relevant many.rec
finish
