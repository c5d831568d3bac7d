#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: columns, formats, character sets, several files.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/csv.sh"

# HTML
cat >html.csv <<'END'
text,pair
"One.<br /><br>Two &amp; <B class=""a>b"">three</b>&nbsp;<p/>",&lt;i&gt; &#39;&#x27;&#150;&eacute;&hellip;
"a <user> of <s> & <brown> AT&T; &amp;lt; &unknown; <b",<!-- not <b> this -->x &#0; &#xd800; &#129;
END
works 'HTML as it is' csv2tfrecord -t text -o x html.csv
like "$(cat err)" "csv2tfrecord: warning: 2 of 2 texts have tags or entities of HTML, such as '<br />' (--strip-html makes *" 'is warned of'
works 'without tags' csv2tfrecord -t text --pair pair --strip-html -o x html.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file' '... without a word'
is "$(tfrecord-cat -q --json x)" "$(printf '{"text_a": "One.  Two &  three \302\240 ", "text_b": "<i> \047\047\342\200\223\303\251\342\200\246"}
{"text_a": "a <user> of <s> & <brown> AT&T; &lt; &unknown; <b", "text_b": " x &#0; &#xd800; \\u0081"}')" '... and with characters for entities'
printf 'text,A,B\n<b>x</b>,"<i>y</i>",&lt;\n' >choices.csv
csv2tfrecord -q -t text --choices A,B --strip-html -o x choices.csv
is "$(tfrecord-cat -q --json x)" '{"choices": [" y ", "<"], "label_names": ["A", "B"], "text_a": " x "}' '... in choices, too'
awk 'BEGIN { print "text"; for (i = 0; i < 20; i++) print i < 2 ? "a<br>b" : "a < b & c <3" }' >few.csv
works 'few texts with tags' csv2tfrecord -o x few.csv
is "$(cat err)" 'csv2tfrecord: 20 records from 1 file' '... are not warned of'
awk 'BEGIN { print "text"; for (i = 0; i < 400000; i++) printf "<b "; print "" }' >hostile.csv
works 'tags that do not end' timeout 60 csv2tfrecord -q --strip-html -o x hostile.csv
# each of the comments that began was looked for an end of: 8 seconds
awk 'BEGIN { print "text"; for (i = 0; i < 4000000; i++) printf "<!--"; print "" }' >hostile.csv
(
	ulimit -t 5
	csv2tfrecord -q -j 1 -o x hostile.csv
)
result $? 'nor comments that do not'

# row numbers of pandas
printf 'Unnamed: 0,text,label\n0,a,x\n1,b,y\n' >pandas.csv
works 'row numbers beside the data' csv2tfrecord -t text -l label -o x pandas.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 2 labels' '... are not mentioned'
works '... as text' csv2tfrecord -t 1 -l label -o x pandas.csv
like "$(cat err)" "csv2tfrecord: 'pandas.csv': column 1, named 'Unnamed: 0', is taken for a text, but *index=False
*2 records*" '... are'
sed 's/Unnamed: 0//' pandas.csv >nameless.csv
works '... without a name, as label' csv2tfrecord -t text -l 1 -o x nameless.csv
like "$(cat err)" "*column 1, named '', is taken for a label, but *" '... are, too'

# misuse GLOB NAME COMMAND...: exit status 2, nothing on standard output
misuse() {
	glob=$1 name=$2
	shift 2
	misuses "csv2tfrecord: $glob" "$name" "$@" </dev/null
}

printf 'id,text,label\n7,"a, b",x\n8,c,y\n' >a.csv

# which columns
gives 'text_a=a, b
text_a=c' 'the column named text is the default' a.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, with neither label nor id (-l COLUMN reads a label, -i COLUMN an id)' \
	'the summary says that there are others'
works 'the column named' csv2tfrecord -t text -o no a.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file' 'nothing is said of others'
printf 'text\na\n' >alone.csv
works 'a column alone' csv2tfrecord -o no alone.csv
is "$(cat err)" 'csv2tfrecord: 1 record from 1 file' 'nothing to say'
gives 'id=7|label=x|text_a=a, b
id=8|label=y|text_a=c' 'columns by name' -i id -t text -l label a.csv
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file, 2 labels' \
	'the summary counts labels'
