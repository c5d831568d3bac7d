#!/bin/sh
# SPDX-License-Identifier: MIT
# Random tables that pyarrow, polars and DuckDB write, read value for value.
# Not under thread: starts no threads
# Not under address: unit/parquet/files runs the same code
# Not under emulation: unit/parquet/files runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'tables of pyarrow' pyarrow
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/parquet-peer.py" "$BUILD/unit/parquet/files" 200 >tables 2>&1
status=$?
like "$(cat tables)" '200 tables equal: *BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY*' \
	'200 tables of pyarrow, in all encodings'
is $status 0 'none differs'
for writer in polars duckdb; do
	if grep -q "$writer is not installed" tables; then
		skip "tables of $writer" 'PEER_PYTHON does not have it'
	else
		like "$(cat tables)" "*50 tables of $writer equal*" "50 tables of $writer"
	fi
done
finish
