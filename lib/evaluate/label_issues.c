/* SPDX-License-Identifier: MIT */
#include "evaluate/label_issues.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/charset.h"
#include "format/csv.h"
#include "io/out.h"
#include "record/feature.h"

#define SLACK 1e-6 /* that comparisons of probabilities allow for */

/* Bytes in the buffer. */
struct part {
	size_t at, n;
};

enum { ID, TEXT_A, TEXT_B, PARTS };

struct bt_label_issues_record {
	struct part part[PARTS];
	size_t p;      /* the row of its probabilities */
	int32_t label; /* -1: it was not added */
};

struct issue {
	size_t i; /* of the record */
	float confidence;
	int label, suggested;
};

void bt_label_issues_clear(struct bt_label_issues *s)
{
	bt_buf_clear(&s->bytes);
	free(s->record);
	free(s->p);
	memset(s, 0, sizeof(*s));
}

int bt_label_issues_init(struct bt_label_issues *s, const struct bt_task *task,
                         const struct bt_labels *labels,
                         enum bt_metrics_output output, struct bt_error *err)
{
	s->labels = labels;
	s->output = output;
	if (task != &bt_task_classification)
		return bt_error_set(
		    err, BT_EARG,
		    "label issues are found where each text has one class, and "
		    "here the task is %s",
		    task->name);
	if (output != BT_METRICS_ANSWERS)
		return BT_OK;
	return bt_error_hint(err, BT_HINT_PROBA,
	                     bt_error_set(err, BT_EARG,
	                                  "label issues need probabilities, "
	                                  "and there are labels alone"));
}

static void keep(struct bt_label_issues *s, struct part *part,
                 struct bt_span bytes)
{
	*part = (struct part){s->bytes.len, bytes.n};
	if (bytes.n > 0)
		bt_buf_put(&s->bytes, bytes.p, bytes.n);
}

int bt_label_issues_look(void *ctx, size_t k, uint64_t number, const void *data,
                         size_t len, struct bt_error *err)
{
	static const char *const names[] = {"text_a", "text_b"};
	struct bt_label_issues *s = ctx;
	struct bt_label_issues_record *x;
	struct bt_span text;
	int i, r = 1;

	(void)number;
	if (k == 0)
		s->block = s->n;
	if (bt_grow(&s->record, &s->cap, s->n + 1, sizeof(*s->record)) != BT_OK)
		return bt_error_nomem(err, "keeping texts");
	x = &s->record[s->n++];
	*x = (struct bt_label_issues_record){.label = -1};
	for (i = 0; i < 2 && r == 1; i++) {
		r = bt_record_feature_text(data, len, names[i], &text, err);
		if (r != 1)
			break;
		keep(s, &x->part[TEXT_A + i], text);
		s->texts = true;
		s->pairs |= i == 1;
	}
	if (s->bytes.oom)
		return bt_error_nomem(err, "keeping texts");
	return r < 0 ? r : BT_OK;
}

static void softmax(const float *x, size_t n, float *p)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		max = fmax(max, (double)x[i]);
	for (i = 0; i < n; i++)
		sum += exp((double)x[i] - max);
	for (i = 0; i < n; i++)
		p[i] = (float)(exp((double)x[i] - max) / sum);
}

int bt_label_issues_add(struct bt_label_issues *s, uint64_t i,
                        const struct bt_dataset *d, size_t k,
                        const float *output, struct bt_error *err)
{
	struct bt_label_issues_record *x = &s->record[s->block + k];
	size_t labels = (size_t)s->labels->n, end;
	struct bt_span id = bt_dataset_id(d, k);
	char number[24];
	float *p;

	if (id.p == NULL) { /* as predictions name it */
		snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
		id = bt_span(number);
	}
	keep(s, &x->part[ID], id);
	if (s->bytes.oom || !bt_size_mul(s->added + 1, labels, &end) ||
	    bt_grow(&s->p, &s->p_cap, end, sizeof(*s->p)) != BT_OK)
		return bt_error_nomem(err, "keeping probabilities");
	p = s->p + s->added * labels;
	if (s->output == BT_METRICS_LOGITS)
		softmax(output, labels, p);
	else
		memcpy(p, output, labels * sizeof(*p));
	x->label = d->label[k];
	x->p = s->added++;
	return BT_OK;
}

