/* SPDX-License-Identifier: MIT */
#include "evaluate/prediction_file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "ckpt_format/tensor_stream_read.h"
#include "format/csv.h"
#include "io/in.h"
#include "io/path.h"
#include "task/probabilities.h"
#include "tensorstream/frame.h"

/* What a column holds; else a value. */
enum { ID = -1, ANSWER = -2, OTHER = -3 };

void bt_prediction_file_clear(struct bt_prediction_file *f)
{
	free(f->name);
	bt_string_set_free(f->ids);
	free(f->id);
	bt_labels_clear(&f->labels);
	free(f->value);
	free(f->first);
	bt_string_set_free(f->answers);
	free(f->answer);
	memset(f, 0, sizeof(*f));
}

/* The column of that name in any case, or -1. */
static int find_column(const struct bt_span *names, int n, const char *name)
{
	int i;

	for (i = 0; i < n; i++)
		if (names[i].n == strlen(name) &&
		    strncasecmp(names[i].p, name, names[i].n) == 0)
			return i;
	return -1;
}

/* Makes column i one of values. */
static int add_value(struct bt_prediction_file *f, int *column, int i,
                     struct bt_span name, struct bt_error *err)
{
	int before = f->labels.n, k = bt_labels_add(&f->labels, name, err);

	if (k < 0)
		return k;
	if (k < before)
		return bt_error_set(err, BT_EFORMAT,
		                    "two columns are named '%s'",
		                    f->labels.name[k]);
	column[i] = k;
	return BT_OK;
}

/* Columns of numbers: one, or those that are named; where none is known, that
 * of predictions, or all. */
static int find_numbers(struct bt_prediction_file *f,
                        const struct bt_span *names, int n, int id,
                        const struct bt_labels *known, int *column,
                        struct bt_error *err)
{
	int at = find_column(names, n, "label"), i, k, r = BT_OK;

	if (known->n == 1) { /* the last column, behind other fields */
		if (at >= 0 && at < n - 1 && n - 1 != id)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "behind the column 'label' stands '%.*s': which of "
			    "them holds predictions is not clear",
			    (int)(names[n - 1].n < 60 ? names[n - 1].n : 60),
			    names[n - 1].p);
		at = at >= 0 ? at : n - 1 != id ? n - 1 : 0;
		return at < n && at != id
		           ? add_value(f, column, at, bt_span(known->name[0]),
		                       err)
		           : BT_OK;
	}
	for (i = 0; i < n && r == BT_OK; i++) {
		k = i == id        ? -1
		    : known->n > 0 ? bt_labels_find(known, names[i])
		    : at < 0       ? i
		                   : (i == at) - 1;
		if (k >= 0)
			r = add_value(f, column, i, names[i], err);
	}
	return r;
}

/* Whether a column behind the prediction is one of the likeliest labels or of
 * sets: probability, label_2, probability_2, set. */
static bool is_beside(struct bt_span name, struct bt_span label)
{
	size_t n = name.n;

	while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
		n--;
	if (n > 0 && n < name.n && name.p[n - 1] == '_')
		name.n = n - 1;
	return bt_span_equal(name, bt_span("probability")) ||
	       bt_span_equal(name, label) ||
	       bt_span_equal(name, bt_span("set"));
}

/* What each of n columns holds. */
static int find_columns(struct bt_prediction_file *f,
                        const struct bt_span *names, int n,
                        const struct bt_task *task,
                        const struct bt_labels *known, int *column,
                        struct bt_error *err)
{
	int id = find_column(names, n, "id"), i, r = BT_OK;
	int answer = find_column(names, n, "label");

