/* SPDX-License-Identifier: MIT */
/*
 * Requests to a hub, several at a time in one thread (libcurl). The servers'
 * certificates are checked; nothing but https is spoken, except http with
 * addresses of this machine. Redirections are followed here, so that the token
 * goes to the hub and to no other host. What may pass (429, 5xx, a connection
 * that breaks or stands still) is tried again, from where it stopped if the
 * receiver of the bytes can go on there.
 */
#ifndef BT_HUB_CLIENT_INT_H
#define BT_HUB_CLIENT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hub/fetch.h"

struct bt_hub_client;

/* Checks the endpoint and the token. job is borrowed. */
int bt_hub_client_new(const struct bt_hub_job *job, struct bt_hub_client **c,
                      struct bt_error *err) BT_MUST_USE;
void bt_hub_client_free(struct bt_hub_client *c); /* takes NULL */

/* "ENDPOINT/a/b/c", its parts escaped ('/' stays a '/' in parts but the
 * revision, where it is escaped); to be freed. */
char *bt_hub_client_url(const struct bt_hub_client *c, const char *before,
                        const char *name, const char *between,
                        const char *revision, const char *file) BT_MUST_USE;

/* What a receiver says before an attempt. */
enum bt_hub_ready {
	BT_HUB_GO,    /* it wants the bytes from *from on */
	BT_HUB_LATER, /* another process is at it: ask again soon */
	BT_HUB_DONE   /* it has all */
};

/* Who takes the bytes. Functions that return int return 0 or an error, which
 * ends everything. */
struct bt_hub_receiver {
	int (*ready)(void *ctx, enum bt_hub_ready *what, uint64_t *from,
	             struct bt_error *err);
	/* The next bytes are those from `from` on: what was asked for, or 0 */
	int (*start)(void *ctx, uint64_t from, struct bt_error *err);
	int (*take)(void *ctx, const void *data, size_t n,
	            struct bt_error *err);
	/* The answer was complete; *again: it did not do, try once more */
	int (*end)(void *ctx, bool *again, struct bt_error *err);
};

/* What a hub tells of a file in its headers; "" where it does not. */
struct bt_hub_tags {
	char etag[80], linked_etag[80], length[24], linked_size[24];
};

struct bt_hub_request {
	const char *url;  /* of the hub */
	const char *what; /* for messages: "model.safetensors" */
	const struct bt_hub_receiver *to;
	void *ctx;
	struct bt_hub_tags *tags; /* or NULL: for the headers of the hub, and
	                           * the bytes are not asked for */
};

/* Runs all of them; tick is called about ten times a second. The first error
 * ends all. */
int bt_hub_client_run(struct bt_hub_client *c,
                      const struct bt_hub_request *requests, size_t n,
                      void (*tick)(void *ctx), void *tick_ctx,
                      struct bt_error *err) BT_MUST_USE;

/* The whole of a small answer, at most limit bytes; *text gets a NUL behind it
 * and is freed by the caller. */
int bt_hub_client_text(struct bt_hub_client *c, const char *url,
                       const char *what, size_t limit, char **text, size_t *len,
                       struct bt_error *err) BT_MUST_USE;

#endif
