/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#include "hub/digest_int.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define BLOCK ((size_t)1 << 18)

struct bt_digest {
	EVP_MD_CTX *md;
	const char *wanted;
	bool bad; /* the library refused */
};

struct bt_digest *bt_digest_new(const char *hash, uint64_t size)
{
	struct bt_digest *d = bt_array0(1, sizeof(*d));
	bool git = strlen(hash) == 40;
	char start[40];

	d->wanted = hash;
	d->md = EVP_MD_CTX_new();
	d->bad = d->md == NULL ||
	         EVP_DigestInit_ex(d->md, git ? EVP_sha1() : EVP_sha256(),
	                           NULL) != 1;
	if (git) {
		snprintf(start, sizeof(start), "blob %llu",
		         (unsigned long long)size);
		bt_digest_add(d, start, strlen(start) + 1);
	}
	return d;
}

void bt_digest_free(struct bt_digest *d)
{
	if (d == NULL)
		return;
	EVP_MD_CTX_free(d->md);
	free(d);
}

void bt_digest_add(struct bt_digest *d, const void *data, size_t n)
{
	if (!d->bad && EVP_DigestUpdate(d->md, data, n) != 1)
		d->bad = true;
}

bool bt_digest_agrees(struct bt_digest *d, char got[65])
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0, i;

	got[0] = '\0';
	if (d->bad || EVP_DigestFinal_ex(d->md, sum, &n) != 1 || n > 32)
		return false;
	for (i = 0; i < n; i++)
		snprintf(got + (size_t)2 * i, 3, "%02x", sum[i]);
	return strcmp(got, d->wanted) == 0;
}

int bt_digest_add_file(struct bt_digest *d, int fd, uint64_t n,
                       const char *name, struct bt_error *err)
{
	uint8_t *block = bt_array(BLOCK, 1);
	uint64_t at = 0;
	ssize_t got = 0;

	while (at < n) {
		got =
		    pread(fd, block, n - at < BLOCK ? (size_t)(n - at) : BLOCK,
		          (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		bt_digest_add(d, block, (size_t)got);
		at += (uint64_t)got;
	}
	free(block);
	if (got < 0)
		return bt_error_sys(err, errno, "cannot read '%s'", name);
	return at == n ? BT_OK
	               : bt_error_set(err, BT_ETRUNCATED, "'%s' became shorter",
	                              name);
}

#else
typedef int bt_no_digest; /* an empty file is not C */
#endif
