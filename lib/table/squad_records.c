/* SPDX-License-Identifier: MIT */
/* Questions as text records. */
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "table/squad.h"

struct writer {
	struct bt_out *out;
	struct bt_example_writer w;
};

static int write_record(void *arg, const struct bt_squad_question *q,
                        struct bt_error *err)
{
	struct writer *to = arg;
	struct bt_example_writer *w = &to->w;
	struct bt_span payload;

	bt_example_begin(w);
	if (q->known) {
		bt_example_add_int64s(w, "answer_starts", q->start, q->n);
		bt_example_add_texts(w, "answers", q->answer, q->n);
	}
	bt_example_add_text(w, "context", q->context.p, q->context.n);
	bt_example_add_text(w, "id", q->id.p, q->id.n);
	bt_example_add_text(w, "question", q->question.p, q->question.n);
	if (q->title.p != NULL)
		bt_example_add_text(w, "title", q->title.p, q->title.n);
	payload = bt_example_finish(w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "reading a question");
	return bt_tfrecord_write(to->out, payload.p, payload.n, err);
}

int bt_squad_convert(char *const *paths, int n,
                     const struct bt_squad_opts *opts, struct bt_out *out,
                     const struct bt_log *log, struct bt_squad_stats *stats,
                     struct bt_error *err)
{
	struct writer w = {.out = out};
	struct bt_squad_opts o = *opts;
	int r;

	o.idle = bt_out_hand_on;
	o.idle_ctx = out;
	r = bt_squad_read(paths, n, &o, write_record, &w, log, stats, err);
	bt_example_clear(&w.w);
	return r;
}
