/* SPDX-License-Identifier: MIT */
#include "garden/finetuning_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "garden/finetuning_int.h"
#include "io/path.h"
#include "tokenize/input_meta_data.h"
#include "tokenizer_file/tokenizer_file.h"

/* A part on its way: rows become texts become records. */
struct way {
	const struct bt_finetuning_plan *plan;
	struct bt_finetuning_part *part;
	struct bt_table *table;
	struct bt_tokenize *job;
	struct bt_example_writer example;
};

static struct bt_table_opts table_opts(const struct bt_finetuning_plan *plan,
                                       const struct bt_finetuning_part *p)
{
	struct bt_table_opts o = {.text = p->text,
	                          .pair = p->pair,
	                          .label = p->label,
	                          .id = p->id,
	                          .csv = BT_CSV_OPTS_INIT,
	                          .map = plan->map,
	                          .advice = BT_TABLE_ADVICE_NONE,
	                          .log = plan->f->log};

	o.format = p->jsonl ? BT_TABLE_JSONL : BT_TABLE_CSV;
	o.csv.header = false;
	o.csv.quotes = false;
	o.csv.delimiter = '\t';
	o.csv.ahead = plan->f->threads != 1;
	if (p->text == NULL)
		o.task = plan->published;
	if (p->label == NULL && p->text != NULL)
		o.map = NULL;
	if (p->where.column.p != NULL) {
		o.where = &p->where;
		o.n_where = 1;
	}
	return o;
}

static int flush(const struct way *w, struct bt_error *err)
{
	struct bt_progress *show = w->plan->f->progress;
	int r = bt_tokenize_write(w->job, w->part->out, err);

	if (r == BT_OK && show != NULL && bt_progress_due(show))
		bt_progress_show(
		    show, "%s: %llu texts", w->part->key,
		    (unsigned long long)bt_tokenize_stats(w->job).texts);
	return r;
}

/* Hands one row's texts on. */
static int hand_over(struct way *w, struct bt_text_rec *rec,
                     struct bt_error *err)
{
	struct bt_span payload;
	int r;

	if (w->part->dummy != NULL) {
		rec->label.p = NULL;
		rec->has_label_id = false;
	}
	payload = bt_text_rec_make(&w->example, rec);
	if (payload.p == NULL)
		return bt_error_nomem(err, "reading texts");
	r = bt_tokenize_add(w->job, payload.p, payload.n,
	                    bt_table_file(w->table), bt_table_record(w->table),
	                    err);
	if (r == BT_OK && bt_tokenize_full(w->job))
		r = flush(w, err);
	return r;
}

static int convert(struct way *w, struct bt_error *err)
{
	struct bt_text_rec rec;
	int r;

	while ((r = bt_table_next(w->table, &rec, err)) == 1) {
		r = hand_over(w, &rec, err);
		if (r != BT_OK)
			return r;
	}
	if (r == BT_OK)
		r = flush(w, err);
	return r == BT_OK ? bt_out_settle(w->part->out, err) : r;
}

static void tell(const struct bt_finetuning_plan *plan,
                 const struct bt_finetuning_part *p,
                 const struct bt_tokenize_stats *s,
                 const struct bt_table_stats *rows)
{
	struct bt_buf b = BT_BUF_INIT;

	if (s->cut_texts > 0)
		bt_buf_printf(&b, "; %llu truncated (%llu tokens lost)",
		              (unsigned long long)s->cut_texts,
		              (unsigned long long)s->cut_tokens);
	if (rows->skipped > 0)
		bt_buf_printf(&b, "; %llu bad row%s left out",
		              (unsigned long long)rows->skipped,
		              bt_plural(rows->skipped));
	bt_log(plan->f->log, BT_LOG_NOTE,
	       "%s: %llu record%s of %lld tokens in '%s'%s", p->key,
	       (unsigned long long)s->records, bt_plural(s->records),
	       (long long)plan->f->max_seq_length, p->output, bt_buf_str(&b));
	bt_buf_clear(&b);
	bt_tokenize_warn_bare(s, plan->f->log);
}

static int make_part(const struct bt_finetuning_plan *plan,
                     struct bt_finetuning_part *p, const struct bt_tok *tok,
                     struct bt_pool *pool, struct bt_error *err)
{
	const struct bt_table_opts table = table_opts(plan, p);
	const struct bt_tokenize_opts how = {
	    .special = true,
	    .max_length = (size_t)plan->f->max_seq_length,
	    .pad = (size_t)plan->f->max_seq_length,
	    .cut = true,
	    .layout = BT_LAYOUT_GARDEN,
	    .label_type = plan->label_type,
	    .labels = plan->labels.n > 0 ? &plan->labels : NULL,
	    .only_labels = true,
	    .dummy_label = p->dummy,
	    .number_of_id = p->number_of_id};
	struct way w = {.plan = plan, .part = p};
	struct bt_tokenize_stats stats;
	struct bt_table_stats rows;
	int r = bt_path_above(p->output, err);

