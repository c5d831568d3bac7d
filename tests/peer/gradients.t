#!/bin/sh
# SPDX-License-Identifier: MIT
# Loss, logits and every gradient agree with PyTorch's in the shapes of whole
# models, for texts of 1 to 512 tokens in one batch; and with the real MiniLM.
# Not under thread: compares numbers, with the threads of unit/cpu/engine and cli/bert-train/families
# Not under address: compares numbers with those of PyTorch; unit/model/families and cli/bert-train/families run the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"

peer_or_end 'gradients by PyTorch'
agree() { # SHAPE FAMILY WHAT
	name=$2
	[ $2 != bert ] || name=$1
	works "we compute the same of $name, $3" "$BUILD/unit/model/gradients" $1-$2-$3
	grep '^#.*[a-z] [0-9]' out
	skipped=$(grep -o 'bf16: left out.*' out) && skip "$name in bf16" "${skipped##*, }"
	rm -f $1-$2-$3
}

all=$(
	for shape in tiny minilm large base; do
		echo $shape bert texts
	done
	echo small bert next
	for family in $families; do
		[ $family = bert ] || echo tiny $family texts
		echo tiny $family tokens
		case " $answering " in
		*" $family "*)
			echo tiny $family spans
			echo tiny $family choices
			;;
		esac
		echo tiny $family masked
	done
)
# each in one of the arguments: OUT SHAPE FAMILY WHAT
while read -r shape family what; do
	set -- "$@" "$shape-$family-$what $shape $family $what"
done <<.
$all
.
[ -z "${MINILM-}" ] || set -- "$@" "minilm $MINILM"
works 'PyTorch computes them' \
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/bert-gradients.py" --each "$@"
while read -r shape family what; do
	agree $shape $family $what
done <<.
$all
.
if [ -n "${MINILM-}" ]; then
	works 'and of MiniLM' "$BUILD/unit/model/gradients" "$PWD/minilm"
else
	skip 'gradients of MiniLM' 'MINILM is not set'
fi
finish