	if (id < 0 && answer != 0 && bt_labels_find(known, names[0]) < 0)
		id = 0;
	for (i = 0; i < n; i++)
		column[i] = i == id ? ID : OTHER;
	if (task->answer->is_number) {
		r = find_numbers(f, names, n, id, known, column, err);
	} else {
		i = id == 0 ? 1 : 0;
		if (answer < 0 && i < n && known->n > 0 &&
		    bt_labels_find(known, names[i]) < 0)
			answer = i;
		if (answer >= 0) {
			column[answer] = ANSWER;
			f->answers = bt_string_set_new();
			i = answer + 1;
			while (i < n && is_beside(names[i], names[answer]) &&
			       bt_labels_find(known, names[i]) < 0)
				i++;
		}
		for (; i < n && r == BT_OK; i++)
			if (i != id)
				r = add_value(f, column, i, names[i], err);
	}
	if (r == BT_OK && f->labels.n == 0 && f->answers == NULL)
		r = n > 1
		        ? bt_error_set(err, BT_EFORMAT,
		                       "no column holds predictions of %s",
		                       task->outputs)
		        : bt_error_set(err, BT_EFORMAT,
		                       "no column holds predictions of %s: "
		                       "its only column is '%.*s' (columns "
		                       "are divided by commas, or by tabs in "
		                       "a file *.tsv)",
		                       task->outputs,
		                       (int)(names[0].n < 60 ? names[0].n : 60),
		                       names[0].p);
	if (id >= 0)
		f->ids = bt_string_set_new();
	return r;
}

/* The number of the next row's id, which may come again. */
static int note_id(struct bt_prediction_file *f, size_t number,
                   struct bt_error *err)
{
	size_t i;

	if (number == f->rows)
		return BT_OK;
	if (f->again == 0) { /* those before have the numbers of their rows */
		f->again = f->rows + 1;
		f->again_of = number + 1;
	}
	if (number > UINT32_MAX ||
	    bt_grow(&f->id, &f->id_cap, f->rows + 1, sizeof(*f->id)) != BT_OK)
		return bt_error_nomem(err, "reading predictions");
	for (i = 0; f->again == f->rows + 1 && i < f->rows; i++)
		f->id[i] = (uint32_t)i;
	f->id[f->rows] = (uint32_t)number;
	return BT_OK;
}

static int add_id(struct bt_prediction_file *f, struct bt_span id,
                  struct bt_error *err)
{
	size_t number;

	if (bt_string_set_add(f->ids, id, &number) != BT_OK)
		return bt_error_nomem(err, "reading predictions");
	if (f->repeats)
		return note_id(f, number, err);
	if (number == f->rows)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "the id '%.*s' stands in row %zu, too",
	                    (int)(id.n < 60 ? id.n : 60), id.p, number + 1);
}

/* What a probability, or a number that is one of ranking, is the output of. */
static float output_of(double v, const struct bt_task *task)
{
	return bt_task_logit(v,
	                     task->answer->is_set || task == &bt_task_ranking);
}

static int read_value(struct bt_span s, const char *label,
                      const struct bt_task *task, bool logit, float *value,
                      struct bt_error *err)
{
	char text[64];
	double v;

	if (!bt_span_str(s, text, sizeof(text)) ||
	    bt_parse_f64(text, -FLT_MAX, FLT_MAX, &v) != BT_OK)
		return bt_error_set(err, BT_EFORMAT,
		                    "column '%s': '%.*s' is not a number",
		                    label, (int)(s.n < 60 ? s.n : 60), s.p);
	if (task != &bt_task_regression && !(v >= 0 && v <= 1))
		return bt_error_set(err, BT_EFORMAT,
		                    "column '%s': %s is not a probability",
		                    label, text);
	*value = logit && task != &bt_task_regression ? output_of(v, task)
	                                              : (float)v;
	return BT_OK;
}

/* Room for one more row, or for n. */
static int reserve(struct bt_prediction_file *f, size_t n, struct bt_error *err)
{
	size_t values;

	if (!bt_size_mul(f->rows + n, (size_t)f->labels.n, &values) ||
	    bt_grow(&f->value, &f->value_cap, values, sizeof(*f->value)) !=
	        BT_OK ||
	    bt_grow(&f->answer, &f->answer_cap, f->rows + n,
	            sizeof(*f->answer)) != BT_OK)
		return bt_error_nomem(err, "reading predictions");
	return BT_OK;
}

