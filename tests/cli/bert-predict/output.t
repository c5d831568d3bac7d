#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict: forms of output, and sample submissions.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train m -q --epochs 3
n=0
rows=$(($(wc -l <dev.csv) - 1))

works 'CSV' bert-predict -m m dev.rec
is "$(head -n 1 out)" 'id,label' 'header'
is "$(wc -l <out | tr -d ' ')" $((rows + 1)) 'a row for each record'
cut -d, -f1 out | tail -n +2 >ids
cut -d, -f1 dev.csv | tail -n +2 >wanted
same ids wanted 'ids in the order of the input'
like "$(cat err)" '*predicted *parking [0-9]*' 'tells how often each class was predicted'
is "$(awk -F, 'NR > 1 && $2 !~ /^(parking|get_card|pay_fine|wifi_access)$/' out)" '' \
	'labels are the texts of training'
cp out plain.csv
bert-predict -q -m m -o o.csv - <dev.rec
same o.csv plain.csv 'the same from a pipe into a file'
bert-predict -q -m m -j 3 dev.rec >o.csv
same o.csv plain.csv 'and with three threads'
cat dev.rec dev.rec >twice.rec
bert-predict -q -m m dev.rec dev.rec >o.csv
bert-predict -q -m m twice.rec >o2.csv
same o.csv o2.csv 'several files are one stream'
works 'its last line' bert-predict -m m -o /dev/null dev.rec
like "$(tail -n 1 err)" '*predictions in *s: *examples/s, *tokens/s, *GFLOP/s, peak memory * MB' 'tells its speed'
works 'says where the time goes' bert-predict -m m --profile -o /dev/null dev.rec
like "$(cat err)" '*ms/step*linear 128 to 512*GFLOP/s*in all*tokens/s in 1 steps*limits measured here*' 'in a table'
like "$(tail -n 1 err)" '*GFLOP/s (* % of the matrix-product peak), peak*' 'the last line gives the share'
works 'so does bert-eval' bert-eval -m m --profile dev.rec
like "$(cat err)" '*ms/step*attention*in all*tokens/s in 1 steps*' 'in a table too'
works 'column names' bert-predict -q -m m --header 'ID,the "label"' dev.rec
is "$(head -n 1 out)" 'ID,"the ""label"""' 'are written as given'
misuses "*bad value 'xx' for --delimiter: expected one character, *" 'no delimiter' \
	bert-predict -m m --delimiter xx dev.rec
misuses '*two columns*' 'one name only' bert-predict -m m --header ID dev.rec
works 'probabilities' bert-predict -q -m m --proba dev.rec
is "$(head -n 1 out)" 'id,label,get_card,parking,pay_fine,wifi_access' 'a column a class'
is "$(awk -F, 'NR > 1 { s = $3 + $4 + $5 + $6; if (s < .9999 || s > 1.0001) n++ }
	END { print n + 0 }' out)" 0 'which add up to 1'
works 'the likeliest classes' bert-predict -q -m m --top 2 dev.rec
is "$(head -n 1 out)" 'id,label,probability,label_2,probability_2' 'in pairs'
is "$(awk -F, 'NR > 1 && ($3 < $5 || $2 == $4)' out)" '' 'falling, and different'
cut -d, -f1,2 out >o.csv
same o.csv plain.csv 'the first is the label'
misuses '*4 classes*' 'more than there are' bert-predict -m m --top 5 dev.rec
works 'records' bert-predict -q -m m --format tfrecord --top 2 --proba -o p.rec dev.rec
bert-predict -q -m m --top 2 --proba dev.rec | sed 1d >p.csv
is "$(tfrecord-cat --count p.rec)" "$(wc -l <p.csv | tr -d ' ')" 'as many'
# a line of CSV of each: id, label, its probability, the second, all
tfrecord-cat -q --json p.rec | tr -d '[]"{} ' | awk -F'[:,]' '{
	n = 0
	for (i = 1; i <= NF; i++)
		if ($i ~ /^(id|label|probabilit|top_)/) name = $i
		else v[name] = v[name] "," $i
	split(substr(v["top_labels"], 2), l, ",")
	split(substr(v["top_probabilities"], 2), t, ",")
	print substr(v["id"], 2) v["label"] v["probability"] "," l[2] "," t[2] v["probabilities"]
	if (l[1] != substr(v["label"], 2) || t[1] != substr(v["probability"], 2)) print "differs"
	delete v
}' >got.csv
same got.csv p.csv 'what CSV says'
works 'JSON Lines' bert-predict -q -m m --format jsonl --top 1 --proba dev.rec
like "$(head -n 1 out)" \
	'{"id": "L0*", "label": "*", "probability": 0.*, "top": \[{*}\], "probabilities": {"get_card": *}}' \
	'an object a line'

