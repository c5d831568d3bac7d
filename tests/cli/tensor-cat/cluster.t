#!/bin/sh
# SPDX-License-Identifier: MIT
# tensor-cat --cluster: what belongs together, degenerate rows; what it refuses.
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/vectors.sh"

# divides TEXT NAME ARGUMENT...: the lines behind the header
divides() {
	wanted=$1 name=$2
	shift 2
	got=$(tensor-cat -q "$@" 2>err)
	is "$? $got" "0 id,cluster,similarity
$wanted" "$name"
}

vectors a.ts 2 'e1|e2|n1' '1 0 12 5 0 2'
vectors b.ts 2 'e3|n2|"w"' '4 3 0 1 -7 0'
divides 'e1,1,0.9404124
e2,1,0.99885607
n1,2,1
e3,1,0.9563516
n2,2,1
"""w""",3,1' 'clusters, and ids' --cluster 3 a.ts b.ts
divides 'e1,1,0.49998006
e2,1,0.79461116
n1,1,0.8660369
e3,1,0.9196062
n2,1,0.8660369
"""w""",1,-0.49998006' 'one cluster' --cluster 1 a.ts b.ts
vectors n.ts 3 '' '1 0 0 0 1 0 0 0 1'
divides '0,1,1
1,2,1
2,3,1' 'as many clusters as rows, without ids' --cluster 3 n.ts
vectors same.ts 3 '' '1 2 3 1 2 3 2 4 6 0 0 1 0 0 5'
divides '0,1,1
1,1,1
2,1,1
3,2,1
4,2,1' 'no more clusters than rows that differ' --cluster 5 same.ts
vectors against.ts 2 '' '1 2 -1 -2 1 2 -1 -2'
works 'rows without a mean' tensor-cat -q --cluster 1 -o out.csv against.ts
is "$(cut -d , -f 2 out.csv | sort -u | tr '\n' ' ')" '1 cluster ' '... are in one cluster'

# four directions in 8 dimensions, and noise
perl -e 'my $s = 7; sub r { $s = ($s * 69069 + 1) % 4294967296; $s / 4294967296 - .5 }
	for my $i (0 .. 1199) { my @v = map { .5 * r() } 1 .. 8; my $k = int(4 * (r() + .5));
		$v[$k] += 1; $v[$k + 4] += 1; print STDERR "$k\n"; print "@v\n" }' >rows 2>true
vectors r.ts 8 '' "$(cat rows)"
tensor-cat -q --cluster 4 --seed 5 -j 1 -o one.csv r.ts
sed '1d' one.csv | cut -d , -f 2 | paste -d ' ' true - | sort -u >pairs
is "$(wc -l <pairs)" 4 'finds the directions'
is "$(cut -d , -f 2 one.csv | awk 'NR > 1 && $1 > n { n = $1; if ($1 != ++k) exit 1 } END { print k }')" 4 \
	'numbers in the order of first rows'
tensor-cat -q --cluster 4 --seed 5 -j 3 -o out.csv r.ts
same out.csv one.csv 'any number of threads'
tensor-cat -q --cluster 60 --seed 5 -j 1 -o one.csv r.ts
tensor-cat -q --cluster 60 --seed 5 -j 3 -o out.csv r.ts
same out.csv one.csv '... and more clusters'
tensor-cat -q --cluster 60 --seed 6 -o out.csv r.ts
cmp -s out.csv one.csv
is $? 1 'another seed'

# A row is in the cluster whose centre is most similar to it, and a centre is the
# direction of its rows.
perl -e 'open my $h, "<", "rows"; my @x = map { my @v = split; my $l = 0; $l += $_ * $_ for @v;
		[map { $_ / sqrt $l } @v] } <$h>;
	open $h, "<", "one.csv"; <$h>; my @c = map { [split /,/] } <$h>; my @m;
	for my $i (0 .. $#x) { $m[$c[$i][1]][$_] += $x[$i][$_] for 0 .. 7 }
	for my $m (@m[1 .. $#m]) { my $l = 0; $l += $_ * $_ for @$m; $_ /= sqrt $l for @$m }
	for my $i (0 .. $#x) {
		my @s = map { my ($m, $s) = ($_, 0); $s += $m->[$_] * $x[$i][$_] for 0 .. 7; $s } @m[1 .. $#m];
		my ($best) = sort { $b <=> $a } @s;
		my $own = $s[$c[$i][1] - 1];
		print "row $i: $own, not $best\n" if $own < $best - 1e-6;
		print "row $i: $own, said $c[$i][2]" if abs($own - $c[$i][2]) > 2e-7;
	} print scalar @m, "\n"' >out
is "$(cat out)" 61 'nothing is left to change'

vectors one.ts 2 'p' '1 1'
refuses 'tensor-cat: 1 row cannot be divided into 4 clusters' 'one row' tensor-cat --cluster 4 one.ts -o no.csv
refuses 'tensor-cat: 3 rows cannot be divided into 4 clusters' 'too few rows' \
	tensor-cat --cluster 4 n.ts -o no.csv
vectors zero.ts 2 'p|q' '1 1 0 0'
refuses "tensor-cat: cannot read 'zero.ts': frame 1: row 2 of 'embeddings' (id 'q'): only zeros, so it has no cosine with another row" \
	'a row of zeros' tensor-cat --cluster 1 zero.ts -o no.csv
refuses "tensor-cat: cannot read 'n.ts': frame 1: rows of 'embeddings' have 3 values, those read before 2" \
	'another width' tensor-cat --cluster 1 a.ts n.ts -o no.csv
[ ! -e no.csv ]
result $? 'and nothing appears'
tensor-cat --cluster 4 r.ts >/dev/full 2>err
is "$? $(cat err)" '1 tensor-cat: cannot write standard output: No space left on device' 'a full disk'
tensor-cat --cluster 2 --csv r.ts >out 2>err
like "$? $(cat err)" '2 tensor-cat: *--cluster exclude each other*' 'two forms'
tensor-cat --cluster 0 r.ts >out 2>err
like "$? $(cat err)" "2 tensor-cat: bad value '0' for --cluster: *" 'no clusters'
finish