/* t[labels], at least twice the slack; no example has an absent class. */
static int thresholds(const struct bt_label_issues *s, double *t,
                      struct bt_error *err)
{
	size_t labels = (size_t)s->labels->n, i;
	size_t *count = bt_array0(labels, sizeof(*count));
	const struct bt_label_issues_record *x;

	if (count == NULL)
		return bt_error_nomem(err, "looking for label issues");
	for (i = 0; i < s->n; i++) {
		x = &s->record[i];
		if (x->label < 0)
			continue;
		t[x->label] += (double)s->p[x->p * labels + (size_t)x->label];
		count[x->label]++;
	}
	for (i = 0; i < labels; i++)
		t[i] = count[i] > 0 ? fmax(t[i] / (double)count[i], 2 * SLACK)
		                    : INFINITY;
	free(count);
	return BT_OK;
}

/* The class that an example rather has than its label, or -1. */
static int suggestion(const float *p, int label, int labels, const double *t)
{
	int k, over = 0, guess = -1, likeliest = 0, favoured = 0;
	double q, most = -1;

	for (k = 0; k < labels; k++) {
		if ((double)p[k] >= t[k] - SLACK && over++ == 0)
			guess = k;
		if (p[k] > p[likeliest])
			likeliest = k;
		q = (double)p[k] + (k == label ? SLACK : 0);
		if (q > most) {
			most = q;
			favoured = k;
		}
	}
	if (over > 1)
		guess = likeliest;
	return guess == label || favoured == label ? -1 : guess;
}

static int least_confident(const void *a, const void *b)
{
	const struct issue *x = a, *y = b;

	if (x->confidence != y->confidence)
		return x->confidence < y->confidence ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static int by_labels(const void *a, const void *b)
{
	const struct issue *x = a, *y = b;

	return x->label != y->label ? x->label - y->label
	                            : x->suggested - y->suggested;
}

static struct issue *find(const struct bt_label_issues *s, size_t *n,
                          struct bt_error *err)
{
	int labels = s->labels->n, k;
	double *t = bt_array0((size_t)labels, sizeof(*t));
	struct issue *found = bt_array(s->added, sizeof(*found));
	const struct bt_label_issues_record *x;
	const float *p;
	size_t i;

	*n = 0;
	if (t == NULL || found == NULL)
		bt_error_nomem(err, "looking for label issues");
	if (t == NULL || found == NULL || thresholds(s, t, err) != BT_OK) {
		free(t);
		free(found);
		return NULL;
	}
	for (i = 0; i < s->n; i++) {
		x = &s->record[i];
		p = s->p + x->p * (size_t)labels;
		k = x->label < 0 ? -1 : suggestion(p, x->label, labels, t);
		if (k >= 0)
			found[(*n)++] =
			    (struct issue){i, p[x->label], x->label, k};
	}
	free(t);
	if (*n > 1)
		qsort(found, *n, sizeof(*found), least_confident);
	return found;
}

static void put_row(const struct bt_label_issues *s, const struct issue *f,
                    char comma, struct bt_buf *out)
{
	const struct bt_label_issues_record *x = &s->record[f->i];
	const float *p = s->p + x->p * (size_t)s->labels->n;
	struct bt_span field[PARTS], *const id = &field[ID];
	char number[32];
	int i;

	for (i = 0; i < PARTS; i++)
		field[i] = (struct bt_span){bt_buf_at(&s->bytes, x->part[i].at),
		                            x->part[i].n};
	bt_csv_put(out, *id, comma);
	bt_buf_putc(out, comma);
	bt_csv_put(out, bt_span(s->labels->name[f->label]), comma);
	bt_buf_putc(out, comma);
	bt_csv_put(out, bt_span(s->labels->name[f->suggested]), comma);
	for (i = 0; i < 2; i++) {
		bt_format_f32(number, sizeof(number),
		              p[i == 0 ? f->label : f->suggested]);
		bt_buf_putc(out, comma);
		bt_buf_puts(out, number);
	}
	for (i = TEXT_A; i <= TEXT_B; i++)
		if (i == TEXT_A ? s->texts : s->pairs) {
			bt_buf_putc(out, comma);
			bt_csv_put(out, field[i], comma);
		}
	bt_buf_putc(out, '\n');
}

struct confusion {
	size_t n;
	const struct issue *first;
};

static int largest(const void *a, const void *b)
{
	const struct confusion *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1)
	                    : by_labels(x->first, y->first);
}

#define CONFUSIONS 3 /* pairs of classes to report */

