#!/bin/sh
# SPDX-License-Identifier: MIT
# --device list: the plugins that are found, whatever becomes of them.
. "$TEST_TOP/tests/lib/lib.sh"
unset BT_PJRT_PATH PJRT_NAMES_AND_LIBRARY_PATHS
mock=$BUILD/plugin/mock.so

exits 1 'no plugin' bert-predict --device list
is "$(cat err)" "bert-predict: found no device plugin (without --device, CPUs compute; BT_PJRT_PATH names the directories of plugins; see DEVICES in bertutils(7))" \
	'says how to get one'
[ ! -s out ]
result $? 'nothing else'

export PJRT_NAMES_AND_LIBRARY_PATHS="mine:$mock,none:$PWD/none.so"
mkdir site
: >site/libpjrt_empty.so
MOCK_DEVICES=2 BT_PJRT_PATH=site exits 0 'lists' bert-predict --device list
sed -n 1,6p out >lines
cat >wanted <<-END
	mine: $mock
	  platform mock, mock 7?[31m; PJRT 0.114, StableHLO 1.2.3
	  device 0: mock device, 17.2 GB
	  device 1: mock device, 17.2 GB
	none: $PWD/none.so
	  not usable: cannot load plugin '$PWD/none.so': $PWD/none.so: cannot open shared object file: No such file or directory
END
same lines wanted 'plugins and devices'
is "$(sed -n 7p out)" 'libpjrt_empty: site/libpjrt_empty.so' 'a file that is no library'
like "$(sed -n 8p out)" "  not usable: cannot load plugin 'site/libpjrt_empty.so': *" \
	'and why it is not usable'
is "$(cat err)" '' 'no messages'

# one that ends its process is no end of the list
export PJRT_NAMES_AND_LIBRARY_PATHS="dies:$mock,none:$PWD/none.so"
MOCK_PARENT=1 MOCK_EXIT=3 exits 0 'a plugin that ends its process' bert-predict --device list
is "$(sed -n 2p out)" '  not usable: the plugin ended its process with status 3' 'says so'
is "$(sed -n 3p out)" "none: $PWD/none.so" 'and the next is listed'

bert-predict --device list >wanted
exits 0 'to a file' bert-predict --device list -o devices.txt
same devices.txt wanted 'the same in a file'
exits 0 'for training' bert-train --device list
same out wanted '... the same'
exits 0 'for evaluation' bert-eval --device list
same out wanted '... the same'
exits 0 '... to a file' bert-eval --device list -o devices.eval
same devices.eval wanted '... the same'
for tool in predict eval train; do
	misuses "bert-$tool: --device list takes n*records*" "bert-$tool: records" bert-$tool --device list x.rec
done
exits 2 'a model to write' bert-train --device list -o x
is "$(head -n 1 err)" 'bert-train: --device list takes neither records nor -o' '... is refused'
PJRT_NAMES_AND_LIBRARY_PATHS=x exits 2 'a list of something else' bert-predict --device list
is "$(head -n 1 err)" "bert-predict: PJRT_NAMES_AND_LIBRARY_PATHS: 'x' is not name:path" 'says which'
finish
