/* SPDX-License-Identifier: MIT */
#include "train/whole_update.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool bt_whole_update_is(const struct bt_graph *g, enum bt_embedding_loss loss,
                        int parts)
{
	return parts > 1 && bt_op_compares_all(g, loss);
}

size_t bt_whole_update_bytes(const struct bt_engine *e, size_t width,
                             size_t texts)
{
	return 2 * texts * width * sizeof(float) +
	       bt_engine_compare_bytes(e, texts);
}

int bt_whole_update_init(struct bt_whole_update *u, const struct bt_engine *e,
                         size_t width, const struct bt_batches *b,
                         struct bt_error *err)
{
	size_t texts = bt_batches_update_texts(b), cells;
	int r = bt_gather_init(&u->gather, texts, bt_batches_update_tokens(b),
	                       b->d->width, err);

	if (r != BT_OK)
		return r;
	u->width = width;
	if (bt_size_mul(texts, width, &cells)) {
		u->x = bt_array(cells, sizeof(*u->x));
		u->grads = bt_array(cells, sizeof(*u->grads));
		u->work = bt_array(bt_engine_compare_bytes(e, texts), 1);
	}
	if (u->x != NULL && u->grads != NULL && u->work != NULL)
		return BT_OK;
	bt_whole_update_clear(u);
	return bt_error_nomem(err, "keeping the embeddings of an update");
}

void bt_whole_update_clear(struct bt_whole_update *u)
{
	bt_gather_clear(&u->gather);
	free(u->x);
	free(u->grads);
	free(u->work);
	memset(u, 0, sizeof(*u));
}

double bt_whole_update_loss(struct bt_whole_update *u, struct bt_engine *e,
                            const struct bt_dataset *d, const uint32_t *order,
                            size_t n, const struct bt_batch *like)
{
	struct bt_batch *b = &u->gather.b;

	bt_gather_fill(&u->gather, d, order, 0, n);
	b->loss_scale = like->loss_scale;
	b->embedding_loss = like->embedding_loss;
	b->matryoshka = like->matryoshka;
	return bt_engine_compare(e, b, u->x, u->work, u->grads);
}
