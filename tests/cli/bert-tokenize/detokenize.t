#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize --detokenize: ids become text, through every decoder.
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
rec=$TEST_TOP/tests/fixtures/tok-records.pl

printf '%s\n' "It isn't good , do not read the Book" '' 'a [MASK] b' >texts
bert-tokenize -qm "$M" --lines --format ids texts >ids
bert-tokenize -qm "$M" --lines --detokenize ids >got
cat >wanted <<-E
	[CLS] it isn ' t good, do not read the book [SEP]
	[CLS] [SEP]
	[CLS] a [MASK] b [SEP]
E
same got wanted 'lines of ids become text'
bert-tokenize -m "$M" --lines --detokenize --skip-special ids >got 2>err
is "$(sed -n 1p got)" "it isn ' t good, do not read the book" \
	'--skip-special leaves out special tokens'
is "$(sed -n 3p got)" 'a b' '... all of them'
is "$(cat err)" 'bert-tokenize: 3 texts' 'the summary counts texts'
printf 'id=7\ttext_a=The book\ttext_b=is lost\tlabel=x\n' | $rec |
	bert-tokenize -qm "$M" --pad 12 -o r.tfr
is "$(bert-tokenize -qm "$M" --detokenize --format json r.tfr)" \
	'{"id": "7", "label": "x", "text": "[CLS] the book [SEP] is lost [SEP]"}' \
	'records become text, without padding'
is "$(echo 'Ünï <mask> 日本 x' |
	bert-tokenize -qm "$DATA/bpe/roberta" --lines |
	bert-tokenize -qm "$DATA/bpe/roberta" --detokenize --skip-special)" \
	'Ünï 日本 x' 'bytes come back as they were'
is "$(echo 'two books' | bert-tokenize -qm "$DATA/spm/albert" --lines |
	bert-tokenize -qm "$DATA/spm/albert" --detokenize --skip-special)" \
	'two books' 'a SentencePiece model'

for o in '--max-length 5' '--truncation only_first' --no-truncation --no-special --replace-invalid '--labels a,b' \
	'--label-type int' '--dummy-label a'; do
	# shellcheck disable=SC2086
	misuses '*options for tokens and labels do not go with --detokenize*' "$o" \
		bert-tokenize -m "$M" --lines --detokenize $o ids
done
refuses '*line 1: 365 is not an id of the 365 tokens' 'an id that is none' \
	sh -c 'echo 365 | bert-tokenize -m "$1" --lines --detokenize' sh "$M"
refuses '*line 2: no id at byte 2: expected*' 'no number' \
	sh -c 'printf "2\n2 -1\n" | bert-tokenize -m "$1" --lines --detokenize' \
	sh "$M"
refuses '*record 1: its tokens are another tokenizer*' \
	'tokens of another tokenizer' \
	bert-tokenize -m "$DATA/bpe/roberta" --detokenize r.tfr
exits 2 '--skip-special alone' bert-tokenize -m "$M" --skip-special r.tfr
exits 2 '--detokenize writes no records' bert-tokenize -m "$M" --detokenize \
	--format tfrecord r.tfr

# decoders of tokenizer.json: NAME WANTED JSON, tokens as below
tokens='"a":5,"##b":6,"▁c":7,"dee":8,"<0xC3>":9,"<0xA9>":10,".":11,"\u0120\u00c3":12,"\u00a9":13,"\n":14'
model() {
	printf '{"version":"1.0","added_tokens":[{"id":1,"content":"<s>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"pre_tokenizer":{"type":"Whitespace"},"decoder":%s,"model":{"type":"BPE","merges":[],"vocab":{"<pad>":0,"<s>":1,"</s>":2,"<unk>":3,"<mask>":4,%s}}}' \
		"$1" "$tokens" >model.json
}
decodes() {
	model "$3"
	is "$(echo 1 5 6 7 8 9 10 9 11 12 13 | bert-tokenize -qm model.json \
		--lines --detokenize)" "$2" "$1"
}
decodes 'no decoder' '<s> a ##b ▁c dee <0xC3> <0xA9> <0xC3> . ĠÃ ©' \
	'null'
decodes 'WordPiece' '<s> ab ▁c dee <0xC3> <0xA9> <0xC3>. ĠÃ ©' \
	'{"type": "WordPiece", "prefix": "##", "cleanup": true}'
