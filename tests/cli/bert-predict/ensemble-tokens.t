#!/bin/sh
# SPDX-License-Identifier: MIT
# The mean of several models that tag words, or that answer questions.
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
awk 'BEGIN {
	srand(7)
	split("card book library room", name, " ")
	for (i = 1; i <= 60; i++) {
		print "i O\nhave O"
		for (k = rand() * 5; k > 0; k--)
			print (rand() < .5 ? "the O\n" : "my B-Y\n") name[1 + int(rand() * 4)] " B-X"
		print ". O\n"
	}
}' >all.txt
conll2tfrecord -q all.txt | bert-tokenize -q -m "$vocab" -o all.rec
train() { # OUT SEED [OPTION ...]
	dir=$1 seed=$2
	shift 2
	bert-train -q --init-config tiny --tokenizer "$vocab" --task tagging --epochs 2 \
		--learning-rate 1e-3 --batch-size 16 --seed "$seed" -o "$dir" "$@" all.rec
}
train a 1
train b 2

for m in a b; do
	bert-predict -q -m $m --dtype f32 --format tensor -o $m.ts all.rec
done
works 'tags of two models' bert-predict -m a -m b --dtype f32 --format tensor -o ab.ts all.rec
tensor-cat -q --softmax ab.ts | tensor-cat -q --csv >got
tensor-cat -q --mean --softmax a.ts b.ts | tensor-cat -q --csv >want
paste -d, got want | tr -d '\r' | awk -F, 'NR > 1 {
	n = NF / 2
	for (i = 1; i <= n; i++) {
		d = $i - $(i + n)
		if (d > 1e-5 || d < -1e-5) { print; exit }
	}
	rows++
}
END { if (rows < 200) print rows + 0, "words" }' >why
[ ! -s why ]
result $? 'have the mean of their probabilities'
bert-predict -q -m a --dtype f32 all.rec >one.conll
bert-predict -q -m a -m a --dtype f32 all.rec >twice.conll
same twice.conll one.conll 'a model and itself'
train c 3 --labels B-Y,O,B-X
bert-predict -q -m a -m c --dtype f32 all.rec >ac.conll
bert-predict -q -m c -m a --dtype f32 all.rec >ca.conll
same ca.conll ac.conll 'the order of tags is a matter of the model'
bert-predict -q -m a -m b --dtype f32 -j 1 all.rec >j1.conll
bert-predict -q -m a -m b --dtype f32 -j 3 all.rec >j3.conll
same j3.conll j1.conll 'threads do not matter'
right=$(awk 'NF { n++; right += $2 == $3 } END { printf "%.4f", right / n }' j1.conll)
like "$(bert-eval -q --dtype f32 -m a -m b all.rec)" "*accuracy $right *" 'the accuracy is that of the columns'
declines 2 "*'a' learnt to tag words: several such models cannot be compared*" 'a comparison' \
	bert-eval -m a --compare b all.rec

train d 3 --labels B-Y,O,B-X,B-Z
refuses "*'d' has 4 tags, the first model 3*" 'another set of tags' bert-predict -m a -m d -o x all.rec
exits 1 'writes nothing' test -e x

awk 'BEGIN {
	srand(7)
	for (i = 1; i <= 40; i++) {
		at = int(rand() * 6)
		context = ""
		for (k = 0; k < 6; k++) {
			if (k == at) begin = length(context)
			context = context (k == at ? "the " : "") "book "
		}
		printf "{\"id\": \"q%d\", \"question\": \"the book ?\", \"context\": \"%s\", " \
			"\"answers\": {\"text\": [\"the book\"], \"answer_start\": [%d]}}\n", i, context, begin
	}
}' | squad2tfrecord -q | bert-tokenize -q -m "$vocab" -o qa.rec
for seed in 1 2; do
	bert-train -q --init-config tiny --tokenizer "$vocab" --task qa --epochs 3 \
		--learning-rate 2e-3 --batch-size 8 --seed $seed -o qa$seed qa.rec
done
works 'answers of two models' bert-predict -m qa1 -m qa2 --dtype f32 --nbest nbest.json -o both.json qa.rec
bert-predict -q -m qa1 --dtype f32 --nbest nbest1.json -o one.json qa.rec
bert-predict -q -m qa1 -m qa1 --dtype f32 --nbest nbest2.json -o twice.json qa.rec
same twice.json one.json 'a model and itself'
same nbest2.json nbest1.json '... with all its answers'
bert-predict -q -m qa2 --dtype f32 --nbest nbest2.json -o two.json qa.rec
# the logits of the first answer to each question
for f in nbest nbest1 nbest2; do
	awk '/": \[/ { new = 1 } /"(start|end)_logit"/ && new { sub(/,/, "", $2); print $2 } /"probability"/ { new = 0 }' \
		$f.json >$f.logits
done
paste nbest.logits nbest1.logits nbest2.logits | awk '{
	d = $1 - ($2 + $3) / 2
	exact += d < 1e-5 && d > -1e-5
	apart += $2 != $3
}
END { if (NR != 80 || exact < 8 || apart < 8) print exact + 0, apart + 0, "of", NR }' >why
[ ! -s why ]
result $? 'the mean of their logits, where all find the same answer'
finish
