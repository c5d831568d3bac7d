#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: texts that are too long, windows, bytes that are no UTF-8.
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
rec=$TEST_TOP/tests/fixtures/tok-records.pl
ids() {
	bert-tokenize -q --format ids "$@" 2>err
}

# a .. h are 61 .. 68, [CLS] 2, [SEP] 3
echo 'a b c d e f g h' >eight
cat >wanted <<-E
	2 61 62 63 64 3
	2 63 64 65 66 3
	2 65 66 67 68 3
E
ids -m "$M" --lines --max-length 6 --stride 2 eight >got
same got wanted '--stride cuts windows that share tokens'
cat >wanted <<-E
	2 61 62 63 3
	2 64 65 66 3
	2 67 68 3
E
ids -m "$M" --lines --max-length 5 --stride 0 eight >got
same got wanted '... or none'
is "$(ids -m "$M" --lines --max-length 10 --stride 7 eight)" \
	'2 61 62 63 64 65 66 67 68 3' 'what fits is one window'
works 'windows are counted' bert-tokenize -m "$M" --lines --format ids \
	--max-length 6 --stride 2 eight
is "$(cat err)" 'bert-tokenize: 1 text, 18 tokens; 1 text cut into windows of 6 tokens (3 records in all); no [UNK]' \
	'... in the summary'
tr ' ' '\n' <eight | conll2tfrecord -q --no-tags >words.rec
for o in '' --keep-text; do
	# shellcheck disable=SC2086
	refuses "*'words.rec': record 1: holds words, which no prompt goes before" "a prompt of words $o" \
		bert-tokenize -qm "$M" --prompt-text 'query: ' $o words.rec
done
works 'texts in words have windows without --stride' \
	bert-tokenize -m "$M" --max-length 6 --summary s.json -o x words.rec
like "$(cat err)" '*; 1 text cut into windows of 6 tokens (3 records in all); *' '... and lose nothing'
like "$(cat s.json)" '*"texts_in_windows":1,"texts_truncated":0,*' '... in the summary file, too'
printf 'a\nabcdefgh\n' | conll2tfrecord -q --no-tags >long.rec
works 'a word that is longer than a window' bert-tokenize -m "$M" --max-length 6 --summary s.json -o x long.rec
like "$(cat err)" '*; 1 text truncated to 6 tokens (4 tokens lost)*' 'is cut, and counted'
like "$(cat s.json)" '*"texts_truncated":1,"tokens_lost":4,*' '... in the summary file, too'
refuses "*'long.rec': record 1: the text has 11 tokens, more than 6" '... or refused' \
	bert-tokenize -m "$M" --max-length 6 --no-truncation -o x long.rec
misuses '*the stride (4) must be smaller than the window (4 text tokens)*' 'a stride as long as the window is a mistake' \
	bert-tokenize -m "$M" \
	--lines --format ids --max-length 6 --stride 4 eight
exits 2 'windows need a length' bert-tokenize -m "$M/vocab.txt" --lines \
	--format ids --stride 1 eight
exits 2 '--stride is not --no-truncation' bert-tokenize -m "$M" --stride 1 \
	--no-truncation --lines eight

mkdir left
cp "$M/vocab.txt" left/
echo '{"truncation_side": "left", "do_lower_case": true}' \
	>left/tokenizer_config.json
cat >wanted <<-E
	2 65 66 67 68 3
	2 63 64 65 66 3
	2 61 62 63 64 3
E
ids -m left --lines --max-length 6 --stride 2 eight >got
same got wanted 'windows from the left'

printf 'id=7\ttext_a=a b c\ttext_b=d e f g h\tlabel=x\n' | $rec >pair.tfr
is "$(ids -m "$M" --max-length 9 pair.tfr)" '2 61 62 63 3 64 65 66 3' \
	'the longer text of a pair is cut'
is "$(ids -m "$M" --max-length 10 --truncation only_first pair.tfr)" \
	'2 61 62 3 64 65 66 67 68 3' '... or the first'
refuses '*record 1: 4 tokens would have to go from the first text, which has 3' \
	'... unless that is too short' bert-tokenize -qm "$M" --max-length 7 \
	--truncation only_first --format ids pair.tfr
is "$(ids -m "$M" --max-length 8 --truncation only_second pair.tfr)" \
	'2 61 62 63 3 64 65 3' '... or the second'
refuses '*line 1: the text is too long, and only a second one may be cut*' \
	'only_second needs a second text' bert-tokenize -m "$M" --lines \
	--max-length 6 --truncation only_second --format ids eight
