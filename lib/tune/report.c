/* SPDX-License-Identifier: MIT */
/* What a search says: its table, and what came of it. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "format/escape.h"
#include "format/json.h"
#include "tune/search_int.h"

static void print(const struct bt_tune_search *x, struct bt_buf *b)
{
	if (bt_buf_str(b) != NULL)
		x->o->print(x->o->ctx, bt_buf_str(b));
	bt_buf_clear(b);
}

/* "learning-rate 0.0003, epochs 4", or "as given". */
static void put_settings(const struct bt_tune_search *x,
                         const struct bt_tune_trial *t, struct bt_buf *b)
{
	const struct bt_tune_space *s = &x->o->space;
	size_t k;

	if (t->value == NULL)
		bt_buf_puts(b, "as given");
	for (k = 0; t->value != NULL && k < s->n; k++)
		bt_buf_printf(b, "%s%s %s", k > 0 ? ", " : "",
		              s->setting[k].name, t->value[k]);
}

void bt_tune_print_heading(const struct bt_tune_search *x)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "trial  share  updates  %10s  seconds  settings\n",
	              x->metric);
	print(x, &b);
}

void bt_tune_print_row(const struct bt_tune_search *x, size_t i,
                       const json_t *line)
{
	const struct bt_tune_trial *t = &x->trial[i];
	int wide = strlen(x->metric) > 10 ? (int)strlen(x->metric) : 10;
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%5zu  %5.2f  %7lld  ", i + 1, t->share,
	              (long long)t->updates);
	if (t->failed)
		bt_buf_printf(&b, "%*s", wide, "failed");
	else if (isnan(t->metric) && !t->over)
		bt_buf_printf(&b, "%*s", wide, "out of time");
	else
		bt_buf_printf(&b, "%*.4f", wide, t->metric);
	bt_buf_printf(&b, "  %7.1f  ",
	              json_number_value(json_object_get(line, "seconds")));
	put_settings(x, t, &b);
	bt_buf_putc(&b, '\n');
	print(x, &b);
}

double bt_tune_standard_error(const char *metric, double v, size_t n)
{
	if (n < 2 || !isfinite(v))
		return NAN;
	if (strcmp(metric, "mse") == 0)
		return v * sqrt(2 / (double)n);
	if (bt_metrics_falls(metric))
		return NAN;
	if (bt_str_in_list("mcc|pearson|pearson_spearman|"
	                   "quadratic_weighted_kappa|r2|spearman",
	                   metric))
		return (1 - v * v) / sqrt((double)(n - 1));
	return v >= 0 && v <= 1 ? sqrt(v * (1 - v) / (double)n) : NAN;
}

/* Chance may have decided which of two trials is the best. */
static void warn_noise(const struct bt_tune_search *x, size_t best,
                       size_t second)
{
	double a = x->trial[best].metric, b = x->trial[second].metric;
	double e = bt_tune_standard_error(x->metric, a, x->eval_texts);

	if (best != second && fabs(a - b) < e)
		bt_log_warn(x->o->log, "best-by-chance", BT_HINT_NONE,
		            "%s %.4f of trial %zu and %.4f of trial %zu differ "
		            "by less than a standard error, %.4f with %zu "
		            "evaluation texts: chance may have chosen",
		            x->metric, a, best + 1, b, second + 1, e,
		            x->eval_texts);
}

static void tell(const struct bt_tune_search *x, size_t best, size_t second,
                 const char *command)
{
	struct bt_summary *s = bt_log_summary(x->o->log);
	const struct bt_tune_trial *t = &x->trial[best];
	size_t k;

	bt_summary_text(s, "metric", x->metric);
	bt_summary_count(s, "trials", x->used);
	bt_summary_count(s, "best_trial", best + 1);
	bt_summary_real(s, "best", t->metric);
	bt_summary_real(s, "as_given", x->trial[0].metric);
	if (second != best)
		bt_summary_real(s, "second", x->trial[second].metric);
	bt_summary_real(s, "spent", x->spent);
	bt_summary_text(s, "command", command);
	bt_summary_open(s, "settings");
	for (k = 0; t->value != NULL && k < x->o->space.n; k++)
		bt_summary_text(s, x->o->space.setting[k].name, t->value[k]);
	bt_summary_close(s);
}

int bt_tune_report(struct bt_tune_search *x, size_t best, size_t second,
                   struct bt_error *err)
{
	const struct bt_tune_trial *t = &x->trial[best];
	struct bt_buf b = BT_BUF_INIT, command = BT_BUF_INIT;
	json_t *o;
	int r = BT_OK;

	bt_escape_command(&command, t->command.n, t->command.word);
	if (bt_buf_str(&command) == NULL)
		return bt_error_nomem(err, "tuning");
	bt_buf_printf(&b, "best: trial %zu, %s %.4f", best + 1, x->metric,
	              t->metric);
	if (best > 0)
		bt_buf_printf(&b, " (as given: %.4f)", x->trial[0].metric);
	bt_buf_printf(&b, "\n%s\n", bt_buf_str(&command));
	print(x, &b);
	if (x->used == 1)
		bt_log_warn(x->o->log, "nothing-tuned", BT_HINT_NONE,
		            "the budget was enough for the settings as given "
		            "alone");
	warn_noise(x, best, second);
	tell(x, best, second, bt_buf_str(&command));
	if (x->journal.result == NULL) {
		o = json_pack("{s:I, s:o, s:I, s:f, s:s}", "best_trial",
		              (json_int_t)(best + 1), "best",
		              bt_json_finite(t->metric), "trials",
		              (json_int_t)x->used, "spent", x->spent, "command",
		              bt_buf_str(&command));
		r = bt_tune_journal_add(&x->journal, o, err);
	}
	bt_buf_clear(&command);
	return r;
}