gives 'id=7|label=x|text_a=a, b
id=8|label=y|text_a=c' 'columns by number' -i1 -t2 -l3 a.csv
gives 'text_a=7 a, b
text_a=8 c' 'several columns make one text' -t id,text a.csv
gives 'text_a=a, b 7 7
text_a=c 8 8' 'in the order given' -t 2,1,1 a.csv
gives 'id=7|label=x|text_a=a, b|text_b=7
id=8|label=y|text_a=c|text_b=8' 'a second text' \
	--pair id -l label -i id a.csv
gives 'text_a=a, b
text_a=c' 'standard input' <a.csv
printf '2,b,a,"x,y"\n1,2,3,4\n' >odd.csv
gives 'text_a=1' 'a name that is a number wins' -t 2 odd.csv
gives 'text_a=4' 'a name with a comma wins' -t x,y odd.csv
gives 'text_a=3 2' 'else the comma separates' -t a,b odd.csv
printf ',text\n0,x\n' >index.csv
gives 'id=0|text_a=x' 'a column without a name' -i '' index.csv

# rows without a column for their id
cp a.csv b.csv
gives 'id=a.csv:1|text_a=a, b
id=a.csv:2|text_a=c
id=b.csv:1|text_a=a, b
id=b.csv:2|text_a=c' 'file and number of the row' -i row a.csv b.csv
printf 'text,label\na,x\nb,\nc,y\n' >hole.csv
gives 'id=hole.csv:1|label=x|text_a=a
id=hole.csv:3|label=y|text_a=c' 'bad rows are counted' -i row -l label --skip-bad hole.csv
printf 'row,text\n7,a\n' >row.csv
gives 'id=7|text_a=a' 'unless a column has that name' -i row row.csv
printf '{"text":"a"}\n{"text":"b"}\n' >a.jsonl
gives 'id=a.jsonl:1|text_a=a
id=a.jsonl:2|text_a=b' 'in JSON Lines' -i row a.jsonl
works 'ids that are not unique' csv2tfrecord -i id -o /dev/null a.csv b.csv
like "$(cat err)" '*warning: 2 records have the id of an earlier one, first*' '... are warned of'

# columns that are not there
refuses "csv2tfrecord: cannot find column 'txt' in 'a.csv' (did you mean 'text'[?]); its columns are 'id', 'text', 'label'" \
	'a wrong name' csv2tfrecord -t txt a.csv
refuses "csv2tfrecord: cannot find column '4' in 'a.csv'; its columns are 'id', 'text', 'label'" \
	'a number that is too large' csv2tfrecord -t 4 a.csv
refuses "*cannot find column '99999999999999999999999' in*" 'far too large' \
	csv2tfrecord -t 99999999999999999999999 a.csv
refuses "*cannot find column '' in 'a.csv'*" 'an empty word in a list' \
	csv2tfrecord -t id,,text a.csv
printf ' Text ,label\na,b\n' >blank.csv
refuses "*cannot find column 'text' in 'blank.csv' (did you mean ' Text '[?]);*" \
	'a name with blanks and capitals' csv2tfrecord -t text blank.csv
misuse "cannot find a column named 'text' in 'blank.csv' (did you mean ' Text '[?]); its columns are ' Text ', 'label' (name the text's column with -t COLUMN)" \
	'no column is the default' csv2tfrecord blank.csv
printf 'text;label\na;b\n' >semi.csv
refuses "*cannot find column 'text' in 'semi.csv'; its only column is 'text;label' (use --delimiter semicolon)" \
	'a wrong delimiter' csv2tfrecord -t text semi.csv
printf 'text,y\na,b\n' >comma.csv
refuses "*cannot find column 'text' in 'comma.csv'; its only column is 'text,y' (use --delimiter comma)" \
	'a header that is nearly the name' csv2tfrecord --delimiter tab -t text comma.csv
misuse "cannot find a column named 'text' in 'semi.csv'; its only column is 'text;label' (use --delimiter semicolon)" \
	'a wrong delimiter, without a column' csv2tfrecord semi.csv
{
	seq -s , -f 'a%g' 100
	seq -s , 100
} >wide.csv
refuses "*cannot find column 'text' in 'wide.csv'; its columns are 'a1', * (100 in all)" \
	'among many columns' csv2tfrecord -t text wide.csv
printf 'text,text\na,b\n' >twice.csv
refuses "*column 'text' is ambiguous in 'twice.csv': columns 1 and 2 have that name; give a number" \
	'a name that stands twice' csv2tfrecord twice.csv