static int add_row(struct bt_prediction_file *f, const struct bt_span *field,
                   size_t n, const int *column, const struct bt_task *task,
                   const struct bt_labels *known, struct bt_error *err)
{
	int r = reserve(f, 1, err);
	size_t labels = (size_t)f->labels.n;
	float *value = labels > 0 ? f->value + f->rows * labels : NULL;
	size_t i, k;

	for (i = 0; i < n && r == BT_OK; i++) {
		if (column[i] >= 0) {
			r = read_value(field[i], f->labels.name[column[i]],
			               task, f->logits, &value[column[i]], err);
		} else if (column[i] == ID) {
			r = add_id(f, field[i], err);
		} else if (column[i] == ANSWER) {
			if (bt_string_set_add(f->answers, field[i], &k) !=
			        BT_OK ||
			    k > UINT32_MAX)
				return bt_error_nomem(err,
				                      "reading predictions");
			f->answer[f->rows] = (uint32_t)k;
		}
	}
	f->rows++;
	return r == BT_OK && f->logits && task == &bt_task_classification &&
	               labels > 0 && (known->n == 0 || f->labels.n == known->n)
	           ? bt_task_check_sum(value, labels, err)
	           : r;
}

static int read_csv(const char *path, const struct bt_task *task,
                    const struct bt_labels *known, struct bt_prediction_file *f,
                    struct bt_error *err)
{
	struct bt_csv_opts opts = BT_CSV_OPTS_INIT;
	const struct bt_span *field;
	struct bt_csv *csv;
	int *column, r;
	size_t n;

	if (bt_path_is_tsv(path))
		opts.delimiter = '\t';
	r = bt_csv_open(path, &opts, &csv, err);
	if (r != BT_OK)
		return r;
	n = bt_csv_width(csv);
	column = bt_array(n, sizeof(*column));
	if (column == NULL)
		r = bt_error_nomem(err, "reading predictions");
	else
		r = find_columns(f, bt_csv_names(csv), (int)n, task, known,
		                 column, err);
	while (r == BT_OK && (r = bt_csv_next(csv, &field, err)) == 1) {
		r = add_row(f, field, n, column, task, known, err);
		if (r != BT_OK)
			bt_csv_blame(csv, err);
	}
	free(column);
	if (r != BT_OK)
		bt_error_prefix(err, "predictions %s", bt_csv_name(csv));
	bt_csv_close(csv);
	return r;
}

/* Names of the columns of a frame's tensor. */
static int name_columns(struct bt_prediction_file *f, const struct bt_frame *in,
                        size_t n, const struct bt_labels *known,
                        struct bt_error *err)
{
	json_t *list = bt_frame_labels(in);
	size_t given = list != NULL ? json_array_size(list) : (size_t)known->n;
	const char *name;
	size_t i;
	int k = 0;

	if (given != n)
		k = bt_error_set(err, BT_EFORMAT,
		                 "the tensor has %zu columns, and there are "
		                 "%zu labels",
		                 n, given);
	for (i = 0; i < n && k >= 0; i++) {
		name = list != NULL ? json_string_value(json_array_get(list, i))
		                    : known->name[i];
		k = bt_labels_add(&f->labels, bt_span(name), err);
		if (k >= 0 && (size_t)k != i)
			k = bt_error_set(err, BT_EFORMAT,
			                 "two columns are named '%s'", name);
	}
	json_decref(list);
	return k < 0 ? k : BT_OK;
}

/* A row of a tensor as the values of a file. */
static int convert_row(double *row, size_t n, bool logits,
                       const struct bt_task *task, bool keep, float *value,
                       struct bt_error *err)
{
	bool ranks = task == &bt_task_ranking;
	bool number = (task->answer->is_number && !ranks) || (logits && keep);
	size_t i;

	if (logits && !number)
		bt_task_activate(row, n, task->answer->is_set || ranks);
	for (i = 0; i < n; i++) {
		value[i] = (float)row[i];
		if (!isfinite(value[i]) ||
		    (!number && !(value[i] >= 0 && value[i] <= 1)))
			return bt_error_set(err, BT_EFORMAT, "%g is not a %s",
			                    row[i],
			                    number ? "number" : "probability");
		if (keep && !number)
			value[i] = output_of(row[i], task);
	}
	return BT_OK;
}

