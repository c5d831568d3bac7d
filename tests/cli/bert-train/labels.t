#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train: labels that are given, and records that only number them.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
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

# rows MODEL: the name, bias and weights of each class
rows() {
	labels "$1" | tr , '\n' | sed 's/.*:"\(.*\)"/\1/' >names
	ckpt-inspect --dump classifier.bias "$1" | tr ' ' '\n' | paste names - >biases
	ckpt-inspect --dump classifier.weight "$1" | paste biases - | sort
}
# goes_on NAME OUT [OPTION ...] RECORDS: from the model "three", changing no weight
goes_on() {
	name=$1 out=$2
	shift 2
	works "$name" bert-train --force -m three --steps 1 --learning-rate 0 -o "$out" "$@"
}

# a class more: those that the model knows are not learnt again
small_data
grep -v 'parking$' train.csv | csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o known.rec
sed 's/parking$/a_new_one/' train.csv | csv2tfrecord -q -i id -t text -l intent |
	bert-tokenize -q -m vocab.txt -o grown.rec
cp train.rec all.rec
cp known.rec train.rec
small_train three -q
rows three >wanted
goes_on 'a class added' four grown.rec
like "$(cat err)" "*'three': 3 of 4 classes are the model's, newly initialized: 'a_new_one'*" 'is named'
is "$(grep -c 'replaced\|left out\|initialized: classifier' err)" 0 'and nothing else is new'
is "$(labels four)" '"0":"a_new_one","1":"get_card","2":"pay_fine","3":"wifi_access"' 'in the order of the data'
rows four | grep -v '^a_new_one' >got
same got wanted 'the others keep what was learnt of them'
works 'planned' bert-train --dry-run -m three -o four.dry grown.rec
like "$(cat err)" "*'three': 3 of 4 classes are the model's, newly initialized: 'a_new_one'*" 'says the same'
goes_on 'another order' three.other --labels wifi_access,get_card,pay_fine known.rec
like "$(cat err)" "*'three': 3 of 3 classes are the model's
*" 'goes by name'
rows three.other >got
same got wanted 'row by row'
grep 'get_card$\|parking$\|^id,' train.csv | csv2tfrecord -q -i id -t text -l intent |
	bert-tokenize -q -m vocab.txt -o two.rec
goes_on 'a class added, two gone' two two.rec
like "$(cat err)" "*'three': 1 of 2 classes is the model's, newly initialized: 'parking'*warning: 'three': 2 of its 3 classes are left out: 'pay_fine', 'wifi_access'*" \
	'are left out, with a warning'
goes_on 'as the list of labels says' asked --labels get_card,parking two.rec
like "$(cat err)" "*: 'three': 2 of its 3 classes are left out: *" 'are left out'
is "$(grep -c 'warning: .*left out' err)" 0 '... without one'
goes_on 'all classes asked for' five --labels get_card,parking,pay_fine,wifi_access two.rec
rows five | grep -v '^parking' >got
same got wanted 'stay'
sed 's/\(get_card\|pay_fine\|wifi_access\|parking\)$/x_\1/' train.csv | csv2tfrecord -q -i id -t text -l intent |
	bert-tokenize -q -m vocab.txt -o others.rec
goes_on 'classes that it does not know' x others.rec
like "$(cat err)" '*newly initialized: classifier.weight, classifier.bias*' 'are all new'
goes_on 'a layer that starts afresh' x --reinit 1 grown.rec
like "$(cat err)" '*newly initialized: *classifier.weight, classifier.bias*' 'takes the classes with it'
cp -R three unnamed.three
sed 's/"\([0-2]\)": *"[a-z_]*"/"\1": "LABEL_\1"/' three/config.json >unnamed.three/config.json
works 'classes without names' bert-train --force -m unnamed.three --steps 1 -o x all.rec
like "$(cat err)" '*newly initialized: classifier.weight, classifier.bias*' 'are not found by them'
finish