gives 'text_a=b' 'but by number' -t 2 twice.csv
misuse "column 2 of 'a.csv' cannot be both text and label" \
	'text and label alike' csv2tfrecord -t text -l 2 a.csv
misuse "column 1 of 'a.csv' cannot be both text and label" \
	'second text and label alike' csv2tfrecord --pair id -l 1 a.csv
misuse 'columns are counted from 1, not from 0' 'column 0' \
	csv2tfrecord -t 0 a.csv

# formats
gives 'label=b|text_a=a' 'a delimiter by name' \
	--delimiter semicolon -l label semi.csv
gives 'label=b|text_a=a' 'a delimiter by itself' \
	--delimiter ';' -l label semi.csv
printf 'text\tlabel\na, "b"\tx\n' >t.tsv
gives 'label=x|text_a=a, "b"' 'tabs where the name ends in .tsv' -l label t.tsv
gives 'label=x|text_a=a, "b"' 'tabs elsewhere' \
	--delimiter tab -l label - <t.tsv
printf 'text,label\nx,y\n' >c.tsv
gives 'text_a=x' 'commas in spite of the name' --delimiter comma c.tsv
misuse "bad value 'tabs' for --delimiter: *" 'no delimiter' \
	csv2tfrecord --delimiter tabs a.csv
printf 'a man sings,a man plays,3.8\nb,c,1\n' >pairs.csv
refuses "*cannot find column 'sentence1' in 'pairs.csv'; its columns are 'a man sings', 'a man plays', '3.8' (if that row is data, use --no-header)" \
	'a first row that is data' csv2tfrecord -t sentence1 pairs.csv
printf 'd,c\na,b\n' >bare.csv
gives 'label=d|text_a=c
label=a|text_a=b' 'without a header' --no-header -t 2 -l 1 bare.csv
misuse "without a header, the text's column needs a number (give it with -t N)" \
	'without a header there is no default' csv2tfrecord --no-header a.csv
refuses "*cannot find column 'text' in 'a.csv'; it has 3 columns and no header" \
	'without a header there are no names' \
	csv2tfrecord --no-header -t text a.csv
printf 'text\n"a\n 6" nail\n"b" c\n' >quote.csv
gives 'text_a="a
text_a= 6" nail
text_a="b" c' 'quotes as ordinary characters' --no-quote quote.csv
printf '\357\273\277text,label\r\n "a" ,x\r\n\r\n"b\r\nc""",y' >rfc.csv
gives 'label=x|text_a= "a" 
label=y|text_a=b\r\nc"' 'a byte order mark, CRLF, blanks, no last line end' \
	-l label rfc.csv
printf 'text,label\r"a",x\rb,y\r' >mac.csv
gives 'label=x|text_a=a
label=y|text_a=b' 'lines that end in CR' -l label mac.csv

# character sets
printf 'text,l\351\ncaf\351 \200,x\n' >latin.csv
gives "label=x|text_a=$(printf 'caf\303\251 \342\202\254')" 'windows-1252' \
	--encoding windows-1252 -l "$(printf 'l\303\251')" latin.csv
gives "text_a=$(printf 'caf\303\251 \302\200 x')" 'latin1, joined' \
	--encoding latin1 -t 1,2 latin.csv
printf 'text\na\201\n' >undef.csv
refuses "*'undef.csv': record 1 (line 2): the text is not valid windows-1252 (byte 81 at position 2)" \
	'a byte without a meaning' \
	csv2tfrecord --encoding windows-1252 undef.csv
refuses "*cannot read 'latin.csv': header: the name of column 2 is not valid utf-8 (byte E9 at position 2) (use --encoding windows-1252, latin1 or another for text that is not UTF-8)" \
	'a header in another set' csv2tfrecord latin.csv
like "$(csv2tfrecord --encoding latin1 -t 1,2 latin.csv 2>&1 >x)" \
	'*warning: texts have control characters (bytes 80 to 9F)*(use --encoding windows-1252)*' \
	'control characters in latin1'
{ printf '\357\273\277' && cat latin.csv; } >mark.csv
refuses "csv2tfrecord: cannot read 'mark.csv': it begins with the byte order mark of UTF-8, and is not windows-1252" \
	'a mark of UTF-8 before another set' csv2tfrecord --encoding cp1252 -t 1 mark.csv
