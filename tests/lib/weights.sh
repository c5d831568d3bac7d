# SPDX-License-Identifier: MIT
# How far two trainings are from each other.
# shellcheck shell=sh

# far A B: the largest difference of two models' weights
far() {
	ckpt-inspect --diff "$1" "$2" >diff 2>&1
	case $? in
	0) echo 0 ;;
	1) sed -n 's/.*largest difference //p' diff ;;
	*) echo trouble ;;
	esac
}

# within A B LIMIT NAME: the difference is that at most
within() {
	d=$(far "$1" "$2")
	echo "largest difference $d, limit $3" >why
	awk -v d="$d" -v l="$3" 'BEGIN { exit !(d ~ /^[0-9]/ && d <= l) }'
	result $? "$4"
}

# beyond A B LIMIT NAME: the difference is more than that
beyond() {
	d=$(far "$1" "$2")
	echo "largest difference $d, wanted more than $3" >why
	awk -v d="$d" -v l="$3" 'BEGIN { exit !(d ~ /^[0-9]/ && d > l) }'
	result $? "$4"
}

# steps DIR: loss and norm of each update
steps() {
	sed -n 's/.*"loss":\([0-9.]*\).*"gradient_norm":\([0-9.]*\).*/\1 \2/p' "$1/history.jsonl"
}
