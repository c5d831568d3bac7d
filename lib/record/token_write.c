/* SPDX-License-Identifier: MIT */
/* Token records as payloads: which features, in which order. */
#include "record/record_int.h"

enum field {
	ID = 1,
	EXAMPLE_ID,
	INPUT_IDS,
	INPUT_MASK,
	IS_REAL,
	LABEL,
	LABEL_IDS,
	LABEL_NAMES,
	SEGMENT_IDS,
	TEXT_A,
	TEXT_B,
	TOKENIZER,
	WEIGHT,
	WINDOW,
	WORD_IDS
};

/* What BERT's published records have stands in the order of their protobuf
 * build's map; the others are sorted. */
static const char layout_fields[][14] = {
    [BT_LAYOUT_FULL] = {ID, INPUT_IDS, INPUT_MASK, IS_REAL, LABEL, LABEL_IDS,
                        LABEL_NAMES, SEGMENT_IDS, TEXT_A, TEXT_B, TOKENIZER,
                        WEIGHT, WINDOW, WORD_IDS},
    [BT_LAYOUT_BERT] = {INPUT_IDS, IS_REAL, INPUT_MASK, LABEL_IDS, SEGMENT_IDS},
    [BT_LAYOUT_GARDEN] = {EXAMPLE_ID, INPUT_IDS, INPUT_MASK, IS_REAL, LABEL_IDS,
                          SEGMENT_IDS, WEIGHT},
};

/* One of the lists, padded to total: ids with pad_id, words with -1, the others
 * with zeros. */
static void add_list(struct bt_example_writer *w, enum field f,
                     struct bt_token_rec *rec, size_t total)
{
	static const char *const names[] = {[INPUT_IDS] = "input_ids",
	                                    [INPUT_MASK] = "input_mask",
	                                    [SEGMENT_IDS] = "segment_ids",
	                                    [WORD_IDS] = "word_ids"};
	size_t i;

	for (i = 0; i < rec->n; i++)
		rec->scratch[i] = f == INPUT_IDS    ? rec->ids[i]
		                  : f == INPUT_MASK ? 1
		                  : f == WORD_IDS   ? rec->word[i]
		                                    : rec->types[i];
	for (; i < total; i++)
		rec->scratch[i] = f == INPUT_IDS  ? rec->pad_id
		                  : f == WORD_IDS ? -1
		                                  : 0;
	bt_example_add_int64s(w, names[f], rec->scratch, total);
}

static void add_field(struct bt_example_writer *w, enum field f,
                      struct bt_token_rec *rec, size_t total)
{
	static const int64_t one = 1;

	if (f == INPUT_IDS || f == INPUT_MASK || f == SEGMENT_IDS ||
	    (f == WORD_IDS && rec->has_words))
		add_list(w, f, rec, total);
	else if (f == ID)
		bt_record_add_text(w, "id", rec->id);
	else if (f == LABEL && rec->several)
		bt_record_add_kept(w, "label", &rec->label_list);
	else if (f == LABEL)
		bt_record_add_text(w, "label", rec->label);
	else if (f == LABEL_NAMES)
		bt_record_add_kept(w, "label_names", &rec->name_list);
	else if (f == LABEL_IDS && rec->hot != NULL)
		bt_example_add_int64s(w, "label_ids", rec->hot, rec->n_hot);
	else if (f == LABEL_IDS && rec->id_list.name != NULL)
		bt_record_add_kept(w, "label_ids", &rec->id_list);
	else if (f == LABEL_IDS && rec->has_label_value)
		bt_example_add_floats(w, "label_ids", &rec->label_value, 1);
	else if (f == LABEL_IDS && rec->has_label_id)
		bt_example_add_int64s(w, "label_ids", &rec->label_id, 1);
	else if (f == TEXT_A)
		bt_record_add_text(w, "text_a", rec->text_a);
	else if (f == TEXT_B)
		bt_record_add_text(w, "text_b", rec->text_b);
	else if (f == TOKENIZER)
		bt_record_add_text(w, "tokenizer", rec->tokenizer);
	else if (f == EXAMPLE_ID && rec->has_example_id)
		bt_example_add_int64s(w, "example_id", &rec->example_id, 1);
	else if (f == IS_REAL)
		bt_example_add_int64s(w, "is_real_example", &one, 1);
	else if (f == WEIGHT && rec->has_weight)
		bt_example_add_floats(w, "weight", &rec->weight, 1);
	else if (f == WINDOW && rec->has_window)
		bt_example_add_int64s(w, "window", &rec->window, 1);
}

int bt_token_rec_write(struct bt_example_writer *w, struct bt_token_rec *rec,
                       enum bt_token_layout layout, size_t pad,
                       struct bt_buf *out)
{
	size_t total = pad > rec->n ? pad : rec->n, i;
	enum field f;

	if (bt_token_rec_reserve(rec, total) != BT_OK)
		return BT_ENOMEM;
	bt_example_begin(w);
	for (i = 0; i < sizeof(layout_fields[0]); i++) {
		f = (enum field)layout_fields[layout][i];
		if (f != IS_REAL || layout != BT_LAYOUT_FULL || pad > 0)
			add_field(w, f, rec, total);
	}
	if (layout == BT_LAYOUT_FULL)
		bt_record_add_passthrough(w, rec->others);
	bt_example_end(w, out);
	return out->oom ? BT_ENOMEM : BT_OK;
}