mkdir marked
{ printf '\357\273\277' && cat latin.csv; } >marked/a.txt
refuses "csv2tfrecord: cannot read 'marked/a.txt': it begins with the byte order mark of UTF-8, and is not latin1" \
	'... in a folder' csv2tfrecord --encoding latin1 marked
rm -r marked
printf 'text\n\244 caf\351\n' >euro.csv
for name in iso-8859-15 ISO8859_15 latin9; do
	gives "text_a=$(printf '\342\202\254 caf\303\251')" "$name" --encoding $name euro.csv
done
for name in cp1252 CP-1252 Windows-1252; do
	gives "text_a=$(printf '\302\244 caf\303\251')" "$name" --encoding $name euro.csv
done
for name in Latin-1 ISO-8859-1 iso88591; do
	gives "text_a=$(printf '\302\244 caf\303\251')" "$name" --encoding $name euro.csv
	is "$(grep -c control err)" 0 '... without control characters'
done
misuse "bad value 'utf-7' for --encoding: expected utf-8, utf-16, latin1, iso-8859-15 or windows-1252 (iconv converts others)" \
	'an unknown set' csv2tfrecord --encoding utf-7 a.csv

# UTF-16: t \n, e with an acute accent, a euro sign, a pair of surrogates
le='t\0\n\0\351\0\254\040\075\330\0\336\n\0b\0'
be='\0t\0\n\0\351\040\254\330\075\336\0\0\n\0b'
smile="text_a=$(printf '\303\251\342\202\254\360\237\230\200')
text_a=b"
printf "\377\376$le" >le.csv
printf "\376\377$be" >be.csv
printf "$le" >le-plain.csv
printf "$be" >be-plain.csv
gives "$smile" 'UTF-16, little-endian' -t t le.csv
gives "$smile" 'big-endian' -t t be.csv
gives "$smile" 'in a pipe' -t t <be.csv
gives "$smile" 'a name without a byte order' -t t --encoding UTF-16 le.csv
gives "$smile" 'the mark decides' -t t --encoding utf-16le be.csv
gives "$smile" 'without a mark' -t t --encoding utf-16 le-plain.csv
gives "$smile" 'big-endian without a mark' -t t --encoding utf16be be-plain.csv
gzip -kf be.csv
gives "$smile" 'compressed' -t t be.csv.gz
printf '\377\376{\0"\0t\0"\0:\0"\0b\0"\0}\0' >u.jsonl
gives text_a=b 'JSON Lines' -t t u.jsonl
refuses "*cannot read 'le-plain.csv': header (line 1): a NUL byte: * (use --encoding utf-16)" \
	'UTF-16 without a mark needs the option' csv2tfrecord -t t le-plain.csv
refuses "*cannot read 'le.csv': it is UTF-16 text; *" 'another encoding' \
	csv2tfrecord -t t --encoding latin1 le.csv
printf '\377\376t\0\n\0a\0\n\0b\0\075\330c\0\n\0\0\336\n\0d\0\n\0\075\330' >half.csv
refuses "csv2tfrecord: cannot read 'half.csv': record 2 (line 3): the text has half of a surrogate pair of UTF-16 (byte 2 of the text as UTF-8)" \
	'half of a surrogate pair' csv2tfrecord -t t half.csv
csv2tfrecord -t t --rejects bad.csv half.csv >got 2>err
is "$("$TEST_TOP/tests/lib/records" got) $(cut -d, -f 2 bad.csv | tr '\n' ' ')" 'text_a=a
text_a=d line 3 4 6 ' 'the rows can be left out'
printf '\377\376t\0\n\0a\0\n\0b' >odd.csv
refuses "*cannot read 'odd.csv': its UTF-16 text ends in the middle of a character" \
	'an odd byte' csv2tfrecord -t t odd.csv

# several files
printf 'label,text\nz,d\n' >b.csv
gives 'label=x|text_a=a, b
label=y|text_a=c
label=z|text_a=d' 'each file has its own order of columns' -l label a.csv b.csv
is "$(cat err)" 'csv2tfrecord: 3 records from 2 files, 3 labels' \
	'the summary counts files'
