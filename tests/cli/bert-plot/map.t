#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-plot of embeddings: their first two principal components, coloured by labels.
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/vectors.sh"
texts() { grep -o '<text[^>]*>[^<]*' "$1" | sed 's/.*>//'; }
# draws NAME ARGUMENT...: draws to out.svg
draws() {
	name=$1
	shift
	works "$name" bert-plot -o out.svg "$@"
}
# refuses ERROR NAME ARGUMENT...
refuses() {
	wanted=$1 name=$2
	shift 2
	declines 1 "bert-plot: $wanted" "$name" bert-plot "$@"
}

# ten times (3, 4, 0) / 5, five times (-4, 3, 0) / 5, once (0, 0, 1), to both sides
rows='106 8 -7 94 -8 -7 96 3 -7 104 -3 -7 100 0 -6 100 0 -8'
vectors e.ts 3 'a|b|c|d|e|f' "$rows"
tensor-cat -q --npy -o e.npy e.ts
draws 'a tensor stream' e.ts
is "$(texts out.svg | grep -E '[a-z]' | tr '\n' ';')" \
	'Map of embeddings;6 rows;second: 19.8 %;first principal component: 79.4 % of the variance;' 'has shares'
is "$(sed -n 's/.*<circle class="f0" cx="\([0-9.]*\)" cy="\([0-9.]*\)".*/\1 \2/p' out.svg |
	awk '{ x[NR] = $1; y[NR] = $2 } END { m = (x[1] + x[2]) / 2; h = (y[3] + y[4]) / 2
		print NR, (x[1] > m), (y[3] > h), ((x[3] - m) ^ 2 < .013), ((y[1] - h) ^ 2 < .013) }')" \
	'6 1 1 1 1' 'points where they belong'
cp out.svg stream.svg
draws 'an array' e.npy
same out.svg stream.svg 'gives the same'
draws 'several threads' -j 3 e.ts
same out.svg stream.svg '... give the same'
works 'two files' sh -c 'tensor-cat -q --select embeddings,id e.ts >f.ts && bert-plot -o two.svg e.ts f.ts'
like "$(texts two.svg)" '*12 rows*' 'are one map'

printf 'id,n,label\nf,1,<y>\nx,2,z\ne,3,<y>\nd,4,<y>\nc,5,x\nb,6,x\na,7,w\n' >l.csv
draws 'labels by id' --labels l.csv e.ts
is "$(texts out.svg | sed -n '2,5p' | tr '\n' ' ')" '6 rows, 3 labels &lt;y&gt; x w ' \
	'a legend, the most frequent first'
is "$(grep -c '<circle class="f0"' out.svg) $(grep -c '<circle class="f1"' out.svg)" '3 2' 'and colours'
draws 'by number' --labels l.csv --label-column n e.ts
is "$(texts out.svg | sed -n '3,8p' | tr '\n' ' ')" '1 3 4 5 6 7 ' 'of another column'
printf 'label\tx\na\t1\nb\t1\na\t1\nb\t1\na\t1\nb\t1\n' >l.tsv
sed '1s/label/cluster/' l.tsv >clusters.tsv
draws 'clusters' --labels clusters.tsv e.npy
cp out.svg clusters.svg
draws 'labels in the order of rows' --labels l.tsv e.npy
same out.svg clusters.svg 'clusters are labels'
is "$(grep -c '<circle class="f0"' out.svg) $(grep -c '<circle class="f1"' out.svg)" '3 3' '... of a TSV file'
works 'letters' bert-plot --terminal --width 50 --height 8 --labels l.tsv -o text e.npy
is "$(cat text)" 'Map of embeddings
6 rows, 2 labels
● a   ○ b
          second: 19.8 %
        5 ┤                   ○
          │
          │
          │
          │ ○                 ○                 ●
          │
          │
       -5 ┤                   ●
          └───────────────────────────────────────
           -10                0                10  first principal component: 79.4 % of the variance' \
	'with a letter for each label'

