/* SPDX-License-Identifier: MIT */
/*
 * Fetches a model or a data set from a hub that speaks as huggingface.co does:
 * the files that the tools read, several at a time, each resumed where an
 * earlier run stopped and checked by its size and hash before it appears under
 * its name. By default they go into Hugging Face's cache (format/hub_cache.h),
 * under the locks that its own programs take.
 *
 * One thread at a time in a process.
 */
#ifndef BT_HUB_FETCH_H
#define BT_HUB_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"

#define BT_HUB_ENDPOINT "https://huggingface.co"

struct bt_hub_job {
	const char *name;
	bool dataset;                /* not a model */
	const char *const *patterns; /* [n_patterns] of a data set, the files
	                              * whose names fnmatch() one of them; none:
	                              * all tables */
	size_t n_patterns;
	const char *revision; /* NULL: the main one */
	const char *endpoint; /* NULL: BT_HUB_ENDPOINT */
	const char *token;    /* or NULL */
	const char *dir;      /* to write plain files to; NULL: the cache */
	bool force;           /* other files there may be replaced */
	bool list;            /* only say what there is */
	int retries;          /* of a request, without a byte between them */
	int timeout;          /* seconds without a byte */
	const struct bt_log *log;
	struct bt_progress *progress;
	bool (*stopped)(void); /* or NULL: whether to give up */
};

struct bt_hub_entry {
	char *name;
	uint64_t size;
};

struct bt_hub_fetched {
	char commit[41];
	char *dir;  /* that has the files; NULL for a list */
	char *base; /* if it is an adapter: the model that it says it changes;
	             * or NULL */
	struct bt_hub_entry *file;
	size_t n;
	size_t there;            /* of them were here before */
	uint64_t bytes, fetched; /* of all; that came now */
	double seconds;
};

/* BT_EARG for what the job asks wrongly; BT_ECANCEL when stopped. The caller
 * clears f, whatever is returned. */
int bt_hub_fetch(const struct bt_hub_job *job, struct bt_hub_fetched *f,
                 struct bt_error *err) BT_MUST_USE;
void bt_hub_fetched_clear(struct bt_hub_fetched *f);

#endif
