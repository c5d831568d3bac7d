#!/bin/sh
# SPDX-License-Identifier: MIT
# The map of embeddings beside scikit-learn's PCA: places of points to the tenth of a pixel
# that a picture has, signs too, and shares of variance.
# Not under thread: compares numbers, with the threads of unit/tensorstream/principal
# Not under address: compares numbers; cli/bert-plot/map runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'maps' sklearn numpy
cat >peer.py <<'E2'
import re
import subprocess
import sys
import numpy
from sklearn.decomposition import PCA

g = numpy.random.default_rng(3)
fall = 0.9 ** numpy.arange(384)
turn = numpy.linalg.qr(g.normal(size=(384, 384)))[0]
cases = {
    "wide": g.normal(size=(500, 384)) * fall @ turn,
    "fewer rows than values": g.normal(size=(40, 384)) * fall @ turn,
    "two values": g.normal(size=(300, 2)) @ [[1, 2], [0, 0.2]],
    "far from 0": g.normal(size=(200, 33)) * 0.97 ** numpy.arange(33) + 1000,
    "close variances": g.normal(size=(2000, 64)),
}
for name, x in cases.items():
    x = x.astype("f4")
    numpy.save("x.npy", x)
    svg = subprocess.run(["bert-plot", "--width", "4000", "--height", "4000", "x.npy"], check=True,
                         capture_output=True, text=True).stdout
    at = numpy.array(re.findall(r'<circle class="f0" cx="([0-9.]*)" cy="([0-9.]*)"', svg), float)
    shares = [float(re.search(r"%s: ([0-9.]*) %%" % v, svg)[1]) for v in ("component", "second")]
    p = PCA(2, svd_solver="full")
    want = p.fit_transform(x.astype("f8"))
    for k in range(2):
        v = p.components_[k]
        sign = numpy.sign(v[abs(v).argmax()])
        slope, shift = numpy.polyfit(sign * want[:, k], at[:, k], 1)
        off = abs(slope * sign * want[:, k] + shift - at[:, k]).max()
        print(name, k, slope, off, shares[k], 100 * p.explained_variance_ratio_[k])
        # up is less in y
        if not (off < 0.07 and slope * (1 - 2 * k) > 1 and
                abs(shares[k] - 100 * p.explained_variance_ratio_[k]) < 0.051):
            sys.exit(1)
E2
"$PEER_PYTHON" peer.py >why 2>&1
result $? 'are those of scikit-learn'
finish