# 20 labels, of which label k has k rows
perl -e 'my $s = 1; print "label\n"; for my $k (1 .. 20) { print "k$k\n" for 1 .. $k }' >many.csv
perl -e 'print join " ", map { sin($_ * $_) } 1 .. 210 * 4' >values
vectors many.ts 4 '' "$(cat values)"
draws 'more labels than colours' --labels many.csv many.ts
is "$(texts out.svg | sed -n '2,14p' | tr '\n' ' ')" \
	'210 rows, 20 labels other (9 labels) k20 k19 k18 k17 k16 k15 k14 k13 k12 k11 k10 ' 'the rarest are others'
is "$(grep -c '<circle class="f6".*"0.4"' out.svg)" 45 '... in grey'
is "$(grep -c '<path class="f0" .*"0.7"' out.svg)" 14 'labels behind the sixth are triangles'
works '... in letters' bert-plot --terminal --labels many.csv -o text many.ts
is "$(sed -n 3p text)" '· other (13 labels)   ○ k20   ■ k19   □ k18   ▲ k17   △ k16   ◆ k15   ◇ k14' '... of eight kinds'
printf 'label\n\033[1mbold\nan extraordinarily long name of a class\n\377\n\377\n\377\n\377\n' >odd.csv
draws 'odd names' --labels odd.csv e.npy
is "$(texts out.svg | sed -n '3,5p' | tr '\n' ' ')" '� \x1b[1mbold an extraordinarily long… ' 'are made fit'
vectors line.ts 2 '' '1 1 4 5'
draws 'rows on a line' line.ts
like "$(texts out.svg)" '*second: 0.0 %*first principal component: 100.0 %*' 'have one component'

vectors one.ts 2 '' '1 2'
refuses "'one.ts': 1 row, expected two or more" 'one row' one.ts
vectors same.ts 2 '' '1 2 1 2 1 2'
refuses "'same.ts': the 3 rows are all equal*" 'equal rows' same.ts
vectors thin.ts 1 '' '1 2'
refuses "'thin.ts': rows of one value*" 'rows of one value' thin.ts
vectors nan.ts 2 'a|b' '1 2 nan 3'
refuses "*'nan.ts': frame 1: row 2 of 'embeddings' (id 'b'): a value that is not a finite number" 'NaN' nan.ts
refuses "*'line.ts': frame 1: rows of 'embeddings' have 2 values, those read before 3" 'other widths' e.npy line.ts
header='{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]}}'
perl -e 'print pack("Q<", length $ARGV[0]), $ARGV[0], pack("f<3", 1, 2, 3)' "$header" >st
tensor-cat -q --from-safetensors -o both.ts st
refuses "*'both.ts': frame 1: it holds 2 tensors beside ids, expected one, with a vector in each row" 'two tensors' both.ts
head -c 60 e.ts >cut.ts
refuses '*cut.ts*' 'a stream that was cut off' cut.ts
refuses "cannot read 'many.csv': 210 labels, expected 6, one for each row" 'more labels than rows' --labels many.csv e.ts
head -n 3 l.tsv >few.tsv
refuses "cannot read 'few.tsv': 2 labels, expected 6*" 'fewer' --labels few.tsv e.ts
head -n 3 l.csv >few.csv
refuses "cannot read 'few.csv': no label for row 1 (id 'a')" 'an id without a label' --labels few.csv e.ts
printf 'id,label\na,x\na,x\na,y\n' >twice.csv
refuses "cannot read 'twice.csv': record 3 (line 4): id 'a' had another label before" 'an id with two' --labels twice.csv e.ts
printf 'id,label\na,x\nb,\n' >empty.csv
refuses "cannot read 'empty.csv': record 2 (line 3): no label" 'an empty label' --labels empty.csv e.ts
refuses "cannot read 'l.csv': no column 'intent': it has 'id', 'n', 'label'" 'a column that is not there' --labels l.csv --label-column intent e.ts
declines 2 'bert-plot: --labels and --label-column are for embeddings*' 'labels of a run' \
	sh -c 'echo "{\"step\": 1, \"loss\": 1}" >h.jsonl; exec bert-plot --labels l.csv h.jsonl'
declines 2 'bert-plot: --label-column needs --labels*' 'a column of nothing' bert-plot --label-column x e.ts
declines 2 'bert-plot: --max-length is for lengths*' 'lengths of embeddings' bert-plot --max-length 3 e.ts
finish
