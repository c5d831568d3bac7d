#!/bin/sh
# SPDX-License-Identifier: MIT
# The mean of weights against that of PyTorch's AveragedModel, which gets the weights
# after each update.
# Not under thread: compares numbers, with the threads of unit/optim/average
# Not under address: compares numbers with those of PyTorch; cli/bert-train/average runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
if [ -z "${PEER_PYTHON-}" ] ||
	! "$PEER_PYTHON" -c 'import torch, safetensors' 2>/dev/null; then
	skip 'the mean' 'PEER_PYTHON is not set, or has no torch and safetensors'
	finish
fi
small_data
small_train start -q
train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -q -m start --batch-size 16 --steps 12 --learning-rate .003 -o "$dir" "$@" train.rec
}
works 'each update is kept' train each --save-steps 1 --keep 20
works 'a mean' train mean --average 5

cat >peer.py <<'E2'
import sys
import torch
from safetensors.torch import load_file
from torch.optim.swa_utils import AveragedModel


def weights(path):
    t = load_file(path)
    return {k[6:] if k.startswith("param.") else k: v for k, v in t.items() if "moment" not in k}


class Model(torch.nn.Module):
    def __init__(self, t):
        super().__init__()
        self.p = torch.nn.ParameterDict({k.replace(".", "/"): torch.nn.Parameter(v) for k, v in t.items()})


steps = ["each/checkpoint-%d.safetensors" % i for i in range(1, 11)]
steps += ["each/checkpoint.safetensors", "each/model.safetensors"]
steps = [weights("start/model.safetensors")] + [weights(s) for s in steps]
average = AveragedModel(Model(steps[8]))
for s in steps[8:]:
    average.update_parameters(Model(s))
ours = weights("mean/model.safetensors")
theirs = {k[9:].replace("/", "."): v for k, v in average.named_parameters()}
assert sorted(ours) == sorted(theirs), (sorted(ours)[:3], sorted(theirs)[:3])
far = max((ours[k] - theirs[k]).abs().max().item() for k in ours)
moved = max((ours[k] - steps[-1][k]).abs().max().item() for k in ours)
print(far, moved)
if not (far < 1e-6 and moved > 1e-4):
    sys.exit(1)
E2
"$PEER_PYTHON" peer.py >why 2>&1
result $? "is PyTorch's"
finish
