/* SPDX-License-Identifier: MIT */
/* Token records as payloads: which features, in which order. */
#include "record/record_int.h"

enum field {
	ID = 1,
	END_POSITION,
	EXAMPLE_ID,
	INPUT_IDS,
	INPUT_MASK,
	IS_REAL,
	LABEL,
	LABEL_ALL,
	LABEL_IDS,
	LABEL_NAMES,
	MAX_CONTEXT,
	SEGMENT_IDS,
	START_POSITION,
	TEXT_A,
	TEXT_B,
	TEXT_NUMBER,
	TOKENIZER,
	TOKEN_ENDS,
	TOKEN_STARTS,
	WEIGHT,
	WINDOW,
	WORD_IDS
};

/* What BERT's published records have stands in the order of their protobuf
 * build's map; the others are sorted. */
static const char layout_fields[][21] = {
    [BT_LAYOUT_FULL] = {END_POSITION, ID,          INPUT_IDS,   INPUT_MASK,
                        IS_REAL,      LABEL,       LABEL_ALL,   LABEL_IDS,
                        LABEL_NAMES,  MAX_CONTEXT, SEGMENT_IDS, START_POSITION,
                        TEXT_A,       TEXT_B,      TEXT_NUMBER, TOKEN_ENDS,
                        TOKEN_STARTS, TOKENIZER,   WEIGHT,      WINDOW,
                        WORD_IDS},
    [BT_LAYOUT_BERT] = {INPUT_IDS, IS_REAL, INPUT_MASK, LABEL_IDS, SEGMENT_IDS},
    [BT_LAYOUT_GARDEN] = {EXAMPLE_ID, INPUT_IDS, INPUT_MASK, IS_REAL, LABEL_IDS,
                          SEGMENT_IDS, WEIGHT},
};

/* What a list holds for token i. */
static int64_t list_value(const struct bt_token_rec *rec, enum field f,
                          size_t i)
{
	switch (f) {
	case INPUT_IDS:
		return rec->ids[i];
	case INPUT_MASK:
		return 1;
	case MAX_CONTEXT:
		return rec->place[i].max_context;
	case TOKEN_ENDS:
		return rec->place[i].end;
	case TOKEN_STARTS:
		return rec->place[i].start;
	case WORD_IDS:
		return rec->word[i];
	default:
		return rec->types[i];
	}
}

/* One of the lists, padded to total. */
static void add_list(struct bt_example_writer *w, enum field f,
                     struct bt_token_rec *rec, size_t total)
{
	static const struct {
		const char *name;
		int64_t padding;
	} lists[] = {[INPUT_MASK] = {"input_mask", 0},
	             [MAX_CONTEXT] = {"max_context", 0},
	             [SEGMENT_IDS] = {"segment_ids", 0},
	             [TOKEN_ENDS] = {"token_ends", -1},
	             [TOKEN_STARTS] = {"token_starts", -1},
	             [WORD_IDS] = {"word_ids", -1}};
	bool ids = f == INPUT_IDS;
	size_t i;

	for (i = 0; i < rec->n; i++)
		rec->scratch[i] = list_value(rec, f, i);
	for (; i < total; i++)
		rec->scratch[i] = ids ? rec->pad_id : lists[f].padding;
	bt_example_add_int64s(w, ids ? "input_ids" : lists[f].name,
	                      rec->scratch, total);
}

static void add_field(struct bt_example_writer *w, enum field f,
                      struct bt_token_rec *rec, size_t total)
{
	static const int64_t one = 1;

	if (f == INPUT_IDS || f == INPUT_MASK || f == SEGMENT_IDS ||
	    (f == WORD_IDS && rec->has_words) ||
	    (rec->has_places &&
	     (f == TOKEN_STARTS || f == TOKEN_ENDS || f == MAX_CONTEXT)))
		add_list(w, f, rec, total);
	else if (f == ID)
		bt_record_add_text(w, "id", rec->id);
	else if (f == LABEL && rec->several)
		bt_record_add_kept(w, "label", &rec->label_list);
	else if (f == LABEL)
		bt_record_add_text(w, "label", rec->label);
	else if (f == LABEL_ALL && rec->label_all)
		bt_example_add_int64s(w, "label_all", &one, 1);
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
	else if (f == START_POSITION && rec->has_position)
		bt_example_add_int64s(w, "start_position", &rec->start_position,
		                      1);
	else if (f == END_POSITION && rec->has_position)
		bt_example_add_int64s(w, "end_position", &rec->end_position, 1);
	else if (f == TEXT_A)
		bt_record_add_text(w, "text_a", rec->text_a);
	else if (f == TEXT_B)
		bt_record_add_text(w, "text_b", rec->text_b);
	else if (f == TEXT_NUMBER && rec->has_text_number)
		bt_example_add_int64s(w, "text_number", &rec->text_number, 1);
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