decodes 'WordPiece as it is' '<s> ab ▁c dee <0xC3> <0xA9> <0xC3> . ĠÃ ©' \
	'{"type": "WordPiece", "prefix": "##", "cleanup": false}'
decodes 'ByteLevel' '<s>a##b▁cdee<0xC3><0xA9><0xC3>. é' \
	'{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}'
decodes 'Metaspace' '<s>a##b cdee<0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}'
decodes 'BPEDecoder' '<s>a##b▁cd  <0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "BPEDecoder", "suffix": "e"}'
decodes 'BPEDecoder of no suffix' ' < s >  a  # # b  ▁ c  d e e  < 0 x C 3 >  < 0 x A 9 >  < 0 x C 3 >  .  Ġ Ã ©' \
	'{"type": "BPEDecoder", "suffix": ""}'
decodes 'Sequence of nothing' '<s>a##b▁cdee<0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "Sequence", "decoders": []}'
decodes 'Replace' '<s>a##b▁cd(E)(E)<0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "Replace", "pattern": {"String": "e"}, "content": "(E)"}'
decodes 'Fuse' '<s>a##b▁cdee<0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "Fuse"}'
decodes 'ByteFallback' '<s>a##b▁cdee���.ĠÃ©' \
	'{"type": "ByteFallback"}'
decodes 'Strip' '<s>a##b▁cde<0xC3><0xA9><0xC3>.ĠÃ©' \
	'{"type": "Strip", "content": "e", "start": 0, "stop": 1}'
decodes 'Sequence' 's>a##b cdee���.ĠÃ©' \
	'{"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": "<", "start": 1, "stop": 0}]}'
model '{"type":"CTC"}'
refuses "*'model.json': decoder of type CTC is not supported" \
	'an unknown decoder is named' \
	sh -c 'echo 5 | bert-tokenize -m model.json --lines --detokenize'
model '{"type":"Fuse","fold":1}'
refuses "*decoder Fuse: 'fold' of the decoder is not supported" \
	'so is what a decoder has that is not known' \
	sh -c 'echo 5 | bert-tokenize -m model.json --lines --detokenize'
works '... only where it is asked for' \
	sh -c 'echo a | bert-tokenize -m model.json --lines'
model '{"type":"Fuse"}'
refuses '*line 1: the text has a line end in it (use --format json)' \
	'a line end in a text' \
	sh -c 'echo 5 14 | bert-tokenize -m model.json --lines --detokenize'
is "$(echo 5 14 | bert-tokenize -qm model.json --lines --detokenize \
	--format json)" '{"text": "a\u000a"}' '... is fine in JSON'

# more than a block of them, on any number of threads
awk 'BEGIN { for (i = 0; i < 20000; i++) print 2, 5 + i % 40, 6 + i % 7, 3 }' \
	>many
bert-tokenize -qm "$M" --lines --detokenize -j1 many >one
bert-tokenize -qm "$M" --lines --detokenize -j4 many >four
is "$(wc -l <one)" 20000 'a line for each'
same four one '... in the same order on four threads'
{ head -n 17000 many; echo 2 x; cat many; } >bad
refuses "*'bad': line 17001: no id at byte 2*" 'the first that is wrong is named' \
	bert-tokenize -m "$M" --lines --detokenize -j4 -o x bad
bert-tokenize -m "$M" --lines --detokenize -j4 bad 2>err |
	cmp - one 2>&1 | grep -q 'EOF on -'
result $? '... and what is written is before it'
bert-tokenize -qm "$M" --lines -o many.tfr one
head -c 900000 many.tfr >cut.tfr
refuses "*'cut.tfr': record *: ends inside a record*" 'a cut stream' \
	bert-tokenize -m "$M" --detokenize -j4 -o x cut.tfr

if ! compares 'the package tokenizers'; then
	finish
fi
for name in tok/uncased tok/added bpe/roberta bpe/affix bpe/llama \
	bpe/fallback bpe/single spm/albert spm/xlmr spm/deberta spm/bytes \
	kinds/modernbert kinds/deberta-v3 kinds/mmbert; do
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/tok-decode-peer.py" \
		"${PEER_COUNT:-40}" 1 "$DATA/$name.json" >why 2>&1
	result $? "$name: text equal to the package"
done
finish
