/* SPDX-License-Identifier: MIT */
#include "record/windows.h"

#include <string.h>

#include "base/str.h"

static const char *const names[] = {[BT_WINDOWS_EACH] = "each",
                                    [BT_WINDOWS_MEAN] = "mean",
                                    [BT_WINDOWS_MAX] = "max",
                                    [BT_WINDOWS_FIRST] = "first"};

enum bt_windows_join bt_windows_named(const char *name)
{
	int i = BT_STR_ROW(name, names);

	return i >= 0 ? (enum bt_windows_join)i : BT_WINDOWS_MEAN;
}

const char *bt_windows_name(enum bt_windows_join join)
{
	return names[join];
}

void bt_windows_clear(struct bt_windows *w)
{
	bt_buf_clear(&w->id);
	memset(w, 0, sizeof(*w));
}

static bool has_id(const struct bt_windows *w, struct bt_span id)
{
	if (id.p == NULL || !w->has_id)
		return id.p == NULL && !w->has_id;
	return w->id.len == id.n &&
	       (id.n == 0 || memcmp(w->id.data, id.p, id.n) == 0);
}

/* A window that is not the first one of its text. */
static int check(const struct bt_windows *w, const struct bt_token_rec *rec,
                 struct bt_error *err)
{
	int n = (int)(rec->id.n < 60 ? rec->id.n : 60);
	const char *id = rec->id.p != NULL ? rec->id.p : "";

	if (w->within && rec->window > 0 && rec->window - 1 == w->number &&
	    has_id(w, rec->id))
		return BT_OK;
	return bt_error_hint(
	    err, BT_HINT_WINDOWS_ORDER,
	    bt_error_set(err, BT_EFORMAT,
	                 "is window %lld of the text '%.*s' and does not "
	                 "follow the window before it: the windows of a text "
	                 "must be together and in order",
	                 (long long)rec->window, n, id));
}

static int keep_id(struct bt_windows *w, struct bt_span id,
                   struct bt_error *err)
{
	w->has_id = id.p != NULL;
	bt_buf_reset(&w->id);
	if (id.n > 0)
		bt_buf_put(&w->id, id.p, id.n);
	return w->id.oom ? bt_error_nomem(err, "reading records") : BT_OK;
}

int bt_windows_take(struct bt_windows *w, struct bt_token_rec *rec,
                    struct bt_error *err)
{
	int r;

	if (w->join == BT_WINDOWS_EACH || !rec->has_window) {
		w->within = false;
		return 1;
	}
	r = rec->window == 0 ? keep_id(w, rec->id, err) : check(w, rec, err);
	if (r != BT_OK)
		return r;
	w->within = true;
	w->number = rec->window;
	w->texts += rec->window == 0;
	w->records++;
	return w->join != BT_WINDOWS_FIRST || rec->window == 0;
}

void bt_windows_tell(const struct bt_windows *w, const char *what,
                     const struct bt_log *log)
{
	unsigned long long texts = w->texts, records = w->records;

	if (records == texts)
		return;
	if (w->join == BT_WINDOWS_FIRST)
		bt_log_hint(log, BT_LOG_NOTE, BT_HINT_WINDOWS,
		            "%llu texts of %llu windows: the first window "
		            "stands for its text",
		            texts, records);
	else
		bt_log_hint(log, BT_LOG_NOTE, BT_HINT_WINDOWS,
		            "%llu texts of %llu windows: a text has the %s of "
		            "its windows' %s",
		            texts, records,
		            w->join == BT_WINDOWS_MEAN ? "mean" : "maximum",
		            what);
}

/* How much window k shows around token p. */
static double shown(const struct bt_windows_cut *c, size_t k, size_t p)
{
	size_t from = k * c->step, n = c->tokens - from, left = p - from, right;

	n = n < c->keep ? n : c->keep;
	right = n - 1 - left;
	return (double)(left < right ? left : right) + 0.01 * (double)n;
}

bool bt_windows_show_most(const struct bt_windows_cut *c, size_t k, size_t p)
{
	size_t last, m = p < c->keep ? 0 : (p - c->keep) / c->step + 1;
	size_t best = m;

	if (c->tokens <= c->keep)
		return k == 0;
	last = (c->tokens - c->keep + c->step - 1) / c->step;
	if (last > p / c->step)
		last = p / c->step;
	for (m++; m <= last; m++)
		if (shown(c, m, p) > shown(c, best, p))
			best = m;
	return best == k;
}
