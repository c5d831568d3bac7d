#!/bin/sh
# SPDX-License-Identifier: MIT
# pipelines/Containerfile, without a program that builds containers: what it
# copies is there, and what it installs is what the programs need.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
file=$TEST_TOP/pipelines/Containerfile

# one instruction a line
sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' -e '/^#/d; /^$/d' "$file" >lines
n_bad=0
while read -r word rest; do
	case $word in
	FROM | RUN | COPY | WORKDIR | CMD) ;;
	*) n_bad=$((n_bad + 1)) ;;
	esac
	[ "$word" = COPY ] || continue
	case $rest in --from=*) continue ;; esac
	# shellcheck disable=SC2086
	set -- $rest
	while [ $# -gt 1 ]; do
		[ -e "$TEST_TOP/$1" ]
		result $? "$1 is there to be copied"
		shift
	done
done <lines
is $n_bad 0 'all instructions are known'
is "$(grep -c '^FROM debian:bookworm-slim' lines)" 2 'two stages'

# What the copies hold is enough to build: all that make includes or lists.
mkdir src
sed -n 's/^COPY \([^-].*\) [^ ]*$/\1/p' lines | tr ' ' '\n' | while read -r p; do
	mkdir -p "src/$(dirname "$p")"
	cp -r "$TEST_TOP/$p" "src/$p"
done
(cd src && make -n DESTDIR=/out install) >plan 2>why
[ -s plan ] && ! grep -q 'No rule' why
result $? 'make has all it wants'
rm -rf src

# Packages of the second stage against the libraries the programs are linked to.
sed -n '/^FROM/h; /^FROM.*AS build/!{/^RUN/p;}' lines | tail -n 1 |
	sed 's/.*--no-install-recommends//; s/&&.*//' | tr -s ' ' '\n' |
	grep . | sort >listed
if ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null ||
	! command -v readelf dpkg-query >/dev/null; then
	skip 'run-time packages' 'this is not Debian 12 with binutils'
	finish
fi
for tool in "$BUILD"/bin/*; do
	readelf -d "$tool" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
	grep -ao 'libdnnl\.so\.[0-9]*' "$tool" # loaded when it is chosen
done | sort -u >needed
while read -r lib; do
	case $lib in
	libc.so* | libm.so* | ld-linux* | lib[atu]*san.so*) continue ;; # of all
	libgcc_s* | libstdc++*) continue ;;
	esac
	path=$(/sbin/ldconfig -p | sed -n "s|^	$lib .* => ||p" | head -n 1)
	real=$(readlink -f "$path")
	package=$(dpkg-query -S "$real" 2>/dev/null ||
		dpkg-query -S "${real#/usr}" 2>/dev/null)
	package=${package%%:*}
	grep -qx "$package" listed
	result $? "$lib is in ${package:-no package}, which is installed"
	echo "$package" >>wanted.all
done <needed
# libcurl asks it whom to trust
! grep -q libcurl needed || echo ca-certificates >>wanted.all
sort -u wanted.all >wanted
# without oneDNN nothing here needs these
if grep -q dnnl needed; then
	same listed wanted 'and nothing else is'
else
	skip 'and nothing else is' 'built without oneDNN'
fi
finish
