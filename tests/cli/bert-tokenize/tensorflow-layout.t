#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: the records and meta data of TensorFlow's own programs.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
rec=$TEST_TOP/tests/fixtures/tok-records.pl

printf '%s\n' 'id=7	text_a=Hello world	label=yes	weight=0.5' \
	'id=8	text_a=a	text_b=the book	label=no	weight=2' >in
$rec <in >in.tfr
layout() { bert-tokenize -qm "$M" --pad 6 --layout "$@" in.tfr | $rec -d; }

bert-tokenize -qm "$M" --pad 6 --labels no,yes in.tfr | $rec -d |
	sed 's/tokenizer=[^	]*/tokenizer=T/' >got
cat >wanted <<-E2
	id=7	input_ids=2 332 333 3 0 0	input_mask=1 1 1 1 0 0	is_real_example=1	label=yes	label_ids=1	segment_ids=0 0 0 0 0 0	tokenizer=T	weight=0.5
	id=8	input_ids=2 61 3 323 339 3	input_mask=1 1 1 1 1 1	is_real_example=1	label=no	label_ids=0	segment_ids=0 0 0 1 1 1	tokenizer=T	weight=2
E2
same got wanted 'a padded record has what TensorFlow reads, and our own'
bert-tokenize -qm "$M" --pad 6 --attend-pad --labels no,yes in.tfr | $rec -d |
	sed 's/tokenizer=[^	]*/tokenizer=T/' >got
sed 's/input_mask=1 1 1 1 0 0/input_mask=1 1 1 1 1 1/' wanted >attended
same got attended '--attend-pad: no padding is masked'
exits 2 '... which goes with --pad' bert-tokenize -m "$M" --attend-pad in.tfr
exits 2 '... and with records' bert-tokenize -m "$M" --pad 6 --attend-pad --format ids in.tfr
layout bert --labels no,yes >got
cat >wanted <<-E2
	input_ids=2 332 333 3 0 0	is_real_example=1	input_mask=1 1 1 1 0 0	label_ids=1	segment_ids=0 0 0 0 0 0
	input_ids=2 61 3 323 339 3	is_real_example=1	input_mask=1 1 1 1 1 1	label_ids=0	segment_ids=0 0 0 1 1 1
E2
same got wanted '--layout bert: what run_classifier.py writes, in its order'
layout modelgarden --labels no,yes >got
cat >wanted <<-E2
	example_id=0	input_ids=2 332 333 3 0 0	input_mask=1 1 1 1 0 0	is_real_example=1	label_ids=1	segment_ids=0 0 0 0 0 0	weight=0.5
	example_id=1	input_ids=2 61 3 323 339 3	input_mask=1 1 1 1 1 1	is_real_example=1	label_ids=0	segment_ids=0 0 0 1 1 1	weight=2
E2
same got wanted '--layout modelgarden: and create_finetuning_data.py'

# labels
printf '\357\273\277no\r\n\r\nyes\r\n' >labels.txt
echo '["no", "yes"]' >labels.json
echo '{"id2label": {"0": "no", "1": "yes"}}' >config.json
for f in labels.txt labels.json config.json; do
	layout modelgarden --labels $f >got
	same got wanted "labels from $f"
done
bad() { refuses "$1" "$2" bert-tokenize -m "$M" --pad 6 --labels "$3" in.tfr; }
bad "*'in.tfr': record 1: the label 'yes' is not one of the 2 labels given ('no' ... 'maybe')" \
	'a label that is none of them' no,maybe
echo '{"text_a": "a", "label": "yes, sir, or"}' | tfrecord-cat -q --from-json -o comma.rec
refuses "*the label 'yes, sir, or' is not one of the 4 labels given ('yes' ... 'no'); labels with commas need a file, with one per line" \
	'a label with a comma in a list' bert-tokenize -m "$M" --labels 'yes, sir, or,no' comma.rec
misuses "*label 'no' stands there twice" 'a label twice' \
	bert-tokenize -m "$M" --labels no,yes,no in.tfr
