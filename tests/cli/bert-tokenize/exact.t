#!/bin/sh
# SPDX-License-Identifier: MIT
# Tokens, segments, offsets, words and masks of many texts: code points alone and
# between letters, random texts of many scripts, words without end. With the
# package `tokenizers` of PEER_PYTHON they are compared with what this makes, each fifth
# where a checksum says that all are what it made, without it with the checksums alone.
# Under sanitizers each fifth text is tokenized, and not compared.
# TOK_SUMS=FILE: the checksums are added to this file and not compared.
# TOK_EXACT=1: 100,000 random texts, all code points, words of 1 MB, and all texts
# of the data sets in ../shared/data; a minute or two for each of the tokenizers.
# TOK_KINDS='spm/xlmr google-cased': these only.
# shellcheck disable=SC2046
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
F=$TEST_TOP/tests/fixtures
sums=$DATA/tok/exact.sum
words=$DATA/tok/uncased/vocab.txt
peer=
[ -n "${TEST_KIND-}" ] || [ -z "${PEER_PYTHON-}" ] ||
	! "$PEER_PYTHON" -c 'import tokenizers' 2>/dev/null || peer=yes

# tokens MODEL DIALECT TEXTS: made in the file got
tokens() {
	[ -f "$3.tfr" ] || "$F/tok-records.pl" <"$3" >"$3.tfr"
	bert-tokenize -qm "$1" --dialect "$2" --format json -o got "$3.tfr"
}

# compare NAME MODEL [DIALECT]: the texts of the file texts
compare() {
	name=$1 model=$2
	case " ${TOK_KINDS-$1} " in
	*" $1 "*) ;;
	*) return 0 ;;
	esac
	tokens "$model" "${3-hf}" texts 2>why || {
		result 1 "$name"
		return
	}
	if [ -n "${TEST_KIND-}" ]; then
		result 0 "$name: tokens"
		return
	fi
	sum= recorded=
	[ -n "${TOK_EXACT-}" ] || {
		sum=$(sha256sum <got)
		recorded=$(sed -n "s,  $name\$,,p" "$sums")
	}
	if [ -n "$peer" ]; then
		[ "${3-hf}" = hf ] || model=$3:$model
		some=1
		[ -z "$recorded" ] || [ "${sum%% *}" != "$recorded" ] || some=5
		"$PEER_PYTHON" "$F/tok-exact.py" "$model" texts got $some >why 2>&1
		result $? "$name: as the package has it"
	fi
	[ "${3-hf}" = hf ] || return 0
	if [ -n "${TOK_SUMS-}" ]; then
		echo "${sum%% *}  $name" >>"$TOK_SUMS"
	elif [ -z "${TOK_EXACT-}" ]; then
		is "${sum%% *}" "$recorded" "$name: as recorded"
	fi
}

if [ -z "${TOK_EXACT-}" ]; then
	"$F/tok-texts.pl" 1500 997 20000 "$words" >texts
else
	"$F/tok-texts.pl" 100000 1 1000000 "$words" >texts
	[ ! -d "$SHARED" ] || "$F/tok-texts.pl" $(find "$SHARED" -name '*.inp' \
		-o -path '*quad/*.json' -o -name '*.[ct]sv' \
		-o -path '*conll*/*.txt') | LC_ALL=C sort -u >>texts
fi
[ "$(wc -l <texts)" -gt 18000 ]
result $? 'there are texts'
[ -z "${TEST_KIND-}" ] || { awk 'NR % 5 == 1' texts >some && mv some texts; }

for model in "$DATA"/tok/*.json "$DATA"/bpe/*.json "$DATA"/spm/*.json \
	"$DATA"/kinds/*.json; do
	name=${model#"$DATA/"}
	[ "${name##*/}" = golden.json ] || compare "${name%.json}" "$model"
done
# of Google's dialect a few lines of Python decide; the machine's version of
# Unicode does, too
if [ -n "$peer" ]; then
	compare google-uncased "$DATA/tok/uncased/vocab.txt" google
	compare google-cased "$DATA/tok/cased/vocab.txt" google
else
	skip "Google's dialect" 'PEER_PYTHON is not set, or lacks tokenizers, or a sanitizer runs'
fi
for name in uncased cased multilingual-cased chinese; do
	model=$SHARED/vocab/bert-base-$name/vocab.txt
	if [ -f "$model" ]; then
		compare "bert-base-$name" "$model"
	else
		skip "bert-base-$name" "no $model"
	fi
done
if [ -d "$SHARED/vocab/roberta-base" ]; then
	compare roberta-base "$SHARED/vocab/roberta-base"
else
	skip roberta-base "no $SHARED/vocab/roberta-base"
fi
# a real model, whose file has a limit
minilm=$SHARED/vocab/all-MiniLM-L6-v2/tokenizer.json
if [ -f "$minilm" ]; then
	perl -0pe 's/"truncation":\s*\{.*?\}/"truncation": null/s;
		s/"padding":\s*\{.*?\}(?=,\s*"added)/"padding": null/s' \
		"$minilm" >minilm.json
	compare minilm minilm.json
else
	skip minilm "no $minilm"
fi
finish
