/* SPDX-License-Identifier: MIT */
/* Reading a sample submission: what its columns take, and its ids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "io/in.h"
#include "predict/submission_int.h"

/* Sets which column holds the ids, if one does. */
static int find_id(struct bt_submission *s, const struct bt_span *names,
                   struct bt_error *err)
{
	int64_t number = 0;
	int at = 0;
	size_t i;

	if (s->o.id != NULL) { /* a name, else a number from 1 */
		for (i = 0; i < s->width; i++)
			if (bt_span_equal(names[i], bt_span(s->o.id)))
				break;
		if (i < s->width)
			number = (int64_t)i + 1;
		else if (bt_parse_i64(s->o.id, 1, (int64_t)s->width, &number) !=
		             BT_OK &&
		         strcmp(s->o.id, "none") != 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "the column '%s' does not exist",
			                    s->o.id);
		at = (int)number - 1;
	} else if (s->width == 1 && s->o.in_order) {
		at = -1;
	} else {
		for (i = s->width; i-- > 0;)
			if (names[i].n == 2 &&
			    strncasecmp(names[i].p, "id", 2) == 0)
				at = (int)i;
	}
	for (i = 0; i < s->width; i++)
		s->column[i] =
		    (int)i == at ? BT_SUBMISSION_ID : BT_SUBMISSION_LABEL;
	if (at < 0 && !s->o.in_order)
		return bt_error_hint(
		    err, BT_HINT_SAMPLE_ORDER,
		    bt_error_set(err, BT_EFORMAT, "has no column of ids"));
	if (s->width - (at >= 0) == 0)
		return bt_error_hint(
		    err, s->o.in_order ? BT_HINT_NONE : BT_HINT_SAMPLE_ORDER,
		    bt_error_set(err, BT_EFORMAT,
		                 "has no column beside the ids"));
	return BT_OK;
}

/* No column is left over; a label may be. */
static int check_classes(struct bt_submission *s,
                         struct bt_submission_values *strange,
                         struct bt_submission_values *missing,
                         struct bt_error *err)
{
	const char *what = s->o.are_numbers ? "numbers" : "labels";

	if (strange->n > 0)
		return bt_error_hint(
		    err, BT_HINT_MAP_LABEL,
		    bt_error_set(
		        err, BT_EFORMAT,
		        "column%s %s: not among the model's %d %s%s%s",
		        bt_plural(strange->n),
		        bt_submission_values_str(strange), s->labels->n, what,
		        missing->n > 0 ? "; without a column: " : "",
		        missing->n > 0 ? bt_submission_values_str(missing)
		                       : ""));
	if (missing->n > 0 && s->o.log != NULL && s->values > 1)
		bt_log_warn(s->o.log, "labels-without-column", BT_HINT_NONE,
		            "%s has no column for %zu of the %d %s: %s",
		            s->name, missing->n, s->labels->n, what,
		            bt_submission_values_str(missing));
	return BT_OK;
}

/* Columns of probabilities are named as classes. */
static int find_classes(struct bt_submission *s, const struct bt_span *names,
                        bool one, struct bt_error *err)
{
	struct bt_submission_values strange = {0}, missing = {0};
	const struct bt_labels *l = s->labels;
	bool *seen = bt_array0((size_t)l->n, sizeof(*seen));
	size_t i;
	int k, r;

	if (seen == NULL)
		return bt_error_nomem(err, "reading the sample");
	s->values = 0;
	for (i = 0; i < s->width; i++) {
		if (s->column[i] == BT_SUBMISSION_ID)
			continue;
		s->values++;
		k = bt_labels_find(l, names[i]);
		if (k < 0 && one && l->n == 2)
			k = 1;
		if (k < 0)
			bt_submission_values_add(&strange, names[i]);
		else
			seen[k] = true;
		s->column[i] = k;
	}
	for (k = 0; k < l->n; k++)
		if (!seen[k])
			bt_submission_values_add(&missing, bt_span(l->name[k]));
	r = check_classes(s, &strange, &missing, err);
	bt_buf_clear(&strange.names);
	bt_buf_clear(&missing.names);
	free(seen);
	return r;
}

