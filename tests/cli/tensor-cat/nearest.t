#!/bin/sh
# SPDX-License-Identifier: MIT
# tensor-cat --nearest: similarities, ties, ids; what it refuses.
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/vectors.sh"

# finds TEXT NAME ARGUMENT...: the lines behind the header
finds() {
	wanted=$1 name=$2
	shift 2
	got=$(tensor-cat -q "$@" 2>err)
	is "$? $got" "0 id,rank,nearest,similarity
$wanted" "$name"
}

misuse() {
	glob=$1 name=$2
	shift 2
	misuses "tensor-cat: $glob" "$name" tensor-cat "$@" </dev/null
}

vectors q.ts 2 'a|b' '1 0 3 4'
vectors f1.ts 2 'x|y|z' '0 1 2 2 4 3'
vectors f2.ts 2 'y2|b|w,w' '1 1 30 40 -5 0'
tensor-cat -q -o f.ts f1.ts f2.ts
finds 'a,1,z,0.8
a,2,y,0.70710677
b,1,b,1
b,2,y,0.98994946' 'the nearest rows' --nearest f.ts --top 2 q.ts
finds 'a,1,z,0.8
a,2,y,0.70710677
a,3,y2,0.70710677
a,4,b,0.6
a,5,x,0
a,6,"w,w",-1
b,1,y,0.98994946
b,2,y2,0.98994946
b,3,z,0.96
b,4,x,0.8
b,5,"w,w",-0.6' 'ties in order, all rows, the same id left out' \
	--nearest f.ts --exclude-same-id q.ts
finds 'a,1,z,0.8
a,2,y,0.70710677
a,3,y2,0.70710677
b,1,b,1
b,2,y,0.98994946
b,3,y2,0.98994946' 'standard input' --nearest f.ts --top 3 - <q.ts
finds 'a,1,z,0.8
b,1,b,1' 'FILE from standard input' --nearest - --top 1 q.ts <f.ts
vectors n.ts 2 '' '1 0 0 1 1 0.5'
finds '0,1,0,1
1,1,1,1
2,1,2,1' 'without ids' --nearest n.ts --top 1 n.ts
finds '0,1,2,0.8944272
1,1,2,0.4472136
2,1,0,0.8944272
3,1,0,1
4,1,1,1
5,1,2,1' 'numbers, over all inputs, as ids' \
	--nearest n.ts --top 1 --exclude-same-id n.ts n.ts
vectors far.ts 3 '' '1e30 2e30 -1e30 1e-38 2e-38 -1e-38 3 6 -3'
finds '0,1,0,1
0,2,1,1
0,3,2,1
1,1,0,1
1,2,1,1
1,3,2,1
2,1,0,1
2,2,1,1
2,3,2,1' 'any length' --nearest far.ts far.ts
vectors none.ts 2 '' ''
is "$(tensor-cat -q --nearest f.ts none.ts)" id,rank,nearest,similarity 'no rows'
works '--expect' tensor-cat -q --nearest f.ts --expect 2 -o out.csv q.ts
refuses 'tensor-cat: read 2 rows, expected 3' '--expect more' \
	tensor-cat --nearest f.ts --expect 3 -o no.csv q.ts

