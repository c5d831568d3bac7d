/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#include "base/buf.h"
#include "hub/client_int.h"

/* An answer in memory. */
struct text {
	struct bt_buf b;
	size_t limit;
};

static int text_ready(void *ctx, enum bt_hub_ready *what, uint64_t *from,
                      struct bt_error *err)
{
	(void)ctx;
	(void)err;
	*what = BT_HUB_GO;
	*from = 0;
	return BT_OK;
}

static int text_start(void *ctx, uint64_t from, struct bt_error *err)
{
	struct text *t = ctx;

	(void)from;
	(void)err;
	bt_buf_reset(&t->b);
	return BT_OK;
}

static int text_take(void *ctx, const void *data, size_t n,
                     struct bt_error *err)
{
	struct text *t = ctx;

	if (n > t->limit - t->b.len)
		return bt_error_set(err, BT_ELIMIT,
		                    "it is larger than %zu MB, the limit",
		                    t->limit >> 20);
	bt_buf_put(&t->b, data, n);
	return t->b.oom ? bt_error_nomem(err, "reading an answer") : BT_OK;
}

static int text_end(void *ctx, bool *more, struct bt_error *err)
{
	(void)ctx;
	(void)err;
	*more = false;
	return BT_OK;
}

int bt_hub_client_text(struct bt_hub_client *c, const char *url,
                       const char *what, size_t limit, char **text, size_t *len,
                       struct bt_error *err)
{
	static const struct bt_hub_receiver to = {text_ready, text_start,
	                                          text_take, text_end};
	struct text t = {BT_BUF_INIT, limit};
	struct bt_hub_request q = {url, what, &to, &t, NULL};
	int r = bt_hub_client_run(c, &q, 1, NULL, NULL, err);

	if (r == BT_OK && bt_buf_str(&t.b) == NULL)
		r = bt_error_nomem(err, "reading an answer");
	if (r == BT_OK) {
		*len = t.b.len;
		*text = bt_buf_detach(&t.b);
	}
	bt_buf_clear(&t.b);
	return r;
}

#else
typedef int bt_no_client_text; /* an empty file is not C */
#endif