misuses '*(labels with commas need a file, with one per line): label 2 is empty*' 'an empty label' bert-tokenize -m "$M" --labels no,,yes in.tfr
echo one >one
bad "*'one' names 1 label, expected at least two" 'one label only' one
bad "*'nosuch'*No such file*" 'no such file' nosuch
echo '["a", 1]' >bad.json
bad "*'bad.json': entry 1 of the array is not a text" 'a number in an array' bad.json
echo '["a", ' >bad.json
bad "*'bad.json': line*" 'broken JSON' bad.json
printf 'a\n\377\n' >bad.txt
bad "*'bad.txt': label 2 is not valid UTF-8" 'a label that is no text' bad.txt
exits 2 'labels and numbers' bert-tokenize -m "$M" --labels a,b \
	--label-type float in.tfr

printf '%s\n' 'text_a=a	label=3.2' 'text_a=b	label=-1e-2' 'text_a=c' |
	$rec >num.tfr
bert-tokenize -qm "$M" --pad 4 --layout modelgarden --label-type float \
	--dummy-label 0.0 num.tfr >num.out
tfrecord-cat --json num.out | sed 's/.*"label_ids": *\([^,}]*\).*/\1/' >got
printf '%s\n' 3.2 -0.01 0.0 >wanted
tr -d '[] ' <got | sed 's/{"float"://; s/^0$/0.0/; s/}//' >got2
same got2 wanted '--label-type float: label_ids are floats, with a dummy'
refuses "*record 1: label_ids holds a number to predict (3.2)*" \
	'which is no class to train on' \
	bert-train --init-config tiny -o nomodel num.out
refuses "*record 1: the label '3.2' is not a whole number" '--label-type int' \
	bert-tokenize -m "$M" --label-type int num.tfr
printf '%s\n' 'text_a=a	label=x' | $rec >num.tfr
refuses "*record 1: the label 'x' is not a number" 'nor float' \
	bert-tokenize -m "$M" --label-type float num.tfr
printf '%s\n' 'text_a=a	label=-3' | $rec >num.tfr
is "$(bert-tokenize -qm "$M" --label-type int num.tfr | tfrecord-cat --json |
	grep -c '"label_ids": *\[\{0,1\}-3')" 1 'whole numbers may be negative'
layout modelgarden --label-type none | grep -c label_ids >got
is "$(cat got)" 0 '--label-type none leaves label_ids out'
printf 'text_a=a\n' | $rec >nolabel.tfr
is "$(bert-tokenize -qm "$M" --pad 6 --layout bert --labels no,yes \
	--dummy-label no nolabel.tfr | $rec -d | grep -c label_ids=0)" 1 \
	'--dummy-label for records without one'
works 'records without labels' bert-tokenize -m "$M" --pad 6 --layout bert \
	--labels no,yes -o o.tfr nolabel.tfr
like "$(cat err)" '*warning: 1 of 1 records have no label_ids*--dummy-label*' \
	'messages say so'
printf '%s\n' 'text_a=a	weight=1' 'text_a=a' | $rec >half.tfr
works 'records with and without weights' bert-tokenize -m "$M" --pad 6 \
	--layout modelgarden --label-type none -o o.tfr half.tfr
like "$(cat err)" '*warning: 1 of 2 records have no weight*' 'messages say so'
refuses "*'nolabel.tfr': record 1: the label 'x' is not one of*" \
	'a dummy that is no label' bert-tokenize -m "$M" --labels no,yes \
	--dummy-label x nolabel.tfr

# example_id
printf '%s\n' 'id=de-000000017	text_a=a' 'id=23	text_a=b' | $rec >ids.tfr
is "$(bert-tokenize -qm "$M" --pad 4 --layout modelgarden --label-type none \
	--example-id id ids.tfr | $rec -d | sed 's/	.*//' | tr '\n' ' ')" \
	'example_id=17 example_id=23 ' '--example-id id takes the number of the id'