# many rows, of few values, so that there are ties, against a plain computation
integers() {
	perl -e 'my ($n, $s) = @ARGV;
		for (1 .. $n) { my @v = map { $s = ($s * 69069 + 1) % 4294967296; ($s >> 24) % 5 - 2 } 1 .. 6;
			$v[0] = 1 unless grep { $_ } @v;
			print "@v\n" }' "$1" "$2"
}
integers 300 1 >q
integers 2100 2 >f
vectors q.ts 6 '' "$(cat q)"
vectors f.ts 6 '' "$(cat f)"
perl -e 'sub rows { open my $h, "<", shift or die; map { [split] } <$h> }
	sub dot { my ($x, $y, $s) = (@_, 0); $s += $x->[$_] * $y->[$_] for 0 .. 5; $s }
	my @q = rows("q"); my @f = rows("f"); my @l = map { dot($_, $_) } @f;
	for my $i (0 .. $#q) {
		my $l = dot($q[$i], $q[$i]);
		my @s = map { my $d = dot($q[$i], $f[$_]); $d * abs($d) / ($l * $l[$_]) } 0 .. $#f;
		my @k = (sort { $s[$b] <=> $s[$a] || $a <=> $b } 0 .. $#f)[0 .. 6];
		print $i, ",", $_ + 1, ",", $k[$_], "\n" for 0 .. 6 }' >wanted
tensor-cat -q --nearest f.ts --top 7 -j 1 -o one.csv q.ts
sed '1d; s/,[^,]*$//' one.csv >out
same out wanted 'every pair, ties in order'
tensor-cat -q --nearest f.ts --top 7 -j 3 -o out.csv q.ts q.ts
head -n 2101 out.csv >out
same out one.csv 'any number of threads'
BT_ISA=ref tensor-cat -q --nearest f.ts --top 7 -o out.csv q.ts
same out.csv one.csv 'any instruction set'

# what cannot be compared
vectors zero.ts 2 'p|q' '1 1 0 0'
refuses "tensor-cat: cannot read 'zero.ts': frame 1: row 2 of 'embeddings' (id 'q'): only zeros, so it has no cosine with another row" \
	'a row of zeros' tensor-cat --nearest f1.ts zero.ts -o no.csv
refuses "tensor-cat: cannot read 'zero.ts': frame 1: row 2 of 'embeddings' (id 'q'): only zeros*" \
	'... in FILE' tensor-cat --nearest zero.ts f1.ts -o no.csv
vectors nan.ts 2 'p|q' '1 nan 1 1'
refuses "tensor-cat: cannot read 'nan.ts': frame 1: row 1 of 'embeddings' (id 'p'): a value that is not a finite number" \
	'no number' tensor-cat --nearest f1.ts nan.ts -o no.csv
vectors inf.ts 2 '' '1 1 1 inf'
refuses "tensor-cat: cannot read 'inf.ts': frame 1: row 2 of 'embeddings': a value*" \
	'an infinity' tensor-cat --nearest inf.ts f1.ts -o no.csv
refuses "tensor-cat: cannot read 'q.ts': frame 1: rows of 'embeddings' have 6 values, those read before 2" \
	'another width' tensor-cat --nearest f1.ts q.ts -o no.csv
refuses "tensor-cat: 'none.ts' has no rows" 'a FILE without rows' \
	tensor-cat --nearest none.ts q.ts -o no.csv
refuses "tensor-cat: cannot open 'nosuch.ts': *" 'no FILE' \
	tensor-cat --nearest nosuch.ts q.ts -o no.csv
head -c 100 f.ts >cut.ts
refuses "tensor-cat: cannot read 'cut.ts': *" 'a FILE that is cut off' \
	tensor-cat --nearest cut.ts q.ts -o no.csv
[ ! -e no.csv ]
result $? 'and nothing appears'
perl -e '$h = q({"x":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}});
	$h .= " " while length($h) % 8; print pack("Q<", length $h), $h, pack("f<4", 1, 0, 3, 4)' >st
tensor-cat -q --from-safetensors -o two.ts st
refuses "*'two.ts': frame 1: it holds 2 tensors beside ids, expected one, with a vector in each row (choose one with --select)" \
	'two tensors' tensor-cat --nearest two.ts q.ts -o no.csv
finds '0,1,0,1' '... and one of them' --nearest two.ts --select y two.ts
tensor-cat --nearest f.ts --top 7 q.ts >/dev/full 2>err
is "$? $(cat err)" '1 tensor-cat: cannot write standard output: No space left on device' 'a full disk'
misuse '--top and --exclude-same-id need --nearest' '--top alone' --top 3 q.ts
misuse '*--nearest and --cluster exclude each other' 'two forms' --nearest f.ts --npy q.ts
misuse '--nearest names the FILE to search in; --top K says how many rows of it' \
	'a number as file' --nearest 3 f.ts q.ts
misuse 'standard input cannot be FILE and the input*' 'standard input twice' --nearest -
misuse '*--top*' 'no rows wanted' --nearest f.ts --top 0 q.ts
finish