/* Says how many issues there are, and orders them by their labels. */
static void tell(const struct bt_label_issues *s, struct issue *found, size_t n,
                 const struct bt_log *log)
{
	struct confusion *c = bt_array0(n, sizeof(*c));
	struct bt_buf b = BT_BUF_INIT;
	size_t i, k = 0;

	if (n > 1)
		qsort(found, n, sizeof(*found), by_labels);
	for (i = 0; c != NULL && i < n; i++) {
		if (k == 0 || by_labels(c[k - 1].first, &found[i]) != 0)
			c[k++].first = &found[i];
		c[k - 1].n++;
	}
	if (k > 1)
		qsort(c, k, sizeof(*c), largest);
	for (i = 0; i < k && i < CONFUSIONS; i++) {
		bt_buf_puts(&b, i == 0 ? ": most often '" : ", '");
		bt_labels_put(&b, s->labels, c[i].first->label, 0);
		bt_buf_puts(&b, "' for '");
		bt_labels_put(&b, s->labels, c[i].first->suggested, 0);
		bt_buf_printf(&b, "' (%zu)", c[i].n);
	}
	bt_log(log, BT_LOG_NOTE, "%zu of %zu labels look wrong%s", n, s->added,
	       bt_buf_str(&b));
	bt_buf_clear(&b);
	free(c);
}

int bt_label_issues_write(const struct bt_label_issues *s, const char *path,
                          const struct bt_log *log, struct bt_error *err)
{
	size_t len = strlen(path), n, i;
	char comma =
	    len > 4 && strcmp(path + len - 4, ".tsv") == 0 ? '\t' : ',';
	struct issue *found = find(s, &n, err);
	struct bt_buf out = BT_BUF_INIT;
	const char *c;
	int r;

	if (found == NULL)
		return BT_ENOMEM;
	for (c = "id,label,suggested,label_probability,suggested_probability";
	     *c != '\0'; c++)
		bt_buf_putc(&out, *c == ',' ? comma : *c);
	if (s->texts)
		bt_buf_printf(&out, s->pairs ? "%ctext%ctext_b" : "%ctext",
		              comma, comma);
	bt_buf_putc(&out, '\n');
	for (i = 0; i < n; i++)
		put_row(s, &found[i], comma, &out);
	r = out.oom ? bt_error_nomem(err, "writing label issues")
	            : bt_out_whole(path, out.data, out.len, err);
	if (r == BT_OK)
		tell(s, found, n, log);
	bt_buf_clear(&out);
	free(found);
	return r;
}

static void set_text(json_t *o, const char *key,
                     const struct bt_label_issues *s, struct part part)
{
	struct bt_buf text = BT_BUF_INIT;

	if (part.n > 0) {
		bt_charset_mend(&text, bt_buf_at(&s->bytes, part.at), part.n);
		json_object_set_new(o, key, json_string(bt_buf_str(&text)));
	}
	bt_buf_clear(&text);
}

static json_t *issue_json(const struct bt_label_issues *s,
                          const struct issue *f)
{
	static const char *const key[PARTS] = {
	    [ID] = "id", [TEXT_A] = "text", [TEXT_B] = "text_b"};
	const struct bt_label_issues_record *x = &s->record[f->i];
	const float *p = s->p + x->p * (size_t)s->labels->n;
	json_t *o = json_object();
	int i;

	for (i = 0; i < PARTS; i++)
		set_text(o, key[i], s, x->part[i]);
	json_object_set_new(o, "label", json_string(s->labels->name[f->label]));
	json_object_set_new(o, "suggested",
	                    json_string(s->labels->name[f->suggested]));
	json_object_set_new(o, "label_probability",
	                    json_real((double)p[f->label]));
	json_object_set_new(o, "suggested_probability",
	                    json_real((double)p[f->suggested]));
	return o;
}

json_t *bt_label_issues_json(const struct bt_label_issues *s, size_t most)
{
	struct bt_error err = {0};
	size_t n, i;
	struct issue *found = find(s, &n, &err);
	json_t *o, *worst = json_array();

	for (i = 0; found != NULL && i < n && i < most; i++)
		json_array_append_new(worst, issue_json(s, &found[i]));
	o = json_pack("{sI sI so}", "found", (json_int_t)n, "of",
	              (json_int_t)s->added, "worst", worst);
	if (found == NULL) {
		json_decref(o);
		o = NULL;
	}
	free(found);
	return o;
}
