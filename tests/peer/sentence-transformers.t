#!/bin/sh
# SPDX-License-Identifier: MIT
# Directories of sentence-transformers, ours and its own: the same embeddings of texts,
# of which some are longer than the model takes, and of copies.
# Not under thread: compares numbers, with the threads of cli/bert-predict/embed-auto
# Not under address: compares numbers with those of PyTorch; cli/bert-predict/embed-auto runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
peer=$TEST_TOP/tests/fixtures/sentence-peer.py

peer_or_end 'sentence-transformers embeds alike' sentence_transformers
minilm_or_end 'sentence-transformers embeds alike'
data=$SHARED/banking77/test.csv
[ -f "$data" ] || data=$TEST_TOP/pipelines/data/library-test.csv
tail -n +2 "$data" | tr -d '\r' | grep -v '"' | head -n 300 >some
paste -s -d ' ' some | fold -s -w 2000 >long
cat some long >texts
printf '%s\n' '' '   ' '.' >>texts

small_config=tiny
small_data
small_train m -q --epochs 2
works 'sentence-transformers saves models' "$PEER_PYTHON" "$peer" make m
made=$(cat out)
is "$(echo "$made" | wc -l | tr -d ' ')" 8 '... of each pooling, and with dense layers'
ln -s "$MINILM" minilm
works 'a copy' ckpt-convert -q "$MINILM" copy/
works 'another' ckpt-convert -q mean.norm norm.copy/
works 'one of another layout' ckpt-convert -q old old.copy/
made="$made old.copy"
for d in minilm copy norm.copy $made; do
	case $d in
	*norm*) set -- --prompt query ;;
	*) set -- ;;
	esac
	works "$d" bert-tokenize -m $d --lines "$@" -o texts.rec texts
	like "$(cat err)" "*truncated to *" '... truncates some texts'
	bert-predict -q -m $d --embed auto --dtype f32 -o $d.npy texts.rec
done
# shellcheck disable=SC2086
"$PEER_PYTHON" "$peer" compare texts 1e-5 minilm copy norm.copy $made >said 2>why
result $? 'sentence-transformers embeds'
for d in minilm copy norm.copy $made; do
	grep "^$d:" said >why
	grep -q "^$d: .* alike" said
	result $? "... alike: $d"
done
finish
