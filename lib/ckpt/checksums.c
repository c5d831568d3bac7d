/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tensor/stats.h"

struct job {
	const struct bt_tensor *const *t;
	bool *bad;
};

static void work(void *arg, int piece, int worker)
{
	struct job *job = arg;

	(void)worker;
	job->bad[piece] = bt_tensor_verify(job->t[piece], NULL) != BT_OK;
}

int bt_checksums_verify(const struct bt_tensor *const *t, size_t n,
                        struct bt_pool *pool, struct bt_error *err)
{
	struct job job = {t, bt_array0(n, sizeof(*job.bad))};
	int r = BT_OK;
	size_t i;

	if (job.bad == NULL || n > INT_MAX) {
		free(job.bad);
		return bt_error_nomem(err, "reading a checkpoint");
	}
	bt_pool_run(pool, work, &job, (int)n);
	for (i = 0; i < n && r == BT_OK; i++)
		if (job.bad[i])
			r = bt_tensor_verify(t[i], err);
	free(job.bad);
	return r;
}
