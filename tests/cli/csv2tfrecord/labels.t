#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: new names for labels, several labels, weights, duplicates,
# missing values.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/csv.sh"

# misuse GLOB NAME COMMAND...: exit status 2, nothing on standard output
misuse() {
	glob=$1 name=$2
	shift 2
	misuses "csv2tfrecord: $glob" "$name" "$@" </dev/null
}

# new names
printf 'text,y\na,-1\nb,0\nc,1\n' >y.csv
gives 'label=neg|text_a=a
label=neu|text_a=b
label=pos|text_a=c' 'labels get new names' -l y --map-label=-1=neg,0=neu,1=pos y.csv
gives 'label=x|text_a=a
label=x|text_a=b
label=a=b|text_a=c' 'two the same one; the first = divides' \
	-l y --map-label -1=x,0=x,1=a=b y.csv
printf -- '-1,"a,b"\n0,"c=d"\n1,e\n' >map.csv
gives 'label=a,b|text_a=a
label=c=d|text_a=b
label=e|text_a=c' 'from a file' -l y --map-label @map.csv y.csv
tr , '\t' <map.csv | sed 's/"a.b"/x/; s/"//g' >map.tsv
gives 'label=x|text_a=a
label=c=d|text_a=b
label=e|text_a=c' 'with tabs' -l y --map-label @map.tsv y.csv
refuses "csv2tfrecord: cannot read 'y.csv': record 2 (line 3): label '0' is not one of the label map's: '-1', '1'" \
	'a label that the map lacks, with --only-mapped' \
	csv2tfrecord -l y --map-label -1=a,1=b --only-mapped y.csv
csv2tfrecord -l y --map-label -1=a,1=b --only-mapped --skip-bad y.csv >got 2>err
is "$("$TEST_TOP/tests/lib/records" got)$(tail -n 1 err)" 'label=a|text_a=a
label=b|text_a=ccsv2tfrecord: 2 records from 1 file, 2 labels; 1 bad row skipped: 1 with an unknown label' \
	'can be skipped'
gives 'label=a|text_a=a
label=0|text_a=b
label=b|text_a=c' 'without it, a label that the map lacks stays' \
	-l y --map-label -1=a,1=b y.csv
is "$(grep -c warning err)" 0 'nothing is odd about it'
csv2tfrecord -l y --map-label 0=a,o=z y.csv >got 2>err
like "$(cat err)" "*warning: no record has 1 of the labels that the label map renames, such as 'o'
*" 'a label of the map that no row has'
misuse '--only-mapped needs --map-label' 'no map' csv2tfrecord -l y --only-mapped y.csv

# numbers, and a label for each row
awk 'BEGIN { print "text,y"; for (i = 0; i < 30; i++) print "text " i "," i / 8 }' >n.csv
csv2tfrecord -l y n.csv >got 2>err
is "$(cat err)" 'csv2tfrecord: 30 records from 1 file, 30 labels, numbers from 0 to 3.625 with mean 1.8125' \
	'range and mean of numbers'
csv2tfrecord -t y -l text n.csv >got 2>err
like "$(cat err)" '*warning: 30 records have 30 different labels (*--label*' 'swapped columns'
awk 'BEGIN { print "text,y"; for (i = 0; i < 30; i++) print "text" i "," i % 3 " " }' >b.csv
csv2tfrecord -l y b.csv >got 2>err
like "$(cat err)" "csv2tfrecord: warning: 3 labels start or end with a blank, which is part of them, such as '0 ' (--strip removes it)
csv2tfrecord: 30 records*" 'warnings of one kind are counted'
misuse "'neg' is not a pair A=B (labels with commas need @FILE)" 'no pair' csv2tfrecord -l y --map-label neg y.csv
misuse "label '0' stands twice" 'a label twice' \
	csv2tfrecord -l y --map-label 0=a,0=b y.csv
misuse "'0=' lacks a label" 'an empty name' csv2tfrecord -l y --map-label 0= y.csv
misuse "'' is not a pair A=B *" 'an empty map' csv2tfrecord -l y --map-label '' y.csv
misuse '--map-label needs --label' 'no label' csv2tfrecord --map-label a=b y.csv
refuses "*cannot open 'nosuch'*" 'no such file' \
	csv2tfrecord -l y --map-label @nosuch y.csv
printf '0,a\n1\n' >bad.csv
refuses "*cannot read 'bad.csv': record 2 (line 2): 1 field, expected 2" \
	'a bad file' csv2tfrecord -l y --map-label @bad.csv y.csv
