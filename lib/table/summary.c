/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "table/table.h"

/* "with malformed quotes", to follow "3 rows". */
static const char *fault_name(enum bt_table_fault fault)
{
	static const char *const names[] = {
	    "with the wrong number of fields",
	    "with malformed quotes",
	    "with a NUL byte",
	    "beyond a limit",
	    "in another character set",
	    "without a label",
	    "with an unknown label",
	    "with a label that is neither 0 nor 1",
	    "without just one label",
	    "with a label that is not a number",
	    "with an invalid weight",
	    "with malformed JSON",
	    "without a value for a key",
	    "with a list or an object under a key",
	    "with a null",
	    "with the header again",
	    "with an empty choice",
	    "with a key that a joined file lacks",
	    "with a text that should be a list",
	};

	return fault < BT_TABLE_FAULTS ? names[fault] : "?";
}

/* As keys of bertutils-json(5). */
static const char *const keys[BT_TABLE_FAULTS] = {
    "fields",   "quotes",        "nul",         "limit",         "encoding",
    "no_label", "unknown_label", "not_binary",  "not_one_label", "not_a_number",
    "weight",   "json",          "missing_key", "nested",        "null",
    "header",   "choice",        "not_joined",  "not_list"};

void bt_table_facts(const struct bt_table_stats *st, struct bt_summary *s)
{
	int i;

	bt_summary_count(s, "files", (uint64_t)st->files);
	bt_summary_count(s, "bytes_read", st->bytes);
	bt_summary_count(s, "records", st->records);
	bt_summary_count(s, "labelled", st->labelled);
	bt_summary_count(s, "labels", st->labels);
	bt_summary_count(s, "texts_empty", st->empty);
	bt_summary_count(s, "second_texts_empty", st->empty_pairs);
	bt_summary_count(s, "texts_missing", st->missing);
	bt_summary_count(s, "rows_passed_over", st->others);
	bt_summary_count(s, "rows_left_out", st->dropped);
	bt_summary_count(s, "duplicates_dropped", st->duplicates);
	bt_summary_count(s, "bad_rows", st->skipped);
	bt_summary_open(s, "faults");
	for (i = 0; i < BT_TABLE_FAULTS; i++)
		if (st->faults[i] > 0)
			bt_summary_count(s, keys[i], st->faults[i]);
	bt_summary_close(s);
	if (st->numeric == 0 || st->numeric != st->labelled)
		return;
	bt_summary_open(s, "numbers");
	bt_summary_real(s, "least", st->least);
	bt_summary_real(s, "greatest", st->greatest);
	bt_summary_real(s, "mean", st->sum / (double)st->numeric);
	bt_summary_close(s);
}

static void put_skipped(const struct bt_table_stats *st, const char *rejects,
                        struct bt_buf *b)
{
	int i, kinds = 0;

	bt_buf_printf(b, "; %llu bad row%s ", (unsigned long long)st->skipped,
	              bt_plural(st->skipped));
	if (rejects != NULL)
		bt_buf_printf(b, "in '%s': ", rejects);
	else
		bt_buf_puts(b, "skipped: ");
	for (i = 0; i < BT_TABLE_FAULTS; i++)
		if (st->faults[i] > 0)
			bt_buf_printf(b, "%s%llu %s", kinds++ > 0 ? ", " : "",
			              (unsigned long long)st->faults[i],
			              fault_name((enum bt_table_fault)i));
}

void bt_table_summary(const struct bt_table_stats *st, const char *rejects,
                      struct bt_buf *b)
{
	bt_buf_printf(b, "%llu record%s from %d file%s",
	              (unsigned long long)st->records, bt_plural(st->records),
	              st->files, bt_plural((uint64_t)st->files));
	if (st->unasked)
		bt_buf_puts(b, ", with neither label nor id");
	if (st->labels > 0)
		bt_buf_printf(b, ", %s%zu label%s",
		              st->labels == BT_TABLE_LABELS_MAX ? "at least "
		                                                : "",
		              st->labels, bt_plural(st->labels));
	if (st->numeric > 0 && st->numeric == st->labelled && st->fraction)
		bt_buf_printf(b, ", numbers from %.6g to %.6g with mean %.6g",
		              st->least, st->greatest,
		              st->sum / (double)st->numeric);
	if (st->labels > 0 && st->labelled < st->records)
		bt_buf_printf(b, "; %llu with no positive label",
		              (unsigned long long)(st->records - st->labelled));
	if (st->duplicates > 0)
		bt_buf_printf(b, "; %llu duplicate%s dropped",
		              (unsigned long long)st->duplicates,
		              bt_plural(st->duplicates));
	if (st->others > 0)
		bt_buf_printf(b, "; %llu row%s passed over",
		              (unsigned long long)st->others,
		              bt_plural(st->others));
	if (st->dropped > 0)
		bt_buf_printf(b, "; %llu row%s without text or label left out",
		              (unsigned long long)st->dropped,
		              bt_plural(st->dropped));
	if (st->missing > 0)
		bt_buf_printf(b, "; %llu missing text%s read as 'nan'",
		              (unsigned long long)st->missing,
		              bt_plural(st->missing));
	if (st->empty > 0)
		bt_buf_printf(b, "; %llu text%s empty",
		              (unsigned long long)st->empty,
		              st->empty == 1 ? " is" : "s are");
	if (st->empty_pairs > 0)
		bt_buf_printf(b, "; %llu second text%s empty",
		              (unsigned long long)st->empty_pairs,
		              st->empty_pairs == 1 ? " is" : "s are");
	if (st->skipped > 0)
		put_skipped(st, rejects, b);
}