csv2tfrecord -vl label a.csv b.csv 2>err >got
is "$(sed 's/^csv2tfrecord: //' err)" "'a.csv': 2 records, 0 bad rows
'b.csv': 1 record, 0 bad rows
3 records from 2 files, 3 labels" '-v tells of each file'
gives 'label=z|text_a=d
label=x|text_a=a, b
label=y|text_a=c' 'one of them is standard input' -l label - a.csv <b.csv
mkfifo p q
cat a.csv >p &
cat b.csv >q &
gives 'text_a=a, b
text_a=c
text_a=d' 'pipes, which can be opened only once' p q
cat a.csv >p &
gives 'text_a=label
text_a=z
text_a=id
text_a=7
text_a=8' 'a pipe without a header' --no-header -t 1 b.csv p
wait
printf 'label,words\nz,d\n' >w.csv
refuses "csv2tfrecord: cannot find column 'text' in 'w.csv'; its columns are 'label', 'words'" \
	'a later file without the column, before any output' \
	csv2tfrecord -t text a.csv w.csv
misuse 'standard input is given 2 times' 'standard input twice' \
	csv2tfrecord - a.csv -
refuses "csv2tfrecord: cannot open 'nosuch.csv': No such file or directory" \
	'a missing file' csv2tfrecord a.csv nosuch.csv
refuses "csv2tfrecord: '.' holds no texts: *" 'a folder' \
	csv2tfrecord .
misuse "cannot read 'gs://b/x.csv': remote files come through a pipe: gcloud storage cat 'gs://b/x.csv' | ..." \
	'Google Cloud Storage' csv2tfrecord gs://b/x.csv
misuse "*aws s3 cp 's3://b/x.csv' - | *" 'S3' csv2tfrecord a.csv s3://b/x.csv
misuse "*curl -fsSL 'https://e.org/x.csv' | *" 'https' \
	csv2tfrecord https://e.org/x.csv
misuse "*curl -fsSL 'http://e.org/x.csv' | *" 'http' \
	csv2tfrecord http://e.org/x.csv
misuse "cannot write 's3://b/x': remote files are written through a pipe: ... | aws s3 cp - 's3://b/x'" \
	'an output' csv2tfrecord -o s3://b/x a.csv

# output
works 'into a file' csv2tfrecord -q -o x.tfrecord a.csv
is "$(cat out err)$(records x.tfrecord)" 'text_a=a, b
text_a=c' '-q is quiet'
works 'there is a help' csv2tfrecord --help
for o in text pair label id weight task format delimiter no-header no-quote \
	encoding label-separator map-label only-mapped na drop-duplicates \
	skip-bad rejects max-bad output; do
	grep -q -e "--$o" out || echo "$o"
done >missing
is "$(cat missing)" '' 'it explains every option'
misuse "unknown option '--nosuch'" 'an unknown option' csv2tfrecord --nosuch

# a header that columns by number pass over
printf '1,where do I park?\n2,is it open today?\n' >bare.csv
csv2tfrecord -i 1 -t 2 -o got bare.csv 2>err
is "$(cat err)" "csv2tfrecord: warning: the first row of 'bare.csv' was read as the header, 'where do I park?' as the name of the text (if that row is data, use --no-header)
csv2tfrecord: 1 record from 1 file" 'a sentence in the header'
printf 'no,text\n1,a\n' >named.csv
csv2tfrecord -i 1 -t 2 -o got named.csv 2>err
is "$(cat err)" "csv2tfrecord: the first row of 'named.csv' was read as the header, 'text' as the name of the text (if that row is data, use --no-header)
csv2tfrecord: 1 record from 1 file" 'a name there'
csv2tfrecord -i 1 -t text -o got named.csv 2>err
is "$(cat err)" 'csv2tfrecord: 1 record from 1 file' 'a column given by its name'
csv2tfrecord --no-header -i 1 -t 2 -o got bare.csv 2>err
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file' 'without a header'

# empty second texts, and columns that are given one by one
printf 'a,b\nx,\ny,z\n' >pair.csv
csv2tfrecord -t a --pair b -o got pair.csv 2>err
is "$(cat err)" 'csv2tfrecord: 2 records from 1 file; 1 second text is empty' 'an empty second text is counted'
csv2tfrecord -t a -t b -o got pair.csv 2>err
is "$(head -n 1 err)" "csv2tfrecord: warning: --text is given more than once: 'b' counts, 'a' does not (give both as a,b)" 'columns given one by one'
finish
