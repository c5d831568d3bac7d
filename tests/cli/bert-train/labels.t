#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train: labels that are given, and records that only number them.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
labels() { tr -d ' \n' <"$1/config.json" | sed 's/.*"id2label":{\([^}]*\)}.*/\1/'; }

order=wifi_access,pay_fine,parking,get_card
small_train given -q --labels $order
is "$(labels given)" \
	'"0":"wifi_access","1":"pay_fine","2":"parking","3":"get_card"' \
	'labels keep the order in which they are given'
printf '%s\n' wifi_access pay_fine parking get_card >labels.txt
small_train file -q --labels labels.txt
cmp given/model.safetensors file/model.safetensors >why 2>&1
result $? 'from a list or from a file'
refuses "*record *: label 'pay_fine' is not one of the 3 labels known*" \
	'a label that is not given' small_train x --labels wifi_access,parking,get_card
printf 'text,label\nwhere is the wifi,1\n' | csv2tfrecord -q -t text -l label |
	bert-tokenize -q -m given -o numbered.rec
refuses "*label '1' is not one of the 4 labels known*(csv2tfrecord --map-label 0=NAME,1=NAME gives numbers names)" \
	'the number of a label' bert-eval -m given numbered.rec
for label in ' Parking' PAY-FINE wifi_acces fee; do
	printf 'text,label\nwhere is it,%s\n' "$label" | csv2tfrecord -q -t text -l label |
		bert-tokenize -q -m given -o near.rec
	case $label in
	*P*g) said="; did you mean 'parking'? (csv2tfrecord --strip, --fold-case or --map-label *)" ;;
	P*) said="; did you mean 'pay_fine'?" ;;
	w*) said="; did you mean 'wifi_access'?" ;;
	*) said= ;;
	esac
	refuses "*label '$label' is not one of the 4 labels known ('wifi_access' ... 'get_card')$said" \
		"a label like '$label'" bert-eval -m given near.rec
done
works 'a label that no record has' small_train more --labels $order,lost
like "$(cat err)" "*warning: 1 of the 5 labels has no training example: 'lost'*" \
	'the message says so'

# TensorFlow's records: numbers, no texts, no fingerprint
tf() {
	bert-tokenize -q -m vocab.txt --layout modelgarden --pad 48 \
		--labels $order "$@"
}
tf -o train.tf train.text.rec
tf -o dev.tf dev.text.rec
cp train.rec text.rec
cp train.tf train.rec
small_train named -q --labels $order --epochs 3 --learning-rate 2e-3
small_train numbered -q --epochs 3 --learning-rate 2e-3
is "$(labels numbered)" '"0":"0","1":"1","2":"2","3":"3"' \
	'classes without names are named by their numbers'
cmp named/model.safetensors numbered/model.safetensors >why 2>&1
result $? 'the names change nothing else'
bert-eval -q --json -m named dev.tf >by-number
bert-eval -q --json -m named dev.rec >by-name
# the two have padding and fingerprints apart the same tokens
is "$(tr -d ' \n' <by-number | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')" \
	"$(tr -d ' \n' <by-name | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')" \
	'a model is measured on numbers as on names'
bert-predict -q -m named dev.tf | cut -d, -f2 >a
bert-predict -q -m named dev.rec | cut -d, -f2 >b
same a b 'and predicts the same'
bert-train --force -q -m named --labels $order --epochs 1 -o again train.tf
works 'goes on from a classifier' \
	bert-train --force -m named --labels $order --epochs 1 -o again train.tf
is "$(grep -c 'newly initialized' err)" 0 'with its head'
works 'in another order' bert-train --force -m named \
	--labels parking,pay_fine,wifi_access,get_card --epochs 1 -o again train.tf
like "$(cat err)" '*its classifier is replaced by a new one*' 'without'

works 'numbers in place of names' bert-train --force -m named --epochs 1 -o again train.tf
like "$(cat err)" "*warning: the labels are not those of 'named', which have names: its classifier is replaced by a new one (csv2tfrecord --map-label 0=NAME,1=NAME gives numbers names)*" \
	'are warned of'

# classes that have no names, as Hugging Face writes them, are known by their numbers
cp -R numbered unnamed
sed 's/"\([0-3]\)": *"[0-3]"/"\1": "LABEL_\1"/' numbered/config.json >unnamed/config.json
is "$(labels unnamed)" '"0":"LABEL_0","1":"LABEL_1","2":"LABEL_2","3":"LABEL_3"' 'classes without names'
csv2tfrecord -q -i id -t text -l intent --map-label get_card=3,parking=2,pay_fine=1,wifi_access=0 dev.csv |
	bert-tokenize -q -m unnamed --max-length 48 -o digits.rec
bert-eval -q --json -m unnamed digits.rec | grep accuracy >a
bert-eval -q --json -m numbered digits.rec | grep accuracy >b
same a b 'are evaluated on numbers'
works 'and trained on' bert-train --force -q -m unnamed --epochs 1 -o again digits.rec
is "$(labels again)" '"0":"0","1":"1","2":"2","3":"3"' 'under the names of the data'
bert-train --force -q -m numbered --epochs 1 -o same digits.rec
same again/model.safetensors same/model.safetensors 'with their classifier'
sed 's/"\([0-3]\)": *"[0-3]"/"\1": \1/' numbered/config.json >unnamed/config.json
is "$(labels unnamed)" '"0":0,"1":1,"2":2,"3":3' 'names that are numbers, as {0: 0, 1: 1} of Python'
bert-eval -q --json -m unnamed digits.rec | grep accuracy >a
same a b 'are evaluated'

# a class that the training data lacks keeps its number
for k in 0 2 3; do tfrecord-cat -q --where label_ids=$k train.tf; done >gap.tf
cp gap.tf train.rec
works 'a class without examples' small_train gap --eval dev.tf
is "$(labels gap)" '"0":"0","1":"1","2":"2","3":"3"' 'keeps its place'
like "$(cat err)" "*1 of the 4 labels has no training example: '1'*" 'and is reported'
printf '{"input_ids":[2,3],"label_ids":[-1]}\n' >minus.json
tfrecord-cat -q --from-json -o minus.tf minus.json
cp minus.tf train.rec
refuses '*record 1: label_ids holds -1, and classes are numbered from 0*' \
	'a negative number' small_train x

# three texts of four have one label, and a short run learns no more than that
small_data
awk -F, 'NR == 1 || $NF == "parking" || n++ % 10 == 0' train.csv >odd.csv
csv2tfrecord -q -i id -t text -l intent odd.csv | bert-tokenize -q -m vocab.txt -o train.rec
works 'a set that is nearly all of one label' small_train odd --eval train.rec --epochs 6
like "$(cat err)" "*not better than 'parking' for every text*(labels predicted: 1 of 4)*" \
	'a model that predicts nothing else'
small_data
works 'one that learns more' small_train more --eval train.rec --epochs 10
is "$(grep -c 'for every text' err)" 0 'is not told of'

# what is evaluated on has none
csv2tfrecord -q -i id -t text dev.csv | bert-tokenize -q -m vocab.txt -o bare.rec
refuses "*32 of 32 records in 'bare.rec' have no label (name the column with csv2tfrecord -l COLUMN)" \
	'evaluation without labels' small_train no -q --eval bare.rec
finish
