#!/bin/sh
# SPDX-License-Identifier: MIT
# Int8 products: bert-predict and bert-eval with --dtype int8.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --epochs 8
rows=$(($(wc -l <dev.csv) - 1))

works 'predicts' bert-predict -q -m m --dtype f32 -o f32.csv dev.rec
works 'and with int8' bert-predict -q -m m --dtype int8 -o int8.csv dev.rec
same_labels=$(paste -d, f32.csv int8.csv | awk -F, 'NR > 1 && $2 == $4' | wc -l)
[ "$same_labels" -ge $((rows - rows / 20)) ]
result $? "nearly the same labels ($same_labels of $rows)"
bert-predict -q -m m --dtype f32 --proba dev.rec >f32.csv
bert-predict -q -m m --dtype int8 --proba dev.rec >int8.csv
cmp -s f32.csv int8.csv
is $? 1 'but other numbers'
bert-predict -q -m m --dtype int8 --proba -j 3 dev.rec >o.csv
same o.csv int8.csv 'which do not depend on threads'
rm -f plain.csv
for isa in ref avx2 avx2vnni avx512vnni amx; do
	if beyond_isa $isa; then
		skip "int8 on $isa" "beyond ISA=$ISA"
		continue
	fi
	if ! BT_ISA=$isa bert-predict -q -m m --dtype int8 -o o.csv dev.rec 2>err &&
		grep -q 'does not have' err; then
		skip "int8 on $isa" 'this CPU does not have it'
		continue
	fi
	same_labels=$(paste -d, f32.csv o.csv | awk -F, 'NR > 1 && $2 == $8' | wc -l)
	[ "$same_labels" -ge $((rows - rows / 20)) ]
	result $? "int8 on $isa: nearly the same labels ($same_labels of $rows)"
	case $isa in # all else is computed alike on these two
	avx2) BT_ISA=$isa bert-predict -q -m m --dtype int8 --proba dev.rec >plain.csv ;;
	avx2vnni)
		BT_ISA=$isa bert-predict -q -m m --dtype int8 --proba dev.rec >o.csv
		same o.csv plain.csv 'whose numbers are those of avx2'
		;;
	esac
done
accuracy=$(bert-eval -q -m m --dtype f32 dev.rec | sed -n 's/^accuracy \([0-9.]*\).*/\1/p')
exits 0 'bert-eval measures nearly the same' bert-eval -q -m m --dtype int8 \
	--min "accuracy=$(echo "$accuracy" | awk '{ print $1 - .05 }')" dev.rec
misuses '*does not multiply int8*--gemm*' 'another provider' \
	bert-predict -m m --dtype int8 --gemm ref dev.rec
exits 2 'training' bert-train -m m -o x --dtype int8 train.rec
finish