bert-tokenize -qm "$M" --max-length 9 --stride 1 --truncation only_second \
	pair.tfr | $rec -d | sed 's/	input_mask.*	segment/	segment/' >got
cat >wanted <<-E
	id=7	input_ids=2 61 62 63 3 64 65 66 3	segment_ids=0 0 0 0 0 1 1 1 1	tokenizer=14af22b0	window=0
	id=7	input_ids=2 61 62 63 3 66 67 68 3	segment_ids=0 0 0 0 0 1 1 1 1	tokenizer=14af22b0	window=1
E
sed 's/	label=x//' got >got2
same got2 wanted 'each window is a record with its number'
ids -m "$M" --max-length 7 --stride 1 pair.tfr >got
cat >wanted <<-E
	2 61 62 3 64 65 3
	2 62 63 3 64 65 3
	2 62 63 3 65 66 3
	2 62 63 3 66 67 3
	2 62 63 3 67 68 3
	2 61 62 3 65 66 3
	2 61 62 3 66 67 3
	2 61 62 3 67 68 3
E
same got wanted 'windows of both texts of a pair'
refuses '*record 1: a window has 2 tokens of the text, not more than the 2*' \
	'a stride that leaves no way on in one text' \
	bert-tokenize -m "$M" --max-length 7 --stride 2 --format ids pair.tfr
bert-tokenize -qm "$M" --lines --explain --max-length 4 --stride 0 \
	eight | grep window >got
printf '# window %s\n' 1 2 3 >wanted
same got wanted '--explain says which window'

for j in 1 3; do
	seq 3000 | sed 's/.*/& the book is lost and found &/' |
		bert-tokenize -qm "$M" -j $j --lines --max-length 8 --stride 3 \
			-o many.$j
done
cmp many.1 many.3 >why 2>&1
result $? 'windows do not depend on the threads'

# bytes that are no UTF-8
printf 'a \377\340\240b\360\237\230\355\240\200c\n' >bad
refuses '*line 1: the text is not valid UTF-8 at byte 2 (iconv *)' 'invalid bytes fail' \
	bert-tokenize -m "$DATA/bpe/roberta" --lines --format ids bad
bert-tokenize -m "$DATA/bpe/roberta" --lines --format json --replace-invalid \
	bad 2>err >out
printf 'a \357\277\275\357\277\275b\357\277\275\357\277\275\357\277\275\357\277\275c\n' >good
bert-tokenize -qm "$DATA/bpe/roberta" --lines --format json good >wanted
same out wanted '--replace-invalid puts U+FFFD as Python does'
like "$(cat err)" '*; 1 text with invalid UTF-8 (6 U+FFFD put in); *' \
	'... and counts them'
echo 'The  Éa' | bert-tokenize -qm "$M" --lines --no-special \
	--format explain >got
printf 'a\t0\t3\t323\tthe\tThe\t\tnormalised: the
a\t5\t7\t65\te\tÉ\t\tnormalised: e\na\t7\t8\t97\t##a\ta\t\n\n' >wanted
same got wanted '--format explain shows what was normalised'
perl -CS -e 'print chr(0x1f600) x 300' >long
bert-tokenize -qm "$DATA/spm/bytes.json" --lines --no-special \
	--format explain long >got
is "$(LC_ALL=C awk -F'\t' 'NF { print $3, length($6) }' got | sort |
	uniq -c | tr -s ' ')" ' 1200 1200 259
 1 4 4' '... of all tokens of a long stretch its beginning'
works 'a histogram' bert-tokenize -vm "$M" --lines --format ids eight
like "$(cat err)" '*8 to 15 * 1 100.00 %*' '... of lengths'

peer=$TEST_TOP/tests/fixtures/tok-forms-peer.py
peer_or_end 'the package tokenizers'
models='tok/uncased bpe/roberta spm/xlmr'
others='tok/added bpe/affix bpe/llama bpe/fallback bpe/single spm/albert spm/deberta
	spm/first spm/never kinds/modernbert kinds/deberta-v3 kinds/mmbert'
if [ -z "${TEST_KIND-}" ]; then
	models="$models $others"
else
	skip 'windows of the other models' 'thousands of programs take long under sanitizers'
fi
for model in $models; do
	"$PEER_PYTHON" "$peer" "${PEER_COUNT:-5}" 1 "$DATA/$model.json" \
		>why 2>/dev/null
	result $? "$model: windows and lists equal to the package"
done
finish
