/* SPDX-License-Identifier: MIT */
#include "base/hint.h"

static const char *const words[BT_HINTS] = {
    [BT_HINT_NONE] = "",
    [BT_HINT_TOKENIZE_FIRST] = "run bert-tokenize first",
};

const char *bt_hint_words(enum bt_hint hint)
{
	return words[hint];
}
