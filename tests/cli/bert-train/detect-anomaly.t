#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --detect-anomaly: where a NaN or an infinity came from.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data

# Weights so large that the products with them overflow.
small_train m -q
perl -e 'local $/; open my $f, "+<", $ARGV[0] or die; binmode $f;
	read $f, my $n, 8; $n = unpack "Q<", $n; read $f, my $h, $n;
	$h =~ /"\Q$ARGV[1]\E":\{[^}]*"data_offsets":\[(\d+),(\d+)\]/ or die;
	seek $f, 8 + $n + $1, 0; print $f pack("f<", 3e38) x (($2 - $1) / 4)' \
	m/model.safetensors bert.encoder.layer.0.intermediate.dense.weight
result $? 'weights are spoilt'
for o in '' '--dtype f32' '--checkpoint-activations --gemm ref'; do
	# shellcheck disable=SC2086
	refuses '*step 1 of *' "without it $o" bert-train -m m -o x $o train.rec
	like "$(cat err)" '*is not finite at step 1*' 'tells the step'
	# shellcheck disable=SC2086
	refuses "*: step 1 of 18: example 'L*': linear 'bert.encoder.layer.0.intermediate.dense.weight' computes a*, running forward: sequence *, token *" \
		"with it $o" bert-train -m m -o x --detect-anomaly $o train.rec
done

# A sound run goes on as without.
small_train a -q --eval dev.rec
works 'a sound run' small_train b --eval dev.rec --detect-anomaly
cmp a/model.safetensors b/model.safetensors >why 2>&1
result $? 'gives the same model'
finish
