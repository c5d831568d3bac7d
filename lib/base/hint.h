/* SPDX-License-Identifier: MIT */
/*
 * What a user can do about a problem. The library describes the problem and
 * gives one of these codes; it knows no option and no tool. The programs print
 * the words, which are a table in hint.c, after the message.
 *
 * To add one: a line here and its words in hint.c, in the imperative ("use
 * --task multilabel").
 */
#ifndef BT_BASE_HINT_H
#define BT_BASE_HINT_H

enum bt_hint {
	BT_HINT_NONE,
	BT_HINT_TOKENIZE_FIRST,
	BT_HINT_CLASS_WEIGHT_ONE_LABEL,
	BT_HINT_DTYPE,
	BT_HINT_LABELS_NO_NUMBERS,
	BT_HINT_LABEL_COLUMN,
	BT_HINT_LABEL_SMOOTHING_ONE_LABEL,
	BT_HINT_PREDICT_CLASSES_ONLY,
	BT_HINT_PREDICT_MULTILABEL_ONLY,
	BT_HINT_TASK_CLASSIFICATION,
	BT_HINT_TASK_CLASSIFICATION_OR_COLUMNS,
	BT_HINT_TASK_MULTI_LABEL,
	BT_HINT_TASK_REGRESSION,
	BT_HINT_START_OVER,
	BT_HINT_TOKENIZER,
	BT_HINT_ALLOW_UNUSED,
	BT_HINT_BATCH_SMALLER,
	BT_HINT_BATCH_SMALLER_OR_CHECKPOINT,
	BT_HINT_CLASSES_TRAIN,
	BT_HINT_CSV_ONLY,
	BT_HINT_GEMM_INT8,
	BT_HINT_LABEL_SEPARATOR,
	BT_HINT_MAP_LABEL,
	BT_HINT_MAX_LENGTH,
	BT_HINT_NO_RESUME,
	BT_HINT_NO_SPECIAL,
	BT_HINT_PAD,
	BT_HINT_PAIR,
	BT_HINT_PROBA,
	BT_HINT_SAMPLE_COLUMNS,
	BT_HINT_SAMPLE_ID,
	BT_HINT_SAMPLE_ORDER,
	BT_HINT_TENSOR_MEAN,
	BT_HINT_TOKENIZED,
	BT_HINT_TOKENIZE_AGAIN,
	BT_HINT_TSV_TOP,
	BT_HINTS /* their number */
};

/* The words of a hint; "" for BT_HINT_NONE. */
const char *bt_hint_words(enum bt_hint hint);

#endif
