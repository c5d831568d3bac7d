#!/bin/sh
# SPDX-License-Identifier: MIT
# oneDNN is loaded where it multiplies, and only there.
# Not under address: oneDNN is linked there, see the Makefile
# Not under thread: starts programs alone; the threads are those of numbers/gemm
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
library=$(grep -ao 'libdnnl\.so\.[0-9]*' "$BUILD/bin/bert-train" | head -n 1)
if [ -z "$library" ] || [ "${BT_ISA-}" = ref ]; then
	skip 'oneDNN' 'built without it, or plain C is asked for'
	finish
fi
small_train m -q --epochs 1 --gemm native

loads() { # COMMAND...: how many of the files that it loads are oneDNN
	LD_DEBUG=files "$@" 2>&1 | grep -c "calling init: .*/$library"
}
if [ "$(loads bert-predict -q -m m --dtype f32 --gemm onednn -o a.csv dev.rec)" = 0 ]; then
	skip 'which libraries are loaded' 'the system does not tell'
else
	is "$(loads bert-predict -q -m m --dtype f32 --gemm native -o b.csv dev.rec)" 0 'not where our own kernels multiply'
	is "$(loads bert-train --help)" 0 'nor where nothing is multiplied'
fi

# one that is damaged, or another architecture's
mkdir lib
echo 'no library' >"lib/$library"
LD_LIBRARY_PATH=$PWD/lib misuses "*oneDNN does not load: *$library*" 'a damaged library' \
	bert-predict -m m --gemm onednn dev.rec
LD_LIBRARY_PATH=$PWD/lib works 'others multiply then' bert-predict -v -m m --dtype f32 -o c.csv dev.rec
like "$(cat err)" '*products f32 by *' 'in f32'
bert-predict -q -m m --dtype f32 --gemm ref -o d.csv dev.rec
same c.csv d.csv 'the same labels'
finish
