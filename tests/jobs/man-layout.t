#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages as readers see them, by mandoc and by groff in terminals of 80
# and 110 columns: cells of a table are apart, on one line, and the last one has room for
# 22 characters before it goes on in the next line.
# Not under thread: no tool is run
. "$TEST_TOP/tests/lib/lib.sh"

# cells PAGE: the tables of a page, a row a line, with tabs between its cells
cells() {
	perl -ne '
		$in = 1 if /^\.Bl -column/;
		$in = 0 if /^\.El/;
		next unless $in && s/^\.It //;
		chomp;
		s/\\\(dq/"/g, s/\\e/\\/g, s/\\ / /g;
		s/\b(?:Li|Sy|Em|Cm) //g, s/\bFl /-/g, s/"(Output|Columns of the sample)"/$1/g;
		s/ ([,;]) /$1 /g;
		print join("\t", split(/ ?\bTa\b ?/)), "\n";
	' "$1"
}

# apart PAGE RENDERED: says which cells do not stand beside each other, with
# two blanks or more between them, and which last one has too little room
apart() {
	cells "$1" | perl -e '
		open(my $f, "<", $ARGV[0]) or die;
		local $/; my $page = <$f>; $page =~ tr/\t/ /;
		for (split /\n/, <STDIN>) {
			my @cell = split /\t/;
			my $last = join("\\s+", map { quotemeta } split / /, $cell[-1]);
			my $row = join(" {2,}", map({ quotemeta } @cell[0 .. $#cell - 1]), "($last)");
			print "$_\n" unless $page =~ /^ *$row( |$)/m;
			print "narrow: $_\n" if $1 =~ /^(.*)\n/ && length $1 < 22;
		}' "$2"
}

for page in "$TEST_TOP"/man/*.[157]; do
	name=$(basename "$page")
	cells "$page" >cells
	[ -s cells ] || continue
	for width in 80 110; do
		if command -v mandoc >/dev/null; then
			mandoc -Tascii -O width=$((width - 2)) "$page" | col -bx >got
			is "$(apart "$page" got)" '' "$name, $width columns, mandoc"
		else
			skip "$name" 'mandoc is not installed'
		fi
		if command -v groff >/dev/null; then
			groff -mandoc -Tascii -P-c -rLL=$((width - 2))n "$page" 2>/dev/null |
				col -bx >got
			is "$(apart "$page" got)" '' "$name, $width columns, groff"
		else
			skip "$name" 'there is no groff'
		fi
	done
done
finish
