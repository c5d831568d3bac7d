#!/bin/sh
# SPDX-License-Identifier: MIT
# Words and their tags, from columns to columns.
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
# Names are tagged by what stands before them.
sentences() { # ROWS SEED
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		split("card book library room", name, " ")
		for (i = 1; i <= n; i++) {
			print "i O\nhave O"
			for (k = rand() * 3; k > 0; k--) {
				if (rand() < .5) print "the O\n" name[1 + int(rand() * 4)] " B-X\nopen I-X"
				else print "my O\n" name[1 + int(rand() * 4)] " B-Y"
			}
			print ". O\n"
		}
	}'
}
sentences 200 1 >train.txt
sentences 40 2 >dev.txt
for part in train dev; do
	conll2tfrecord -q $part.txt | bert-tokenize -q -m "$vocab" -o $part.rec
done
train() { # OUT [OPTION ...]
	dir=$1
	shift
	bert-train --force --init-config tiny --tokenizer "$vocab" --learning-rate 2e-3 \
		--batch-size 16 --dropout 0 -o "$dir" "$@"
}
works 'learns tags' train m --task tagging --epochs 4 --eval dev.rec train.rec
like "$(cat err)" '*200 training examples, 40 for evaluation, 4 tags of * words,*epoch 1: loss *, F1 *, accuracy of words *' \
	'says what it learns'
like "$(cat m/config.json)" '*"BertForTokenClassification"*' "its class is Hugging Face's"
grep -q problem_type m/config.json
is $? 1 'which has no problem_type'
works 'learns for a moment, without evaluation' train short --task tagging --steps 1 train.rec
like "$(cat err)" '*the model has learned * yet*' 'and says that this was not enough'
works 'is evaluated' bert-eval -m m --min f1=.9 --min accuracy=.9 dev.rec
like "$(cat out)" 'entity *
X  *
Y  *
micro avg *
macro avg *
weighted avg *
accuracy *  loss * words)' 'by types'
works 'as JSON' bert-eval -q --json -m m dev.rec
like "$(tr -d ' \n' <out)" '{"examples":*"f1":*"entities":[{"type":"*' 'with entities'

works 'predicts columns' bert-predict -m m -o dev.conll dev.rec
cut -d ' ' -f 1,2 dev.conll >columns
same columns dev.txt 'the input columns are kept'
is "$(awk 'NF != 0 && NF != 3' dev.conll)" '' 'and one is added'
like "$(cat err)" '*40 sentences, * words: predicted B-X *' 'says which'
right=$(awk 'NF { n++; right += $2 == $3 } END { printf "%.4f", right / n }' dev.conll)
like "$(bert-eval -q --dtype auto -m m dev.rec)" "*accuracy $right *" 'the accuracy is that of the columns'
works 'strictly by the scheme' bert-eval -q -m m --strict iob2 --min f1=.9 dev.rec
declines 2 "*the model's tag 'B-?' is not of the scheme ioe1*" 'a scheme of other tags' bert-eval -m m --strict ioe1 dev.rec
declines 2 "*bad value 'x' for --strict: expected iob1|iob2|ioe1|ioe2|iobes|bilou*" 'no such scheme' \
	bert-eval -m m --strict x dev.rec
bert-predict -q -m m --format csv dev.rec >dev.csv
is "$(head -n 3 dev.csv | tr '\n' ' ')" 'id,position,word,tag 0,0,i,O 0,1,have,O ' 'as CSV'
is "$(awk -F, 'FNR > 1 { print $4 }' dev.csv)" "$(awk 'NF { print $3 }' dev.conll)" 'with the same tags'
bert-predict -q -m m -o dev.jsonl dev.rec
like "$(head -n 1 dev.jsonl)" '{"id": "0", "tokens": ?"i", "have", *?, "tags": ?"O", "O", *?}' 'as JSON Lines'