is "$(bert-tokenize -qm "$M" -j 3 --pad 4 --layout modelgarden ids.tfr ids.tfr |
	$rec -d | sed 's/	.*//' | tr '\n' ' ')" \
	'example_id=0 example_id=1 example_id=2 example_id=3 ' \
	'else records are counted through all inputs'
seq 40000 | sed 's/.*/text_a=a &/' | $rec >many.tfr
bert-tokenize -qm "$M" --pad 6 --layout modelgarden many.tfr |
	$rec -d | sed 's/^example_id=\([0-9]*\).*/\1/' >got
seq 0 39999 >wanted
same got wanted 'also where there are many'
printf 'id=de-x	text_a=a\n' | $rec >ids.tfr
refuses "*the id 'de-x' has no number in it" 'an id without a number' \
	bert-tokenize -m "$M" --pad 4 --layout modelgarden --example-id id ids.tfr
refuses '*the record has no id' 'no id' \
	bert-tokenize -m "$M" --pad 4 --layout modelgarden --example-id id nolabel.tfr

# meta data
meta() {
	bert-tokenize -qm "$M" --pad 6 --layout modelgarden --labels no,yes \
		--meta-data meta.json -o o.tfr "$@"
}
works 'meta data' meta --part eval --processor "$(printf 'Caf\303\251')" in.tfr
grep -qi '"Caf.u00e9"' meta.json
result $? 'are ASCII'
rm meta.json
works 'of the evaluation part' meta --part eval --processor XNLI in.tfr
works 'the training part' meta --part train in.tfr in.tfr
works 'a test part' meta --part test=de in.tfr
works 'and the first again' meta --part eval in.tfr in.tfr in.tfr
cat >wanted <<-E2
	{
	    "processor_type": "XNLI",
	    "train_data_size": 4,
	    "max_seq_length": 6,
	    "test_de_data_size": 2,
	    "task_type": "bert_classification",
	    "num_labels": 2,
	    "has_sample_weights": true,
	    "eval_data_size": 6
	}
E2
same meta.json wanted 'are Model Garden'"'"'s, in its order'
refuses "*meta data 'meta.json': num_labels is 2 there, and 3 here*" \
	'other labels' meta --part train --labels no,yes,x in.tfr
refuses "*max_seq_length is 6 there, and 8 here*" 'another length' \
	meta --part train --pad 8 in.tfr
refuses "*processor_type is \"XNLI\" there, and \"X\" here*" \
	'another processor' meta --part train --processor X in.tfr
same meta.json wanted 'nothing is changed then'
echo old >kept
refuses "*cannot create 'nodir/meta.json'*" 'a file that cannot be written' \
	bert-tokenize -m "$M" --pad 6 --labels no,yes --part eval \
	--meta-data nodir/meta.json -o kept in.tfr
is "$(cat kept)" old 'is seen before all else'
declines 2 "*same' is the same file as another output*" 'records and meta data in one file' \
	bert-tokenize -m "$M" --pad 6 --labels no,yes --part eval --meta-data ./same -o same in.tfr
cp in.tfr input.tfr
declines 2 "*'input.tfr' is both input and output*" 'meta data in place of the input' \
	bert-tokenize -m "$M" --pad 6 --labels no,yes --part eval --meta-data input.tfr -o kept input.tfr
exits 2 'a part is needed' bert-tokenize -m "$M" --pad 6 --labels a,b \
	--meta-data meta.json in.tfr
exits 2 'one that is known' meta --part dev in.tfr
exits 2 'or well-formed' meta --part test= in.tfr
exits 2 'labels are needed' bert-tokenize -m "$M" --pad 6 \
	--meta-data m2.json --part train in.tfr
exits 2 'one length is needed' bert-tokenize -m "$M" --labels a,b \
	--meta-data m2.json --part train in.tfr
exits 2 'also for a layout' bert-tokenize -m "$M" --layout bert in.tfr
exits 2 'and records' bert-tokenize -m "$M" --layout bert --pad 6 \
	--format ids in.tfr
[ ! -e m2.json ]
result $? 'a mistake leaves no file'