/* The column that takes a number. */
static int find_number(struct bt_submission *s, const struct bt_span *names,
                       size_t answers, struct bt_error *err)
{
	struct bt_submission_values columns = {0};
	size_t i;
	int r = BT_OK;

	for (i = 0; i < s->width; i++)
		if (s->column[i] == BT_SUBMISSION_LABEL) {
			s->column[i] = 0;
			bt_submission_values_add(&columns, names[i]);
		}
	s->values = 1;
	if (answers != 1 && s->labels->n == 1)
		r = bt_error_set(err, BT_EFORMAT,
		                 "has %zu columns to fill (%s), and the model "
		                 "predicts one number",
		                 answers, bt_submission_values_str(&columns));
	bt_buf_clear(&columns.names);
	return r;
}

static int read_header(struct bt_submission *s, const struct bt_csv *csv,
                       struct bt_error *err)
{
	const struct bt_span *names = bt_csv_names(csv);
	size_t i, answers = 0;
	int r;

	s->width = bt_csv_width(csv);
	s->column = bt_array(s->width, sizeof(*s->column));
	if (s->column == NULL)
		return bt_error_nomem(err, "reading the sample");
	for (i = 0; i < s->width; i++) {
		if (i > 0)
			bt_buf_putc(&s->header, s->delimiter);
		bt_csv_put(&s->header, names[i], s->delimiter);
	}
	bt_buf_putc(&s->header, '\n');
	r = find_id(s, names, err);
	for (i = 0; r == BT_OK && i < s->width; i++)
		answers += s->column[i] == BT_SUBMISSION_LABEL;
	if (r == BT_OK && s->o.are_numbers && s->labels->n == 1)
		return find_number(s, names, answers, err);
	if (r == BT_OK && (answers > 1 || s->o.proba || s->o.are_numbers))
		r = find_classes(
		    s, names, answers == 1 && !s->o.are_numbers && !s->o.texts,
		    err);
	return r;
}

/* What the label column holds in the sample and we would not write. */
struct odd {
	struct bt_submission_values values;
	struct bt_string_set *seen;
	bool fractions;
	bool known; /* some of the column's values are labels */
};

static void look_at_answer(const struct bt_submission *s, struct bt_span v,
                           struct odd *odd)
{
	size_t before = bt_string_set_count(odd->seen);
	char text[32];
	double x;

	if (v.n == 0 || before > 1000)
		return;
	if (bt_string_set_add(odd->seen, v, NULL) != BT_OK ||
	    bt_string_set_count(odd->seen) == before)
		return;
	if (bt_labels_find(s->labels, v) >= 0) {
		odd->known = true;
		return;
	}
	bt_submission_values_add(&odd->values, v);
	if (v.n >= sizeof(text))
		return;
	memcpy(text, v.p, v.n);
	text[v.n] = '\0';
	if (bt_parse_f64(text, 0, 1, &x) == BT_OK &&
	    (memchr(v.p, '.', v.n) != NULL || x != floor(x)))
		odd->fractions = true;
}

static void tell_odd(const struct bt_submission *s, struct odd *odd)
{
	const struct bt_labels *l = s->labels;
	bool numbers = odd->fractions && !odd->known;

	/* several labels in a field are not looked at one by one */
	if (odd->values.n == 0 || s->o.log == NULL ||
	    (s->o.texts != NULL && !numbers))
		return;
	bt_log_warn(
	    s->o.log, "sample-values-unknown",
	    numbers ? BT_HINT_PROBA : BT_HINT_MAP_LABEL,
	    "%s holds %s, not among the labels to write ('%s' ... '%s')",
	    s->name, bt_submission_values_str(&odd->values), l->name[0],
	    l->name[l->n - 1]);
}