# entities by conlleval's rules, with the characters of the words between blanks
entities() { # WORD GOLD TAG [PROBABILITY] lines
	awk 'function finish() {
			if (type != "")
				printf "{\"type\": \"%s\", \"text\": \"%s\", \"words\": [%d, %d], \"start\": %d, \"end\": %d}\n",
					type, text, first, i, start, start + length(text)
			type = ""
		}
		NF == 0 { finish(); i = at = 0; last = "O"; next }
		{ now = substr($3, 3)
			if ($3 == "O" || $3 ~ /^B/ || now != last) finish()
			if ($3 != "O" && (type == "")) { type = now; first = i; start = at; text = $1 }
			else if ($3 != "O") text = text " " $1
			last = $3 == "O" ? "O" : now
			i++
			at += length($1) + 1 }' "$@"
}
entities dev.conll >want
grep -o '{"type": [^}]*}' dev.jsonl >got
same got want 'with the entities'
bert-predict -q -m m --format jsonl --proba dev.rec | grep -o '{"type": [^}]*}' |
	sed 's/, "probability": [0-9.]*}$/}/' >got
same got want '... and how probable each is'
printf '%b O\n' i 'h\0303\0244ve' 'th\0303\0251' card open . >unicode.txt
conll2tfrecord -q unicode.txt | bert-tokenize -q -m "$vocab" -o unicode.rec
is "$(bert-predict -q -m m --format jsonl unicode.rec | grep -o '"entities.*')" \
	'"entities": [{"type": "X", "text": "card open", "words": [3, 5], "start": 11, "end": 20}]}' \
	'characters are code points'

bert-predict -q -m m --proba dev.rec | cut -d ' ' -f 1-3 >columns
same columns dev.conll 'probabilities are one column more'
is "$(bert-predict -q -m m --proba dev.rec | awk 'NF && !($4 > 0.25 && $4 <= 1)')" '' 'of the tag, the largest of four'
is "$(bert-predict -q -m m --proba --format csv dev.rec | sed -n '1p; 2s/0[.][0-9]*$/P/p')" 'id,position,word,tag,probability
0,0,i,O,P' '... in CSV'
like "$(bert-predict -q -m m --proba --format jsonl dev.rec | head -n 1)" '*, "probabilities": ?0.*, 0.*?}' '... in JSON Lines'

# Windows: every word has a tag, and each only one.
tr '\n' ' ' <train.txt | sed 's/  / /g; s/\([^ ]*\) \([^ ]*\) /\1 \2\n/g' | head -n 300 >long.txt
conll2tfrecord -q long.txt >long.text.rec
for length in 12 33 48 512; do
	bert-tokenize -q -m "$vocab" --max-length $length -o long.rec long.text.rec
	bert-predict -q -m m long.rec | cut -d ' ' -f 1,2 | head -n 300 >columns
	same columns long.txt "windows of $length"
done
for option in '--stride 4' '--stride 8'; do
	bert-tokenize -q -m "$vocab" --max-length 20 $option -o long.rec long.text.rec
	bert-predict -q -m m long.rec | cut -d ' ' -f 1,2 | head -n 300 >columns
	same columns long.txt "windows of 20, $option"
done
like "$(bert-eval -q -m m long.rec)" '*(300 words)' 'each is counted once'
tfrecord-cat -q --json long.rec | grep -o '"window": [0-9]*' | sort -u | wc -l >windows
[ "$(cat windows)" -gt 10 ]
result $? 'of many windows'
tfrecord-cat -q --head 3 -o cut.rec long.rec
declines 1 '*the sentence of record 1 has 300 words, but its windows hold only *' 'a window is missing' \
	bert-predict -q -m m -o cut.conll cut.rec
bert-tokenize -q -m "$vocab" --pad 64 -o padded.rec dev.text.rec 2>err ||
	conll2tfrecord -q dev.txt | bert-tokenize -q -m "$vocab" --pad 64 -o padded.rec
bert-predict -q -m m padded.rec | cut -d ' ' -f 1,2 >columns
same columns dev.txt 'padded records'
# a word of which the tokenizer leaves nothing
printf 'i O\n\302\255 O\nhave O\n' >nothing.txt
conll2tfrecord -q nothing.txt | bert-tokenize -q -m "$vocab" | bert-predict -q -m m | cut -d ' ' -f 1,2 >columns
is "$(cat columns)" "$(cat nothing.txt)" 'a word without tokens has a tag'

