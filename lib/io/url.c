/* SPDX-License-Identifier: MIT */
#include "io/url.h"

#include <stddef.h>
#include <string.h>

#define SCHEMES 5

/* What brings a file here, or takes it there; the path stands in place of P. */
static const struct {
	const char *scheme;
	const char *command[BT_URL_USES];
} schemes[SCHEMES] = {
    {"gs://",
     {"gcloud storage cat P | ...", "... | gcloud storage cp - P",
      "gcloud storage cp -r P .", "gcloud storage cp -r DIR P"}},
    {"s3://",
     {"aws s3 cp P - | ...", "... | aws s3 cp - P",
      "aws s3 cp --recursive P DIR", "aws s3 cp --recursive DIR P"}},
    {"hdfs://",
     {"hdfs dfs -cat P | ...", "... | hdfs dfs -put - P", "hdfs dfs -get P DIR",
      "hdfs dfs -put DIR P"}},
    {"http://",
     {"curl -fsSL P | ...", "... | curl -fsS -T - P", "curl -fsSLO P/FILE",
      "curl -fsS -T FILE P/"}},
    {"https://",
     {"curl -fsSL P | ...", "... | curl -fsS -T - P", "curl -fsSLO P/FILE",
      "curl -fsS -T FILE P/"}},
};

static const struct {
	const char *verb, *advice;
} uses[BT_URL_USES] = {
    [BT_URL_IN] = {"read", "remote files come through a pipe"},
    [BT_URL_OUT] = {"write", "remote files are written through a pipe"},
    [BT_URL_DIR] = {"open", "it is remote; copy it here first"},
    [BT_URL_DIR_OUT] = {"write", "it is remote; write to a directory here "
                                 "and copy that"},
};

int bt_url_refuse(const char *path, enum bt_url_use use, struct bt_error *err)
{
	const char *command, *p;
	size_t i, n;

	for (i = 0; path != NULL && i < SCHEMES; i++) {
		n = strlen(schemes[i].scheme);
		if (strncmp(path, schemes[i].scheme, n) == 0)
			break;
	}
	if (path == NULL || i == SCHEMES)
		return BT_OK;
	command = schemes[i].command[use];
	p = strchr(command, 'P'); /* the other words in capitals have none */
	return bt_error_set(err, BT_EREMOTE, "cannot %s '%s': %s: %.*s'%s'%s",
	                    uses[use].verb, path, uses[use].advice,
	                    (int)(p - command), command, path, p + 1);
}