# Records without ids.
csv2tfrecord -q -t text train.csv | bert-tokenize -q -m m >noid.rec
works 'without ids' bert-predict -m m noid.rec
is "$(sed -n 2,3p out | cut -d, -f1 | tr '\n' ' ')" '0 1 ' 'records are numbered from 0'
like "$(cat err)" '*: the records have no ids: they are numbered from 0*' 'which a note says'
is "$(grep -c warning err)" 0 'without a warning: none has an id'
cat dev.rec noid.rec >some.rec
for o in '' '--format tensor'; do
	# shellcheck disable=SC2086
	works "some have ids $o" bert-predict -m m $o some.rec
	like "$(cat err)" '*warning: records without an id were numbered from 0; others have ids*' 'which is warned of'
done
is "$(grep -c 'an earlier one' err)" 0 'none of these ids comes again'
cat dev.rec train.rec dev.rec >again.rec
for o in '' '--format jsonl' '--format tensor' '--embed mean'; do
	# shellcheck disable=SC2086
	works "ids that come again $o" bert-predict -m m $o again.rec
	like "$(cat err)" "*warning: 32 records have the id of an earlier one, first 'L[0-9]*': *" \
		'are counted'
done
works 'without ids' bert-predict -m m --format tsv again.rec
is "$(grep -c 'an earlier one' err)" 0 'there is nothing to tell'

# Sample submissions: the same rows in another order.
{ echo 'ID,intent'; sed 1d plain.csv | sort -r | sed 's/,.*/,x/'; } >sample.csv
works 'a sample' bert-predict -q -m m --sample sample.csv dev.rec
is "$(head -n 1 out)" 'ID,intent' 'its header'
cut -d, -f1 out >a
cut -d, -f1 sample.csv >b
same a b 'its order'
sed 1d out | sort >a
sed 1d plain.csv | sort >b
same a b 'the same labels'
echo old >s.csv
sed 3d sample.csv >less.csv
refuses "*sample 'less.csv': 1 of $rows predictions are for ids that it does not list: 'L*' (--sample-missing*--sample-extra*" 'an id too few' \
	bert-predict -m m --sample less.csv -o s.csv dev.rec
{ cat sample.csv; echo 'L9999,x'; } >more.csv
refuses "*1 of its $((rows + 1)) ids have no prediction: 'L9999' (--sample-missing*" 'an id too many' \
	bert-predict -m m --sample more.csv -o s.csv dev.rec
{ cat sample.csv; sed -n 2p sample.csv; } >double.csv
refuses "*'double.csv': 1 of $((rows + 1)) rows repeat an id: 'L*'*--sample-id*" 'an id twice' bert-predict -m m --sample double.csv -o s.csv dev.rec
refuses "*$rows of $((2 * rows)) predictions repeat an id: 'L*', 'L*', 'L*', ..." 'two predictions' \
	bert-predict -m m --sample sample.csv -o s.csv dev.rec dev.rec