# What the sentence before says
awk 'BEGIN {
	srand(5)
	for (i = 1; i <= 300; i++) {
		first = rand() < .5 ? "my" : "the"
		print first " O\n\ni O\nhave O\ncard " (first == "my" ? "B-X" : "B-Y") "\n"
	}
}' >before.txt
for around in 0 1; do
	conll2tfrecord -q --context $around before.txt | bert-tokenize -q -m "$vocab" -o context$around.rec
	bert-train -q --force --init-config tiny --tokenizer "$vocab" --learning-rate 2e-3 --batch-size 16 \
		--dropout 0 --task tagging --epochs 3 -o context$around context$around.rec
done
exits 1 'without context it cannot be learnt' bert-eval -q -m context0 --min f1=.8 context0.rec
works 'with context it can' bert-eval -q -m context1 --min f1=.95 context1.rec
bert-predict -q -m context1 context1.rec | cut -d ' ' -f 1,2 >columns
same columns before.txt 'only the words of the sentence are tagged'
conll2tfrecord -q --context 3 before.txt long.txt >long.text.rec
for length in 8 12 33; do
	bert-tokenize -q -m "$vocab" --max-length $length -o long.rec long.text.rec
	is "$(tfrecord-cat -q --json long.rec | grep -o '"input_ids": [^]]*' |
		awk -F, -v most=$length 'NF > most' | wc -l)" 0 "windows of $length tokens with context"
	bert-predict -q -m context1 long.rec | cut -d ' ' -f 1,2 | head -n 1800 | cmp - before.txt
	result $? '... and every word once'
done

# The same bits whatever the threads, and after a stop
train one -q --task tagging --epochs 2 -j 1 train.rec
train two -q --task tagging --epochs 2 -j 2 train.rec
same one/model.safetensors two/model.safetensors 'threads'
train part -q --task tagging --steps 26 --save-steps 10 train.rec
train part -q --task tagging --epochs 2 --resume train.rec
train whole -q --task tagging --epochs 2 --save-steps 10 train.rec
same part/model.safetensors whole/model.safetensors 'resumed'
works 'recomputed' train three -q --task tagging --epochs 2 --checkpoint-activations train.rec
same three/model.safetensors one/model.safetensors 'activations recomputed: the same bits'
bert-train -q --force -m m --epochs 1 --learning-rate 1e-4 -o again train.rec 2>err
like "$(cat again/config.json)" '*ForTokenClassification*' 'a trained model goes on as what it is'
sed 's/-Y$/-Z/' train.txt | conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o other.rec
works 'another tag' bert-train --force -m m --steps 1 -o again other.rec
like "$(cat err)" "*'m': 3 of 4 tags are the model's, newly initialized: 'B-Z'*'m': 1 of its 4 tags is left out: 'B-Y'*" \
	'is the only new one'
works 'evaluation records from the training records' train shared --task tagging --steps 2 --eval-share .2 train.rec

# What does not fit
csv2tfrecord -q -t text -l intent "$TEST_TOP/pipelines/data/library-dev.csv" | bert-tokenize -q -m "$vocab" -o texts.rec
declines 1 "*record 1: the model tags words, and the record has no 'word_ids' (make records of words with conll2tfrecord, *)" \
	'texts for a model that tags words' bert-predict -q -m m texts.rec
declines 1 '*record 1: holds words with tags, but the model learns to choose one class (train with --task tagging)' 'words for a model of texts' train x -q train.rec
declines 2 '*tags words, which can be written as conll, csv, jsonl or tensor, not as npy' 'arrays of tags' \
	bert-predict -q -m m --format npy -o x.npy dev.rec
# tags that follow a scheme: open is I-X, where it should be behind a B-X
for i in 1 2 3 4 5 6; do printf 'open O\nthe O\nopen O\nbook O\nopen O\n\n'; done |
	conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o odd.rec
