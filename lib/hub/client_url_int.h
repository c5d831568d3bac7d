/* SPDX-License-Identifier: MIT */
/* Which addresses a client connects to, and who gets the token. */
#ifndef BT_HUB_CLIENT_URL_INT_H
#define BT_HUB_CLIENT_URL_INT_H

#include <stdbool.h>

#include "base/err.h"

/* The parts of an address that decide that. */
struct bt_hub_host {
	char *scheme, *host, *port;
	bool local; /* http, and an address of this machine */
};

/*
 * Reads an address. It must be of https, or of http on this machine; where
 * https is demanded (local false), only the former. what is for messages, which
 * show no more of it than scheme and host: the rest may be secret. The caller
 * clears h, whatever is returned.
 */
int bt_hub_host_read(const char *url, bool local, const char *what,
                     struct bt_hub_host *h, struct bt_error *err) BT_MUST_USE;
void bt_hub_host_clear(struct bt_hub_host *h);
bool bt_hub_host_same(const struct bt_hub_host *a, const struct bt_hub_host *b);

#endif
