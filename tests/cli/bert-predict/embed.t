#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --embed: its forms, and against transformers where that is there.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train m -q
n=0
rows=$(($(wc -l <dev.csv) - 1))

for how in cls mean max; do
	works "--embed $how" bert-predict -m m --embed $how --format tensor -o $how.ts dev.rec
	like "$(cat err)" "bert-predict: $rows embeddings in *" '... says how many'
	like "$(tensor-cat --json $how.ts)" \
		"*\"name\": \"embeddings\", \"dtype\": \"F32\", \"shape\": \[$rows, 128\]*" \
		'... and what they are'
done
exits 1 'mean and max differ' tensor-cat --compare mean.ts max.ts
exits 1 'mean and cls differ' tensor-cat --compare mean.ts cls.ts
bert-predict -q -m m --embed mean -j 3 --format tensor dev.rec >o.ts
same o.ts mean.ts 'the same bytes with three threads'
bert-predict -q -m m --embed mean dev.rec >mean.csv
tensor-cat -q --csv mean.ts >o.csv
same o.csv mean.csv 'CSV: the same numbers'
bert-predict -q -m m --embed mean --format jsonl dev.rec |
	sed 's/^{"id": "\(.*\)", "embeddings": \[/\1,/; s/\]}$//; s/, /,/g' >o.csv
tail -n +2 mean.csv >wanted
same o.csv wanted 'and JSON Lines'
bert-predict -q -m m --embed mean --normalize dev.rec >norm.csv
is "$(awk -F, 'NR > 1 { s = 0; for (i = 2; i <= NF; i++) s += $i * $i
	if (s < .99999 || s > 1.00001) print $1, s }' norm.csv)" '' '--normalize'
bert-predict -q -m m --embed mean --truncate-dim 16 dev.rec >cut.csv
cut -d , -f 1-17 mean.csv >wanted
same cut.csv wanted '--truncate-dim'
bert-predict -q -m m --embed mean --truncate-dim 128 dev.rec >cut.csv
same cut.csv mean.csv '... of all'
bert-predict -q -m m --embed mean --truncate-dim 16 --normalize dev.rec >cut.csv
is "$(awk -F, 'NR > 1 { s = 0; for (i = 2; i <= NF; i++) s += $i * $i
	if (NF != 17 || s < .99999 || s > 1.00001) print $1, s }' cut.csv)" '' '... of length 1'
misuses "*the model's embeddings have 128 values, so 129 of them cannot be kept*" '... of more' \
	bert-predict -q -m m --embed mean --truncate-dim 129 dev.rec
misuses '*need --embed*' '... of none' bert-predict -q -m m --truncate-dim 16 dev.rec
exits 2 'no labels of embeddings' bert-predict -m m --embed mean --proba dev.rec
exits 2 '--normalize alone' bert-predict -m m --normalize dev.rec
exits 2 'no such way' bert-predict -m m --embed median dev.rec

# an encoder without a classifier
mkdir encoder
cp m/*.txt m/*.json encoder
"$TEST_TOP/tests/lib/encoder" m/model.safetensors >encoder/model.safetensors
perl -MJSON::PP -0777 -ne '$c = decode_json($_); delete @$c{qw(id2label label2id)};
	$c->{architectures} = ["BertModel"];
	print encode_json($c)' m/config.json >encoder/config.json
rm -f o.ts
works 'an encoder alone' bert-predict -q -m encoder --embed mean --format tensor -o o.ts dev.rec
same o.ts mean.ts '... gives the same'
refuses "*'encoder' does not hold a trained classifier*" 'and predicts no labels' \
	bert-predict -m encoder dev.rec

peer_or_end 'transformers embeds alike'
minilm_or_end 'transformers embeds alike'
cut -d, -f2 dev.csv | tail -n +2 >texts
echo 'One text is longer than the others, so that padding has something to do here.' >>texts
bert-tokenize -qm "$MINILM" --lines --max-length 128 -o texts.rec texts
for how in cls mean max norm; do
	case $how in
	norm) set -- mean --normalize ;;
	*) set -- $how ;;
	esac
	bert-predict -qm "$MINILM" --dtype f32 --embed "$@" --format tensor texts.rec 2>err |
		tensor-cat -q --npy >$how.npy
done
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/embed-peer.py" \
	"$MINILM" texts 1e-5 cls mean max norm >said 2>why
result $? 'transformers embeds'
for how in cls mean max norm; do
	grep "^$how:" said >why
	grep -q "^$how: .* alike" said
	result $? "... alike: $how"
done
finish
