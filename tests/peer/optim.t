#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of learning rates and steps that unit/optim/optim is tested against, made
# anew with the PyTorch and transformers that are there.
# Not under thread: compares numbers, with the threads of unit/cpu/engine and cli/bert-train/families
# Not under address: compares numbers with those of PyTorch; unit/model/families and cli/bert-train/families run the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'a new table' torch transformers
works 'a new table' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/optim-table.py"
cp out table
is "$(wc -l <table)" "$(wc -l <"$TEST_TOP/tests/data/optim.txt")" 'has as many lines'
TEST_TABLE=$PWD/table "$BUILD/unit/optim/optim" >why 2>&1
result $? 'and agrees'
finish