static int add_row(struct bt_submission *s, const struct bt_span *f,
                   struct bt_submission_values *twice, struct odd *odd,
                   struct bt_error *err)
{
	size_t before = bt_string_set_count(s->set), i;
	struct bt_span id = {"", 0};

	for (i = 0; i < s->width; i++)
		if (s->column[i] == BT_SUBMISSION_ID)
			id = f[i];
		else if (s->column[i] == BT_SUBMISSION_LABEL)
			look_at_answer(s, f[i], odd);
	if (bt_string_set_add(s->set, id, NULL) != BT_OK)
		return bt_error_nomem(err, "reading the sample");
	if (bt_string_set_count(s->set) == before)
		bt_submission_values_add(twice, id);
	if (bt_grow(&s->id_end, &s->cap, s->rows + 1, sizeof(*s->id_end)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading the sample");
	bt_buf_put(&s->ids, id.p, id.n);
	if (s->ids.oom)
		return bt_error_nomem(err, "reading the sample");
	s->id_end[s->rows++] = s->ids.len;
	return BT_OK;
}

static int read_rows(struct bt_submission *s, struct bt_csv *csv,
                     struct bt_error *err)
{
	struct odd odd = {.seen = bt_string_set_new()};
	struct bt_submission_values twice = {0};
	const struct bt_span *f;
	int r = BT_OK;

	while (r == BT_OK && (r = bt_csv_next(csv, &f, err)) == 1)
		r = add_row(s, f, &twice, &odd, err);
	if (r == BT_OK && twice.n > 0 && s->o.in_order) {
		bt_string_set_free(s->set);
		s->set = NULL;
	} else if (r == BT_OK && twice.n > 0) {
		r = bt_error_hint(
		    err, BT_HINT_SAMPLE_ID,
		    bt_error_set(err, BT_EFORMAT,
		                 "%zu of %zu rows repeat an id: %s", twice.n,
		                 s->rows, bt_submission_values_str(&twice)));
	}
	if (r == BT_OK && s->rows == 0)
		r = bt_error_set(err, BT_EFORMAT, "holds no rows");
	if (r == BT_OK)
		tell_odd(s, &odd);
	bt_buf_clear(&twice.names);
	bt_buf_clear(&odd.values.names);
	bt_string_set_free(odd.seen);
	return r;
}

/* The delimiter of the first line: a comma unless it has none, but others. */
static int find_delimiter(struct bt_in *in, char *delimiter,
                          struct bt_error *err)
{
	bool quoted = false;
	const uint8_t *p;
	char other = ',';
	size_t n, i;
	int r = bt_in_peek(in, (size_t)64 << 10, &p, &n, err);

	for (i = 0; r == BT_OK && i < n && (quoted || p[i] != '\n'); i++) {
		quoted ^= p[i] == '"';
		if (quoted)
			continue;
		if (p[i] == ',') {
			other = ',';
			break;
		}
		if (other == ',' && (p[i] == '\t' || p[i] == ';'))
			other = (char)p[i];
	}
	*delimiter = other;
	return r;
}

int bt_submission_read(struct bt_submission *s, struct bt_error *err)
{
	struct bt_csv_opts opts = BT_CSV_OPTS_INIT;
	struct bt_csv *csv;
	struct bt_in *in;
	int r = bt_in_open(s->o.path, &in, err);

	if (r != BT_OK)
		return r;
	r = find_delimiter(in, &opts.delimiter, err);
	if (r != BT_OK) {
		bt_in_close(in);
		return r;
	}
	s->delimiter = opts.delimiter;
	r = bt_csv_from(in, &opts, &csv, err);
	if (r != BT_OK)
		return r;
	s->name = bt_strndup(bt_csv_name(csv), strlen(bt_csv_name(csv)));
	r = read_header(s, csv, err);
	if (r == BT_OK)
		r = read_rows(s, csv, err);
	if (r != BT_OK)
		bt_error_prefix(err, "sample %s", bt_csv_name(csv));
	bt_csv_close(csv);
	return r;
}