breaks() { awk '{ tag = NF ? $3 : "O" } tag ~ /^I/ && last !~ /^[BI]/ { k++ } { last = tag } END { print k + 0 }'; }
bert-predict -q -m m odd.rec >free.conll
bert-predict -q -m m --scheme iob2 --proba odd.rec >valid.conll
is "$(breaks <free.conll | sed 's/[1-9][0-9]*/some/')" some 'tags break the scheme'
is "$(breaks <valid.conll)" 0 '... but not with --scheme'
is "$(cut -d ' ' -f 1 valid.conll | cksum)" "$(cut -d ' ' -f 1 free.conll | cksum)" '... and all words have one'
is "$(awk 'NF && !($4 > 0 && $4 <= 1)' valid.conll)" '' '... of its own probability'
declines 2 "*the model's tag 'B-X' is not of the scheme ioe2*" 'another scheme' bert-predict -q -m m --scheme ioe2 dev.rec
declines 2 '*does not tag words, which --scheme is for*' 'another model' bert-predict -q -m m --scheme iob2 --embed mean dev.rec
declines 2 '*of the options for labels only --proba is available' 'options for labels' bert-predict -q -m m --top 2 dev.rec
declines 2 '*does not tag words, which conll is for' 'columns of a model of texts' sh -c \
	'bert-train -q --init-config tiny --tokenizer "$1" --steps 1 -o t texts.rec; bert-predict -q -m t --format conll texts.rec' - "$vocab"
declines 2 '*tags words: --errors, --by and thresholds*' 'the worst examples' bert-eval -q -m m --errors 3 dev.rec
printf '%s\n' '{"input_ids": [2, 7, 8, 3], "word_ids": [-1, 0, 2, -1], "words": ["a", "b", "c"]}' |
	tfrecord-cat -q --from-json -o skips.rec
declines 1 '*record 1: word_ids holds 2 behind 0: words are missing' 'a word without a token' \
	bert-predict -q -m m skips.rec
printf '%s\n' '{"input_ids": [2, 7, 8, 3], "word_ids": [-1, 1, 0, -1], "words": ["a", "b"]}' |
	tfrecord-cat -q --from-json -o back.rec
declines 1 '*record 1: word_ids holds 0 at position 2, out of range' 'words in another order' \
	bert-predict -q -m m back.rec
printf '%s\n' '{"input_ids": [2, 7, 8, 3], "word_ids": [-1, 0, 1, -1], "words": ["a"], "tags": ["O"]}' |
	tfrecord-cat -q --from-json -o many.rec
declines 1 '*record 1: holds word 2, but only 1 tags' 'more words than tags' bert-eval -q -m m many.rec
printf '%s\n' '{"input_ids": [2, 7, 8, 3], "word_ids": [-1, 0, 1, -1], "words": ["a"]}' |
	tfrecord-cat -q --from-json -o many2.rec
declines 1 '*record 1 has more tokens of words than the 1 words in it' 'more tokens than words' \
	bert-predict -q -m m -o x.conll many2.rec
printf 'i O\nhave B-Z\n' | conll2tfrecord -q | bert-tokenize -q -m "$vocab" -o other.rec
declines 1 "*record 1: label 'B-Z' is not one of the 4 labels known*" 'an unknown tag' bert-eval -q -m m other.rec
works '... is nothing to predict' bert-predict -q -m m other.rec
printf 'i\nhave\n' | conll2tfrecord -q --no-tags | bert-tokenize -q -m "$vocab" -o bare.rec
is "$(bert-predict -q -m m bare.rec | sed 1q)" 'i O' 'words without tags are predicted'
declines 1 '*no record has tags (make records of words with conll2tfrecord, *)*' '... and not evaluated' bert-eval -q -m m bare.rec
declines 1 '*holds words, which this format does not show' 'JSON of words' bert-tokenize -q -m "$vocab" --format json long.text.rec
declines 2 '*2 tokens leave no room for a text*' 'no room for a word' bert-tokenize -q -m "$vocab" --max-length 2 long.text.rec
finish
