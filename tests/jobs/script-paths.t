#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts of pipelines/ find the programs where make leaves them.
# Not under thread: the programs are none
. "$TEST_TOP/tests/lib/lib.sh"

mkdir -p top/build/bin
cp -R "$TEST_TOP/pipelines" top
printf '#!/bin/sh\necho "built: ${0##*/}" >&2\nexit 1\n' >stub
chmod +x stub
for man in "$TEST_TOP"/man/*.1; do
	cp stub "top/build/bin/$(basename "$man" .1)"
done
printf 'comma\ntext\nid\n' >columns.txt
for f in top/pipelines/*.sh; do
	case ${f##*/} in
	ag-news-* | banking77* | cluster* | distill* | domain-* | embeddings* | few-shot* | long-* | multiple-choice* | recipes* | rerank*) set -- small ;;
	fit.sh) set -- top/pipelines/data/library-train.csv model out ;;
	from-the-hub.sh) set -- library train.parquet test.parquet shown ;;
	predict.sh) set -- . test.csv sample.csv ;;
	*) set -- ;;
	esac
	PATH=/usr/bin:/bin "$f" "$@" >out 2>&1 </dev/null
	like "$(cat out)" '*built: *' "${f##*/}"
done
finish