/* The text and the position of the next row, which is of a word. */
static int add_word(struct bt_prediction_file *f, struct bt_span id,
                    double position, struct bt_error *err)
{
	size_t texts = bt_string_set_count(f->ids), number;
	int r;

	if (position != 0) { /* goes on with the text before */
		if (texts == 0 || !bt_string_set_find(f->ids, id, &number) ||
		    number != texts - 1 ||
		    position != (double)(f->rows - f->first[number]))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "word %.0f of the text '%.*s' does not stand "
			    "behind the word before it",
			    position, (int)(id.n < 60 ? id.n : 60), id.p);
	} else {
		if (bt_grow(&f->first, &f->first_cap, texts + 2,
		            sizeof(*f->first)) != BT_OK)
			return bt_error_nomem(err, "reading predictions");
		if (bt_string_set_find(f->ids, id, &number))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the id '%.*s' is that of another text, too",
			    (int)(id.n < 60 ? id.n : 60), id.p);
		r = bt_string_set_add(f->ids, id, NULL);
		if (r != BT_OK)
			return bt_error_nomem(err, "reading predictions");
		f->first[texts++] = f->rows;
	}
	f->first[texts] = f->rows + 1;
	return BT_OK;
}

/* What names row i of the frame. */
static int add_name(struct bt_prediction_file *f, const struct bt_frame *in,
                    const struct bt_tensor *position, size_t i,
                    struct bt_error *err)
{
	double at;
	int r;

	if (position == NULL)
		return add_id(f, bt_frame_id(in, i), err);
	r = bt_tensor_to_f64(position, i, 1, &at, err);
	return r == BT_OK ? add_word(f, bt_frame_id(in, i), at, err) : r;
}

static int add_frame(struct bt_prediction_file *f, const struct bt_frame *in,
                     const struct bt_task *task, const struct bt_labels *known,
                     struct bt_error *err)
{
	const struct bt_tensor *t = bt_frame_find(in, BT_FRAME_LOGITS);
	const char *problem = bt_frame_note(in, BT_FRAME_PROBLEM);
	bool logits = t != NULL && task != &bt_task_regression;
	const struct bt_tensor *position =
	    task->per_token ? bt_frame_find(in, BT_FRAME_POSITION) : NULL;
	size_t i, n;
	double *row;
	int r = BT_OK;

	if (t == NULL)
		t = bt_frame_find(in, BT_FRAME_PROBABILITIES);
	if (t == NULL || in->whole || t->rank != 2 || t->shape[1] == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "has neither rows of logits nor of "
		                    "probabilities");
	if (problem != NULL && strcmp(problem, task->problem_type) != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "holds predictions of the kind %s, not %s",
		                    problem, task->problem_type);
	if (task->per_token &&
	    (in->id == NULL || position == NULL || position->rank != 1))
		return bt_error_set(err, BT_EFORMAT,
		                    "has no ids and positions of words");
	n = (size_t)t->shape[1];
	if (f->labels.n == 0)
		r = name_columns(f, in, n, known, err);
	else if (n != (size_t)f->labels.n)
		r = bt_error_set(err, BT_EFORMAT,
		                 "the tensor has %zu columns, not %d", n,
		                 f->labels.n);
	if (r == BT_OK && f->rows == 0 && in->id != NULL)
		f->ids = bt_string_set_new();
	if (r == BT_OK && (f->ids != NULL) != (in->id != NULL))
		r = bt_error_set(err, BT_EFORMAT, "only some rows have ids");
	if (r == BT_OK)
		r = reserve(f, in->rows, err);
	row = bt_array(n, sizeof(*row));
	if (row == NULL)
		r = bt_error_nomem(err, "reading predictions");
	for (i = 0; i < in->rows && r == BT_OK; i++) {
		r = bt_tensor_to_f64(t, i * n, n, row, err);
		if (r == BT_OK)
			r = convert_row(row, n, logits, task, f->logits,
			                f->value + f->rows * n, err);
		if (r == BT_OK && f->ids != NULL)
			r = add_name(f, in, position, i, err);
		if (r != BT_OK)
			bt_error_prefix(err, "row %zu", f->rows + 1);
		f->rows++;
	}
	free(row);
	return r;
}

static int read_tensors(const char *path, const struct bt_task *task,
                        const struct bt_labels *known,
                        struct bt_prediction_file *f, struct bt_error *err)
{
	struct bt_ts_reader *in;
	const struct bt_ckpt *c;
	struct bt_frame frame;
	int r = bt_ts_reader_open(path, 0, &in, err), e;

