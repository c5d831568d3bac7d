# SPDX-License-Identifier: MIT
# What runs of bert-train --log-steps 1 lost, beside each other.
# shellcheck shell=sh

# losses OUT: of each update, and of evaluation
losses() {
	sed 's/.*"step":\([0-9]*\),.*"loss":\([^,}]*\).*"learning_rate":\([^,}]*\).*/\1 \2 \3/' \
		"$1/history.jsonl"
	sed -n 's/.*"eval_loss":\([^,}]*\),"eval_accuracy":\([^,}]*\).*/eval \1 \2/p' "$1/history.jsonl"
}

# follows A B MOST NAME: losses of A and B differ by that part of them at most
follows() {
	losses "$1" >x
	losses "$2" >y
	paste -d ' ' x y | awk -v most="$3" '{
		d = $2 / $5 - 1
		if (NF != 6 || $1 != $4 || !(d < most && d > -most) || $3 != $6)
			print "line", NR ":", $0
		n++
	} END { if (n < 8) print n, "lines" }' >why
	[ ! -s why ]
	result $? "$4"
}

# goes_on OF OUT NAME: OUT went on from step 3 of OF, to its losses
goes_on() {
	losses "$1" >z
	losses "$2" | awk '$1 > 3 || $1 == "eval"' >y
	awk 'NR == FNR { want[$1 " " n[$1]++] = $2; next }
		{ d = $2 / want[$1 " " m[$1]++] - 1; if (!(d < 1e-5 && d > -1e-5)) print }
		END { if (FNR < 6) print FNR, "lines" }' z y >why
	[ ! -s why ]
	result $? "$3"
}