is "$(cat s.csv)" old 'nothing is written then'
{ echo 'id,parking,get_card,pay_fine,wifi_access'; sed '1d; s/x$/0,0,0,0/' sample.csv; } >p.csv
works 'a sample with a column a class' bert-predict -q -m m --sample p.csv dev.rec
is "$(awk -F, 'NR > 1 { s = $2 + $3 + $4 + $5; if (s < .9999 || s > 1.0001) n++ }
	END { print n + 0 }' out)" 0 'takes probabilities'
sed '1s/parking/mars/' p.csv >q.csv
refuses "*column 'mars': not among the model's 4 labels; without a column: 'parking' (*" 'a column that is no class' \
	bert-predict -m m --sample q.csv dev.rec
misuses '*do not combine --sample*' 'a sample and a header' \
	bert-predict -m m --sample sample.csv --header a,b dev.rec
exits 2 'no model' bert-predict dev.rec
# several models
small_train m2 -q --epochs 2 --seed 7
bert-predict -q -m m --format tensor -o p.ts dev.rec
bert-predict -q -m m2 --format tensor -o q.ts dev.rec
tensor-cat -q --mean --softmax -o mean.ts p.ts q.ts
bert-predict -q -m m -m m2 --format tensor dev.rec | tensor-cat -q --softmax -o both.ts
works 'the mean of two models' tensor-cat --compare --tolerance 1e-6 mean.ts both.ts
tensor-cat -q --label mean.ts >wanted
bert-predict -q -m m -m m2 dev.rec >o.csv
same o.csv wanted '... and its labels'
exits 1 'is neither' tensor-cat --compare --tolerance 1e-6 mean.ts p.ts
csv2tfrecord -q -i id -t text -l intent "$TEST_TOP/pipelines/data/library-dev.csv" |
	bert-tokenize -q -m vocab.txt --max-length 48 -o more.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o m3 more.rec
refuses "*'m3' has 24 classes, the first model 4" 'other classes' \
	bert-predict -m m -m m3 dev.rec
cp -r m2 m4
perl -MJSON::PP -0777 -ne '$c = decode_json($_); my $l = $c->{id2label};
	@$l{0, 1} = @$l{1, 0}; $c->{label2id} = {map { $l->{$_} => $_ + 0 } keys %$l};
	print encode_json($c)' m2/config.json >m4/config.json
bert-predict -q -m m -m m4 --proba dev.rec >o.csv
bert-predict -q -m m4 -m m --proba dev.rec | awk -F, -v OFS=, \
	'{ t = $3; $3 = $4; $4 = t; print }' >o2.csv
same o.csv o2.csv 'classes in another order are found by name'
exits 2 'one model embeds' bert-predict -m m -m m2 --embed mean dev.rec

# tensors
works 'tensors' bert-predict -m m --format tensor -o p.ts dev.rec
like "$(cat err)" "bert-predict: $rows predictions in *" '... and says how many'
tensor-cat -q --label p.ts >o.csv
same o.csv plain.csv 'hold the same answers'
bert-predict -q -m m --proba dev.rec | cut -d, -f 1,3- >proba.csv
tensor-cat -q --softmax --csv p.ts >o.csv
same o.csv proba.csv 'and probabilities'
bert-predict -q -m m --format tensor -j 3 - <dev.rec >o.ts
same o.ts p.ts 'the same bytes with three threads'
exits 2 'tensors have no header' bert-predict -m m --format tensor --header a,b dev.rec
exits 1 'no tensors to a full disk' sh -c \
	'bert-predict -q -m m --format tensor dev.rec >/dev/full'
head -c -5 dev.rec >cut.rec
bert-predict -q -m m --format tensor cut.rec >o.ts 2>err
exits 1 'records that are cut off make a stream that is' tensor-cat --verify o.ts
csv2tfrecord -q -t text dev.csv | bert-tokenize -q -m m |
	bert-predict -m m --format tensor -o n.ts 2>err
like "$(cat err)" '*the records have no ids: they are numbered from 0*' 'records without ids'
is "$(tensor-cat -q --label n.ts | sed -n 3p | cut -d, -f1)" 1 '... get numbers'
finish
