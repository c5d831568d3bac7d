/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#include "hub/client_url_int.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <string.h>
#include <strings.h>

static bool is_this_machine(const char *host)
{
	struct in_addr v4;

	if (strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
		return true;
	return inet_pton(AF_INET, host, &v4) == 1 &&
	       ntohl(v4.s_addr) >> 24 == 127;
}

int bt_hub_host_read(const char *url, bool local, const char *what,
                     struct bt_hub_host *h, struct bt_error *err)
{
	CURLU *u = curl_url();
	bool ok;

	memset(h, 0, sizeof(*h));
	if (u == NULL)
		return bt_error_nomem(err, "reading an address");
	ok = curl_url_set(u, CURLUPART_URL, url,
	                  CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME) ==
	         CURLUE_OK &&
	     curl_url_get(u, CURLUPART_SCHEME, &h->scheme, 0) == CURLUE_OK &&
	     curl_url_get(u, CURLUPART_HOST, &h->host, 0) == CURLUE_OK;
	if (ok && curl_url_get(u, CURLUPART_PORT, &h->port,
	                       CURLU_DEFAULT_PORT) != CURLUE_OK)
		h->port = NULL;
	curl_url_cleanup(u);
	if (!ok)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s is not an address such as "
		                    "https://HOST",
		                    what);
	h->local =
	    strcasecmp(h->scheme, "http") == 0 && is_this_machine(h->host);
	if (strcasecmp(h->scheme, "https") == 0 || (local && h->local))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "%s is %.20s://%.200s; only https is spoken, and "
	                    "http with this machine",
	                    what, h->scheme, h->host);
}

void bt_hub_host_clear(struct bt_hub_host *h)
{
	curl_free(h->scheme);
	curl_free(h->host);
	curl_free(h->port);
	memset(h, 0, sizeof(*h));
}

bool bt_hub_host_same(const struct bt_hub_host *a, const struct bt_hub_host *b)
{
	return strcasecmp(a->scheme, b->scheme) == 0 &&
	       strcasecmp(a->host, b->host) == 0 && a->port != NULL &&
	       b->port != NULL && strcmp(a->port, b->port) == 0;
}

#else
typedef int bt_no_client_url; /* an empty file is not C */
#endif