	if (r == BT_OK)
		r = bt_out_open(p->output, BT_OUT_RECORDS, &p->out, err);
	if (r == BT_OK)
		r = bt_table_open(p->paths, (int)p->n_paths, &table, &w.table,
		                  err);
	if (r == BT_OK)
		r = bt_tokenize_new(tok, pool, &how, &w.job, err);
	if (r == BT_OK)
		r = convert(&w, err);
	if (r == BT_OK) {
		stats = bt_tokenize_stats(w.job);
		bt_table_stats(w.table, &rows);
		p->records = stats.records;
		tell(plan, p, &stats, &rows);
	}
	bt_tokenize_free(w.job);
	bt_table_close(w.table);
	bt_example_clear(&w.example);
	return r;
}

static int make_parts(const struct bt_finetuning_plan *plan,
                      const struct bt_tok *tok, struct bt_error *err)
{
	struct bt_pool *pool = NULL;
	size_t i;
	int r = bt_pool_new(plan->f->threads, &pool, err);

	for (i = 0; r == BT_OK && i < plan->n; i++)
		r = make_part(plan, &plan->part[i], tok, pool, err);
	bt_pool_free(pool);
	return r;
}

static int write_metadata(const struct bt_finetuning_plan *plan,
                          struct bt_error *err)
{
	const char *path = plan->f->meta_data_file_path;
	const struct bt_metadata m = {.processor = plan->processor,
	                              .label_type = plan->label_type,
	                              .max_length =
	                                  (size_t)plan->f->max_seq_length,
	                              .labels = plan->labels.n};
	struct bt_metadata_count *counts = bt_array(plan->n, sizeof(*counts));
	size_t i;
	int r;

	if (plan->squad || plan->tagging) {
		free(counts);
		return plan->squad ? bt_finetuning_squad_metadata(
		                         plan->f, plan->part[0].records, err)
		                   : bt_finetuning_tagging_metadata(plan, err);
	}
	for (i = 0; i < plan->n; i++)
		counts[i] = (struct bt_metadata_count){plan->part[i].key,
		                                       plan->part[i].records};
	r = bt_metadata_write(path, &m, counts, plan->n, false, err);
	free(counts);
	return r;
}

/* All outputs are complete: now they appear. */
static int commit(struct bt_finetuning_plan *plan, struct bt_error *err)
{
	struct bt_out *out;
	size_t i;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < plan->n; i++) {
		out = plan->part[i].out;
		plan->part[i].out = NULL;
		r = bt_out_commit(out, err);
	}
	return r == BT_OK ? write_metadata(plan, err) : r;
}

int bt_finetuning_make(const struct bt_finetuning *f, struct bt_error *err)
{
	const struct bt_tok_opts o = {
	    .dialect = BT_TOK_GARDEN, .lower = f->do_lower_case, .log = f->log};
	const struct bt_tokenize_opts how = {
	    .special = true, .max_length = (size_t)f->max_seq_length};
	struct bt_finetuning_plan plan;
	struct bt_out *meta = NULL;
	struct bt_tok *tok = NULL;
	int r = bt_finetuning_plan(f, &plan, err);

	if (r == BT_OK)
		r = bt_tok_open(f->vocab_file, &o, &tok, err);
	if (r == BT_OK)
		r = bt_tokenize_check(tok, &how, f->vocab_file, err);
	/* the meta data must be writable, before hours of work */
	if (r == BT_OK)
		r = bt_path_above(f->meta_data_file_path, err);
	if (r == BT_OK)
		r = bt_out_open(f->meta_data_file_path, BT_OUT_TEXT, &meta,
		                err);
	bt_out_abandon(meta);
	if (r == BT_OK)
		r = plan.squad
		        ? bt_finetuning_squad_make(f, plan.part, tok, err)
		    : plan.tagging ? bt_finetuning_tagging_make(&plan, tok, err)
		                   : make_parts(&plan, tok, err);
	if (f->progress != NULL)
		bt_progress_clear(f->progress);
	if (r == BT_OK)
		r = commit(&plan, err);
	bt_finetuning_plan_clear(&plan);
	bt_tok_free(tok);
	return r;
}