printf '%s\n' 'text_a=a	label=3.2' | $rec >num.tfr
bert-tokenize -qm "$M" --pad 6 --layout modelgarden --label-type float \
	--meta-data sts.json --processor STS-B --part train -o o.tfr num.tfr
cat >wanted <<-E2
	{
	    "processor_type": "STS-B",
	    "train_data_size": 1,
	    "max_seq_length": 6,
	    "task_type": "bert_regression",
	    "label_type": "float"
	}
E2
same sts.json wanted 'of a regression'
for p in eval=de-en.de eval=de-en.en test=de-en.de; do
	bert-tokenize -qm "$M" --pad 6 --layout modelgarden --label-type none \
		--meta-data bucc.json --processor BUCC --part $p -o o.tfr in.tfr
done
cat >wanted <<-E2
	{
	    "processor_type": "BUCC",
	    "max_seq_length": 6,
	    "number_eval_data": {
	        "de-en.de": 2,
	        "de-en.en": 2
	    },
	    "number_test_data": {
	        "de-en.de": 2
	    }
	}
E2
same bucc.json wanted 'of a retrieval task'
exits 2 'which has no training part' bert-tokenize -m "$M" --pad 6 \
	--label-type none --meta-data bucc.json --part train in.tfr
refuses "*meta data 'bucc.json': is about retrieval data" \
	'and is no classification' bert-tokenize -m "$M" --pad 6 --labels a,b \
	--meta-data bucc.json --part train in.tfr

# words: 200 characters are BERT's limit, 400 Model Garden's, 100 everyone's
w=$(printf 'a%.0s' $(seq 300))
tokens() { echo "$w" | bert-tokenize -qm "$M" --lines --format ids "$@" | wc -w; }
is "$(tokens --dialect hf) $(tokens --dialect google) $(tokens --dialect modelgarden)" \
	'3 3 302' 'words of 300 characters'
cp -r "$M" model
printf '{"do_lower_case": true, "dialect": "modelgarden"}' >model/tokenizer_config.json
M=model
is "$(tokens)" 302 'a directory may name the dialect'

# a real run of BERT's run_classifier.py on MRPC: the same bytes
R=$SHARED/tf/bert_tiny_mrpc
for part in eval:dev train:train; do
	name="MRPC as run_classifier.py wrote it: ${part%%:*}"
	if [ ! -f "$R/mrpc_output/${part%%:*}.tf_record" ]; then
		skip "$name" "no $R"
		continue
	fi
	csv2tfrecord -q --no-quote -t '#1 String' --pair '#2 String' -l Quality \
		-o text.rec "$R/MRPC/${part#*:}.tsv"
	bert-tokenize -qm "$SHARED/vocab/bert-tiny-uncased_L-2_H-128_A-2" \
		--layout bert --pad 128 --labels 0,1 --meta-data mrpc.json \
		--processor MRPC --part "${part%%:*}" -o got text.rec
	cmp got "$R/mrpc_output/${part%%:*}.tf_record" >why 2>&1
	result $? "$name"
done
if [ -f mrpc.json ]; then
	is "$(tr -d ' \n' <mrpc.json)" \
		'{"processor_type":"MRPC","train_data_size":3668,"max_seq_length":128,"task_type":"bert_classification","num_labels":2,"eval_data_size":408}' \
		'and its meta data'
else
	skip 'and its meta data' "no $R"
fi
for o in '--labels a,b' '--label-type int' '--dummy-label a'; do
	# shellcheck disable=SC2086
	misuses '*set label_ids, which only --format tfrecord has*' "$o in JSON" \
		bert-tokenize -m "$DATA/tok/uncased" --lines --format json $o /dev/null
done
misuses '*--example-id needs --layout modelgarden*' 'an example_id of other records' \
	bert-tokenize -m "$DATA/tok/uncased" --lines --example-id id /dev/null
misuses '*--truncation and --no-truncation exclude each other*' 'both' \
	bert-tokenize -m "$DATA/tok/uncased" --lines --truncation only_first --no-truncation /dev/null
finish