printf '0,a,b\n' >bad.csv
refuses "*'bad.csv': record 1 (line 1): 3 fields, expected two: *" \
	'too many columns' csv2tfrecord -l y --map-label @bad.csv y.csv

# several labels
printf 'text,toxic,rude,k\na,1,0,x;y\nb,1.0,True,\nc,0,false, y ;;y\n' >m.csv
gives 'label=toxic|label_names=[toxic,rude]|text_a=a
label=[toxic,rude]|label_names=[toxic,rude]|text_a=b
label=[]|label_names=[toxic,rude]|text_a=c' 'columns of 0 and 1' -l toxic,rude m.csv
is "$(cat err)" 'csv2tfrecord: 3 records from 1 file, 2 labels; 1 with no positive label' \
	'the summary'
gives 'label=[x,y]|text_a=a
label=[]|text_a=b
label=y|text_a=c' 'a column with a separator' -l k --label-separator ';' m.csv
awk 'BEGIN { printf "{\"text\": \"a\", \"label\": [\"l0\""
	for (i = 1; i < 100000; i++) printf ", \"l%d\"", i % 80000
	print "]}" }' >many.jsonl
works 'many labels of a text, in a time that grows as they do' \
	sh -c 'ulimit -t 6; csv2tfrecord -q -l label -o many.rec many.jsonl'
is "$(tfrecord-cat -q --json many.rec | tr , '\n' | grep '"l[0-9]' | tr -cd '0-9\n')" \
	"$(awk 'BEGIN { for (i = 0; i < 80000; i++) print i }')" '... each once, in their order'
gives 'label=t|label_names=[t,r]|text_a=a
label=[t,r]|label_names=[t,r]|text_a=b
label=[]|label_names=[t,r]|text_a=c' 'with new names' -l 2,3 --map-label toxic=t,rude=r m.csv
csv2tfrecord -ql toxic,rude m.csv | tfrecord-cat -q --json >json
is "$(cat json)" '{"label": "toxic", "label_names": ["toxic", "rude"], "text_a": "a"}
{"label": ["toxic", "rude"], "label_names": ["toxic", "rude"], "text_a": "b"}
{"label": {"bytes": []}, "label_names": ["toxic", "rude"], "text_a": "c"}' 'as JSON'
sed 's/1,0,/2,0,/' m.csv >two.csv
refuses "*record 1 (line 2): 'toxic' is '2', expected 0 or 1 * (--label-type float reads numbers to predict)" 'another number' \
	csv2tfrecord -l toxic,rude two.csv
printf 'text,toxic,rude\na,Yes,no\nb,TRUE,YES\nc,NO,FALSE\n' >words.csv
gives 'label=toxic|label_names=[toxic,rude]|text_a=a
label=[toxic,rude]|label_names=[toxic,rude]|text_a=b
label=[]|label_names=[toxic,rude]|text_a=c' 'words in any case' -l toxic,rude words.csv
sed 's/Yes//' words.csv >hole.csv
refuses "*record 1 (line 2): 'toxic' is '', expected 0 or 1 (or true or false, or yes or no) (--na drop leaves out rows whose label is missing)" \
	'an empty cell' csv2tfrecord -l toxic,rude hole.csv
gives 'label=[toxic,rude]|label_names=[toxic,rude]|text_a=b
label=[]|label_names=[toxic,rude]|text_a=c' '... is left out with its row' --na drop -l toxic,rude hole.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 2 labels; 1 with no positive label; 1 row without text or label left out' \
	'... and counted'
misuse 'several label columns need a header, which names the labels' \
	'without a header' csv2tfrecord --no-header -t 1 -l 2,3 m.csv
printf 'text,x,x\na,0,1\n' >same.csv
refuses "*label columns 2 and 3 of 'same.csv' have the same name, 'x'" 'two labels of a name' \
	csv2tfrecord -l 2,3 same.csv
misuse "label column 2 of 'm.csv' is given twice" 'a column twice' \
	csv2tfrecord -l toxic,2 m.csv
printf 'text,toxic,\na,1,0\n' >nameless.csv
refuses "*'nameless.csv': label column 3 has no name in the header" \
	'a label without a name' csv2tfrecord -t text -l 2,3 nameless.csv
misuse 'a label separator needs one label column, not 2' 'both ways' \
	csv2tfrecord -l toxic,rude --label-separator ';' m.csv
