#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize on published vocabularies, against ids that others recorded.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
V=$SHARED/vocab
rec=$TEST_TOP/tests/fixtures/tok-records.pl

if [ ! -d "$V" ]; then
	skip 'published vocabularies' "no $V"
	finish
fi

# llama.cpp's strings for bert-bge, which has the vocabulary of BERT-base
G=$SHARED/tokenizer_golden/ggml-vocab-bert-bge.gguf
if [ -f "$G.inp" ]; then
	perl -0777 -ne '
		for (split /\n__ggml_vocab_test__\n/) {
			s/([^!-~])/sprintf "\\x%02x", ord $1/ge;
			s/=/\\x3d/g;
			print "text_a=$_\n";
		}' "$G.inp" | $rec >golden.tfr
	bert-tokenize -qm "$V/bert-base-uncased" --no-special --format ids \
		golden.tfr >got
	sed 's/^ *//; s/ *$//' "$G.out" >wanted
	[ "$(wc -l <wanted)" -gt 40 ]
	result $? 'there are strings'
	same got wanted 'the strings of bert-bge'
else
	skip 'the strings of bert-bge' "no $G.inp"
fi

# a real run of Google's run_classifier on MRPC
R=$SHARED/tf/bert_tiny_mrpc
if [ -f "$R/mrpc_output/eval.tf_record" ]; then
	tokens='print join(" ", sort grep /^(input|segment)_/, split /\t|\n/), "\n"'
	for part in dev:eval:4 train:train:4; do
		tsv=$R/MRPC/${part%%:*}.tsv
		part=${part#*:}
		tr -d '\r' <"$tsv" | perl -F'\t' -lane '
			next if $. == 1;
			s/([^ -~])/sprintf "\\x%02x", ord $1/ge for @F;
			print "text_a=$F[3]\ttext_b=$F[4]"' | $rec |
			bert-tokenize -qm "$V/bert-base-uncased" \
				--dialect google --pad 128 |
			$rec -d | perl -ne "$tokens" >got
		$rec -d <"$R/mrpc_output/${part%%:*}.tf_record" |
			perl -ne "$tokens" >wanted
		[ "$(wc -l <wanted)" -gt 400 ]
		result $? "there are records (${part%%:*})"
		cmp got wanted >why 2>&1
		result $? "the features of run_classifier (${part%%:*})"
	done
else
	skip 'the features of run_classifier' "no $R"
fi

# MiniLM: vocab.txt has CRLF, tokenizer.json asks for 128 tokens and padding
L=$V/all-MiniLM-L6-v2
text='Naïve CAFÉ, 中文 [MASK] unaffable…'
u=$(echo "$text" | bert-tokenize -qm "$V/bert-base-uncased" --lines --format ids)
for m in "$L" "$L/vocab.txt" "$L/tokenizer.json" "$V/bert-base-uncased/vocab.txt"; do
	is "$(echo "$text" | bert-tokenize -qm "$m" --lines --format ids)" "$u" \
		"the same ids from ${m#"$V/"}"
	is "$(echo "$text" | bert-tokenize -qm "$m" --lines |
		$rec -d | sed 's/.*tokenizer=//')" \
		"$(echo | bert-tokenize -qm "$V/bert-base-uncased" --lines |
			$rec -d | sed 's/.*tokenizer=//')" '... and fingerprint'
done

for m in bert-base-cased bert-base-multilingual-cased; do
	works "$m" bert-tokenize -vm "$V/$m" --lines --format ids /dev/null
	like "$(cat err)" '*text is left in case*' '... is cased'
done
works 'bert-base-chinese' \
	bert-tokenize -vm "$V/bert-base-chinese" --lines --format ids /dev/null
like "$(cat err)" '*21128 tokens; text is made lower case*' \
	'... is not, and U+2028 is one of its tokens'
for q in "$V"/quirks/*lowercased-specials*; do
	refuses '*lacks the token*' 'lower-case special tokens are refused' \
		bert-tokenize -m "$q" --lines --format ids /dev/null
done

# RoBERTa: llama.cpp's strings, and what the model's authors say of its ids
R=$V/roberta-base
G=$SHARED/tokenizer_golden/ggml-vocab-roberta-bpe.gguf
if [ -f "$G.inp" ]; then
	perl -0777 -ne '
		for (split /\n__ggml_vocab_test__\n/) {
			s/([^!-~])/sprintf "\\x%02x", ord $1/ge;
			s/=/\\x3d/g;
			print "text_a=$_\n";
		}' "$G.inp" | $rec >golden.tfr
	bert-tokenize -qm "$R" --no-special --format ids golden.tfr >got
	sed 's/^ *//; s/ *$//' "$G.out" >wanted
	[ "$(wc -l <wanted)" -gt 40 ]
	result $? 'there are strings'
	same got wanted 'the strings of roberta'
else
	skip 'the strings of roberta' "no $G.inp"
fi
is "$(printf 'Hello world\n' | bert-tokenize -qm "$R" --lines --format ids)" \
	'0 31414 232 2' 'RoBERTa'
finish