	if (r != BT_OK)
		return r;
	while ((r = bt_ts_reader_next(in, &c, err)) == 1) {
		e = bt_frame_of(c, &frame, err);
		if (e == BT_OK)
			e = add_frame(f, &frame, task, known, err);
		if (e != BT_OK) {
			r = bt_ts_reader_prefix(in, err);
			break;
		}
	}
	bt_ts_reader_close(in);
	return r;
}

/* Whether the file holds tensors: a length in 8 bytes, then JSON. */
static int look(const char *path, struct bt_prediction_file *f, bool *tensors,
                struct bt_error *err)
{
	const uint8_t *p;
	struct bt_in *in;
	size_t n;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	r = bt_in_peek(in, 9, &p, &n, err);
	*tensors = r == BT_OK && n == 9 && p[7] == 0 && p[8] == '{';
	f->name = bt_strndup(bt_in_name(in), strlen(bt_in_name(in)));
	bt_in_close(in);
	return r;
}

/* The task of labels or numbers whose predictions the frame says it holds, or
 * NULL. */
static const struct bt_task *task_of(const struct bt_frame *f)
{
	const struct bt_task *const known[] = {
	    &bt_task_classification, &bt_task_multi_label, &bt_task_regression,
	    &bt_task_ranking};
	const char *problem = bt_frame_note(f, BT_FRAME_PROBLEM);
	size_t i;

	for (i = 0; problem != NULL && i < sizeof(known) / sizeof(known[0]);
	     i++)
		if (strcmp(known[i]->problem_type, problem) == 0)
			return known[i];
	return NULL;
}

/* Whether a frame that does not say so may be of classes of texts. */
static bool may_be_classes(const struct bt_frame *f)
{
	return bt_frame_note(f, BT_FRAME_PROBLEM) == NULL &&
	       bt_frame_find(f, BT_FRAME_POSITION) == NULL;
}

int bt_prediction_file_task(const char *path, const struct bt_task *classes,
                            const struct bt_task **task, struct bt_error *err)
{
	struct bt_prediction_file f = {0};
	struct bt_ts_reader *in = NULL;
	const struct bt_ckpt *c;
	struct bt_frame frame;
	bool tensors = false;
	int r = bt_path_refuse_pipe(path, err);

	if (r == BT_OK)
		r = look(path, &f, &tensors, err);
	if (r == BT_OK && tensors)
		r = bt_ts_reader_open(path, 0, &in, err);
	if (r == BT_OK && tensors)
		r = bt_ts_reader_next(in, &c, err);
	if (r == 1) {
		r = bt_frame_of(c, &frame, err);
		if (r != BT_OK)
			bt_ts_reader_prefix(in, err);
		else if (task_of(&frame) != NULL)
			*task = task_of(&frame);
		else if (classes != NULL && may_be_classes(&frame))
			*task = classes;
	}
	bt_ts_reader_close(in);
	bt_prediction_file_clear(&f);
	return r;
}

int bt_prediction_file_read(const char *path, const struct bt_task *task,
                            const struct bt_labels *known,
                            struct bt_prediction_file *f, struct bt_error *err)
{
	bool tensors = false;
	int r;

	r = bt_path_refuse_pipe(path, err);
	if (r == BT_OK)
		r = look(path, f, &tensors, err);
	if (r != BT_OK && bt_path_is_dir(path)) /* a model's */
		bt_error_hint(err, BT_HINT_WRITE_TENSORS, r);
	if (r == BT_OK && !tensors && task->per_token)
		r = bt_error_hint(
		    err, BT_HINT_WORDS_TENSOR,
		    bt_error_set(err, BT_EFORMAT,
		                 "predictions %s: is not a tensor "
		                 "stream with the logits of "
		                 "words",
		                 f->name));
	if (r == BT_OK)
		r = (tensors ? read_tensors : read_csv)(path, task, known, f,
		                                        err);
	if (r == BT_OK && f->rows == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "predictions %s: holds no rows", f->name);
	if (r != BT_OK)
		bt_prediction_file_clear(f);
	return r;
}