misuse '--label-separator needs --label and at least one character' \
	'no separator' csv2tfrecord -l k --label-separator '' m.csv

# lists of labels, as Python, NumPy and JSON write them
cat >lists.csv <<'END'
text,y
a,"['x y', ""it's""]"
b,"['q' 'x y'
 'z']"
c,[]
d,
e,"('z',)"
f,"[1, 2]"
g,[ 3  1]
h,"{z, x y}"
i,"[""\u00e4\ud83d\ude00"", ""\""z\\""]"
j,['\xe4\'']
END
gives "label=[x y,it's]|text_a=a
label=[q,x y,z]|text_a=b
label=[]|text_a=c
label=[]|text_a=d
label=z|text_a=e
label=[1,2]|text_a=f
label=[3,1]|text_a=g
label=[z,x y]|text_a=h
label=[ä😀,\"z\\\\]|text_a=i
label=ä'|text_a=j" 'lists of labels' -l y --label-list lists.csv
is "$(cat err)" 'csv2tfrecord: 10 records from 1 file, 10 labels; 2 with no positive label' \
	'nothing is odd about them'
gives 'label=[x,it]|text_a=a' '... with new names' --where text=a -l y --label-list \
	--map-label "x y=x,it's=it" lists.csv
for list in "['a'" a "['a]" "['a'] b" "['a')" '[a "b]' "['a' ... 'b']" "['a'b]" "['\ud83d']" "['\x4']"; do
	printf '%s\n' text,y "a,\"$(printf %s "$list" | sed 's/"/""/g')\"" >bad.csv
	refuses "*record 1 (line 2): the label '*' is not a list such as *" "not a list: $list" \
		csv2tfrecord -l y --label-list bad.csv
done
csv2tfrecord -l y -o lists.rec lists.csv --na drop 2>err
like "$(cat err)" "*warning: 5 labels look like lists, and are one label each, such as *x y*it's* (--label-list reads *" \
	'lists that are read as one label'

# spans with labels in a text, which another program reads
spans='(conll2tfrecord --spans reads spans with labels in a text)'
for span in '[0, 1, \"X\"]' '{\"start\": 0, \"end\": 1, \"label\": \"X\"}'; do
	echo "{\"text\":\"a\",\"y\":[$span]}" >odd.jsonl
	refuses "*'y' holds a list with other values, * $spans" "spans: $span" csv2tfrecord -l y odd.jsonl
done
echo '{"text":"a","y":[{"name": "X"}]}' >odd.jsonl
refuses "*'y' holds a list with other values, * (KEY.NAME is the value *" 'other objects' csv2tfrecord -l y odd.jsonl
printf '%s\n' text,y "a,\"[[0, 1, 'X']]\"" >odd.csv
refuses "*the label '??0, 1, 'X'??' is not a list * $spans" '... in CSV' csv2tfrecord -l y --label-list odd.csv
csv2tfrecord -l y -o lists.rec odd.csv 2>err
like "$(cat err)" "*warning: the label '??0, 1, 'X'??' looks like spans in a text, and is one label like the others $spans*" \
	'... that are read as one label'
# texts that are lists, as the turns of a conversation
cat >turns.csv <<'END'
prompt,answer,label
"[""hi"", ""caf\u00e9, please""]","['sure' 'it\'s here']",a
"[""x"", null, ""y""]",[],b
,['z'],a
END
gives "label=a|text_a=hi café, please|text_b=sure it's here
label=b|text_a=x y|text_b=
label=a|text_a=|text_b=z" 'lists of texts' -t prompt --pair answer -l label --text-list turns.csv
csv2tfrecord -t prompt -l label -o o turns.csv 2>err
like "$(cat err)" "*warning: 2 of 3 texts look like lists, with brackets and quotes (--text-list joins *" '... without the option'
printf '{"t": ["hi", "there"], "l": "a"}\n{"t": [], "l": "b"}\n' >turns.jsonl
gives 'label=a|text_a=hi there
label=b|text_a=' 'of JSON Lines' -t t -l l --text-list turns.jsonl
for text in 'plain' '[1, 2]' '["a"' '{"a": "b"}'; do
	printf '%s\n' "$text" >plain.csv
	refuses "*record 1 (line 1): the text '*' is not a list such as *" "no list: $text" \
		csv2tfrecord -t 1 --no-header --no-quote --delimiter tab --text-list plain.csv
done
misuse '--label-list needs --label, *' 'lists of no column' csv2tfrecord --label-list m.csv
misuse '--label-list needs --label, *' 'lists and a separator' \
	csv2tfrecord -l y --label-list --label-separator ';' m.csv
misuse 'a list of labels needs one label column, not 2' 'lists in two columns' \
	csv2tfrecord -l toxic,rude --label-list m.csv

cp "$TEST_TOP/pipelines/data/vocab.txt" .
csv2tfrecord -ql toxic,rude m.csv >m.tfrecord
works 'bert-tokenize passes them on' bert-tokenize -q -m vocab.txt -o m.rec m.tfrecord
is "$("$TEST_TOP/tests/lib/records" m.rec | sed 's/.*label=/label=/; s/|segment.*//')" \
	'label=toxic|label_ids=[1,0]|label_names=[toxic,rude]
label=[toxic,rude]|label_ids=[1,1]|label_names=[toxic,rude]
label=[]|label_ids=[0,0]|label_names=[toxic,rude]' 'as 1 and 0, too'
printf '%s\n' '{"input_ids": [2, 3], "label": ["a", "b"]}' |
	tfrecord-cat -q --from-json -o several.rec
refuses '*has several labels, but the model is single-label*' \
	'bert-train is to be asked for them' bert-train --init-config tiny \
	--tokenizer vocab.txt -o x several.rec

# weights
printf '{"text":"a","w":2}\n{"text":"b","w":1e-1}\n{"text":"c","w":"0.5"}\n' >w.jsonl
gives 'text_a=a|weight=2
text_a=b|weight=0.1
text_a=c|weight=0.5' 'weights' --weight w w.jsonl
for w in -1 x nan inf '' 1e40 1e-45; do
	printf 'text,w\na,%s\n' "$w" >w.csv
	refuses "*record 1 (line 2): the weight is '$w', expected 0 or a number of at least 1e-30" \
		"the weight '$w'" csv2tfrecord --weight w w.csv
done

# --strip, --fold-case
printf 'text,y\na,World\nb,"world "\nc,\302\240WORLD\nd,\316\237\316\224\316\237\316\243\ne,\316\277\316\264\316\277\317\202\n' >s.csv
works 'labels as they are' csv2tfrecord -l y -o x s.csv
like "$(cat err)" "*2 labels *such as 'world ' (--strip removes it)*'World' and 'world ', 'World' and *WORLD' (--fold-case, --strip or*5 labels" \
	'are told of'
gives 'label=world|text_a=a
label=world|text_a=b
label=world|text_a=c
label=οδοσ|text_a=d
label=οδοσ|text_a=e' 'one label' --strip --fold-case -l y s.csv
is "$(cat err)" 'csv2tfrecord: 5 records from 1 file, 2 labels' 'without a warning'
gives 'label=W|text_a=a
label=W|text_a=b
label=W|text_a=c
label=οδοσ|text_a=d
label=οδοσ|text_a=e' 'before it gets a new name' --strip --fold-case --map-label world=W -l y s.csv
printf 'text,y\na,A;b ;B\nb, ;a\nc,\n' >p.csv
works 'several labels' csv2tfrecord -q --fold-case --strip --label-separator ';' -l y -o x p.csv
is "$(tfrecord-cat -q --json x | sed 's/, "text.*//')" '{"label": ["a", "b"]
{"label": "a"
{"label": {"bytes": []}' 'of a row once'
printf 'text,Red, red,Blue\na,1,0,0\nb,0,1,1\n' >n.csv
works 'names of columns' csv2tfrecord -q --fold-case --strip -l 'Red,3,Blue' -o x n.csv
like "$(tfrecord-cat -q --json x)" '*"label": "red", "label_names": \["red", "blue"\]*"label": \["red", "blue"\]*' 'are labels'
printf 'text,y\na,\302\240 \n' >e.csv
refuses "*the label is empty*" 'blanks alone' csv2tfrecord --strip -l y e.csv
misuses '*--strip needs --label*' 'no labels' csv2tfrecord --strip s.csv
misuses '*--fold-case makes no sense with --label-type float*' 'numbers' \
	csv2tfrecord --fold-case -l y --label-type float s.csv
printf 'text,y\na,3\nb,3.0\n' >whole.csv
csv2tfrecord -l y --label-type float -o x whole.csv 2>err
is "$? $(grep -c 'may be the same' err)" '0 0' 'two ways to write a number are one'
csv2tfrecord -l y -o x whole.csv 2>err
is "$? $(grep -c 'may be the same' err)" '0 1' '... and two classes'

# --na drop
printf 'text,p,y\na,b,x\n,b,x\nNA,b,x\nd,null,x\ne,b,\nf,b,n/a\n' >m.csv
gives 'label=x|text_a=a
label=x|text_a=d' 'rows without a text or a label are left out' --na drop -l y m.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 1 label; 4 rows without text or label left out' 'and counted'
printf 'text,y\na, \nb,\302\240NA \nc, x \n' >m.blanks.csv
gives 'label=x|text_a=c' 'labels that are missing without their blanks, too' --na drop --strip -l y m.blanks.csv
is "$(cat err)" 'csv2tfrecord: 1 record from 1 file, 1 label; 2 rows without text or label left out' 'are counted'
printf 'text,y\nNA,x\na,\n' >none.csv
refuses 'csv2tfrecord: no rows are left: 2 without text or label were left out' 'all of them' \
	csv2tfrecord -q --na drop -l y none.csv
gives 'text_a=a|text_b=b
text_a=e|text_b=b
text_a=f|text_b=b' 'or without the second text' --na drop --pair p m.csv
gives 'text_a=a
text_a=d
text_a=e
text_a=f' 'without labels' --na drop m.csv
gives 'text_a=a b
text_a= b
text_a=NA b
text_a=d null
text_a=e b
text_a=f b' 'one of several texts is enough' --na drop -t text,p m.csv

# numbers out of range
printf 'text,y\na,1\nb,1e39\n' >r.csv
printf 'text,y\na,"3,5"\n' >comma.csv
refuses "*record 1 (line 2): label '3,5' is not a number: it has a comma (decimal, or of thousands); numbers are written as 3.5 (--label-type float with --decimal-comma reads 3,5 as 3.5)" \
	'a decimal comma' csv2tfrecord -l y --label-type float comma.csv
csv2tfrecord -l y comma.csv >got 2>err
is "$(head -n 1 err)" "csv2tfrecord: warning: the label '3,5' looks like a number with a comma (decimal, or of thousands), and is a class like the others (--label-type float with --decimal-comma reads 3,5 as 3.5)" \
	'... of a class'
printf 'text,y\na,"1,"\nb,",5"\nc,"1,000"\nd,"1,2"\n' >comma.csv
csv2tfrecord -l y comma.csv >got 2>err
is "$(head -n 1 err)" "csv2tfrecord: warning: 2 labels look like numbers with a comma (decimal, or of thousands), and are classes like the others, such as '1,000' (--label-type float with --decimal-comma reads 3,5 as 3.5)" \
	'... only between digits'
printf 'text;y;z;w\na;-3,5;1,25;0,5\nb;2;1e1;1\n' >comma.csv
gives 'label=-3.5|text_a=a|weight=0.5
label=2|text_a=b|weight=1' 'read with --decimal-comma, weights, too' \
	--delimiter ';' -l y --weight w --label-type float --decimal-comma comma.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 2 labels, numbers from -3.5 to 2 with mean -0.75' '... as numbers'
gives 'label_ids=[-3.5,1.25]|label_names=[y,z]|text_a=a
label_ids=[2,10]|label_names=[y,z]|text_a=b' '... of several columns' \
	--delimiter ';' -l y,z --label-type float --decimal-comma comma.csv
printf 'text;y;z\na;1.000;1,25\n' >comma.csv
refuses "*label '1.000' is not a number: it has a point, where numbers are written as 3,5" 'a point, perhaps of thousands' \
	csv2tfrecord --delimiter ';' -l y --label-type float --decimal-comma comma.csv
refuses "*'y' is '1.000', expected a number: it has a point, *" '... in one of several columns' \
	csv2tfrecord --delimiter ';' -l y,z --label-type float --decimal-comma comma.csv
printf '{"text": "a", "y": 3.5, "w": "0,5"}\n{"text": "b", "y": "1,25", "w": 2}\n' >comma.jsonl
gives 'label=3.5|text_a=a|weight=0.5
label=1.25|text_a=b|weight=2' 'numbers of JSON have a point, and its texts a comma' \
	-l y --weight w --label-type float --decimal-comma comma.jsonl
printf '{"text": "a", "y": "1.000"}\n' >comma.jsonl
refuses "*label '1.000' is not a number: it has a point, where numbers are written as 3,5" '... only' \
	csv2tfrecord -l y --label-type float --decimal-comma comma.jsonl
misuse '--decimal-comma needs --label-type float or --weight' 'without numbers' \
	csv2tfrecord --delimiter ';' -l y --decimal-comma comma.csv
printf 'text,y\na,"3,"\n' >comma.csv
refuses "*record 1 (line 2): label '3,' is not a number" 'a comma at the end' csv2tfrecord -l y --label-type float comma.csv
printf 'text,y\na,"3,5x"\n' >comma.csv
refuses "*record 1 (line 2): label '3,5x' is not a number" 'another comma' csv2tfrecord -l y --label-type float comma.csv
refuses "*record 2 (line 3): label '1e39' is not a number from -1e30 to 1e30" 'a large number' \
	csv2tfrecord -l y --label-type float r.csv
csv2tfrecord -q -l y r.csv | bert-tokenize -q -m vocab.txt -o r.rec
refuses "*record 2: label '1e39' is beyond the range of 32-bit floats*" 'in training' \
	bert-train --init-config tiny --tokenizer vocab.txt --task regression -o trained r.rec

# duplicates
printf 'text,p,y\na,b,1\na,c,2\n,b,3\na,b,4\n,b,5\n' >d.csv
gives 'label=1|text_a=a
label=3|text_a=' 'the first of each text is kept' --drop-duplicates -l y d.csv
is "$(tail -n 1 err)" 'csv2tfrecord: 2 records from 1 file, 2 labels; 3 duplicates dropped; 1 text is empty' \
	'the summary'
gives 'label=1|text_a=a|text_b=b
label=2|text_a=a|text_b=c
label=3|text_a=|text_b=b' 'of each pair' --drop-duplicates --pair p -l y d.csv
gives 'label=1|text_a=a b
label=2|text_a=a c
label=3|text_a= b' 'of joined texts, over files' --drop-duplicates -t 1,2 -l y d.csv d.csv

# missing values
printf 'text,y\nNA,1\n"",2\n"null",3\nna,NaN\nNone ,5\n' >na.csv
gives 'label=1|text_a=NA
label=2|text_a=
label=3|text_a=null
label=NaN|text_a=na
label=5|text_a=None ' 'are texts' -l y na.csv
gives 'text_a=nan
text_a=nan
text_a=nan
text_a=na
text_a=None ' 'as pandas sees them' --na pandas na.csv
is "$(cat err)" "csv2tfrecord: 5 records from 1 file, with neither label nor id; 3 missing texts read as 'nan' (-l COLUMN reads a label, -i COLUMN an id)" \
	'the summary'
refuses "*record 4 (line 5): the label 'NaN' stands for a missing value" \
	'a missing label' csv2tfrecord --na pandas -l y na.csv
printf '{"text":null}\n{"text":"x"}\n' >na.jsonl
gives 'text_a=nan
text_a=x' 'null is missing' --na pandas na.jsonl
misuse "bad value 'x' for --na: expected keep|drop|pandas" 'an unknown rule' \
	csv2tfrecord --na x na.csv

# Against pandas: what is missing, which duplicates go.
if [ -n "${PEER_PYTHON-}" ] && "$PEER_PYTHON" -c 'import pandas' 2>/dev/null; then
	"$PEER_PYTHON" - <<-'END'
	import pandas, pandas._libs.parsers as parsers
	words = sorted(parsers.STR_NA_VALUES) + ["Na", "NAN", " NA", "-", "x", "None "]
	with open("peer.csv", "w") as f:
	    f.write("text,k\n")
	    for i, w in enumerate(words + words[5:15] + ["x"]):
	        f.write(f'"{w}",{i}\n{w},{i}\n')
	d = pandas.read_csv("peer.csv")
	d["text"] = ["nan" if pandas.isna(x) else x for x in d["text"]]
	d.to_csv("all.csv", index=False)
	d.drop_duplicates(subset=["text"]).to_csv("first.csv", index=False)
	END
	csv2tfrecord -qi k --na pandas -o a peer.csv
	csv2tfrecord -qi k -o b all.csv
	cmp a b
	result $? 'pandas finds the same values missing'
	csv2tfrecord -qi k --na pandas --drop-duplicates -o a peer.csv
	csv2tfrecord -qi k -o b first.csv
	cmp a b
	result $? 'and drops the same duplicates'
else
	skip 'pandas' 'PEER_PYTHON has no pandas'
fi

finish
