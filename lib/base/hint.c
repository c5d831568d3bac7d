/* SPDX-License-Identifier: MIT */
#include "base/hint.h"

static const char *const words[BT_HINTS] = {
    [BT_HINT_NONE] = "",
    [BT_HINT_TOKENIZE_FIRST] = "run bert-tokenize first",
    [BT_HINT_CLASS_WEIGHT_ONE_LABEL] =
        "--class-weight applies only to classification",
    [BT_HINT_DTYPE] = "choose another --dtype",
    [BT_HINT_LABELS_NO_NUMBERS] = "--labels does not apply to regression",
    [BT_HINT_LABEL_COLUMN] = "name the column with csv2tfrecord -l COLUMN",
    [BT_HINT_LABEL_SMOOTHING_ONE_LABEL] =
        "--label-smoothing applies only to classification",
    [BT_HINT_PREDICT_CLASSES_ONLY] =
        "--proba, --top and --map-label do not apply to regression",
    [BT_HINT_PREDICT_MULTILABEL_ONLY] =
        "--threshold and --label-separator apply only to multi-label models",
    [BT_HINT_TASK_CLASSIFICATION] = "train with --task classification",
    [BT_HINT_TASK_CLASSIFICATION_OR_COLUMNS] =
        "train with --task classification, or make multi-label records with "
        "csv2tfrecord -l COL,COL,...",
    [BT_HINT_TASK_MULTI_LABEL] = "train with --task multilabel",
    [BT_HINT_TASK_REGRESSION] = "train with --task regression",
    [BT_HINT_START_OVER] =
        "start over with --no-resume or another output directory",
    [BT_HINT_TOKENIZER] = "give one with --tokenizer",
};

const char *bt_hint_words(enum bt_hint hint)
{
	return words[hint];
}
