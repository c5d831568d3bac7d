/* SPDX-License-Identifier: MIT */
#include "base/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

void bt_command_clear(struct bt_command *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		free(c->word[i]);
	free(c->word);
	*c = (struct bt_command){0};
}

static int no_memory(struct bt_error *err)
{
	return bt_error_nomem(err, "making a command line");
}

int bt_command_copy(struct bt_command *c, const struct bt_tool *tool, int argc,
                    char **argv, const char *without, struct bt_error *err)
{
	const struct bt_opt **row = bt_array((size_t)argc + 1, sizeof(*row));
	int i;

	c->word = bt_array0((size_t)argc + 1, sizeof(*c->word));
	if (row == NULL || c->word == NULL) {
		free(row);
		return no_memory(err);
	}
	bt_opt_rows(tool, argc, argv, row);
	for (i = 0; i < argc; i++)
		if (row[i] == NULL || !bt_str_in_list(without, row[i]->name))
			c->word[c->n++] = bt_strndup(argv[i], strlen(argv[i]));
	free(row);
	return BT_OK;
}

int bt_command_set(struct bt_command *c, const struct bt_tool *tool,
                   const char *name, const char *value, struct bt_error *err)
{
	const struct bt_opt **row = bt_array((size_t)c->n + 1, sizeof(*row));
	char **word = bt_array0((size_t)c->n + 3, sizeof(*word));
	struct bt_buf b = BT_BUF_INIT;
	int i, n = 0, at = 1;

	bt_buf_printf(&b, "--%s", name);
	if (row == NULL || word == NULL || bt_buf_str(&b) == NULL) {
		free(row);
		free(word);
		return no_memory(err);
	}
	bt_opt_rows(tool, c->n, c->word, row);
	for (i = 0; i < c->n; i++) {
		if (row[i] != NULL && strcmp(row[i]->name, name) == 0) {
			free(c->word[i]);
			continue;
		}
		word[n++] = c->word[i];
		if (row[i] != NULL)
			at = n;
	}
	memmove(word + at + 2, word + at, (size_t)(n - at) * sizeof(*word));
	word[at] = bt_strndup(b.data, b.len);
	word[at + 1] = bt_strndup(value, strlen(value));
	free(c->word);
	c->word = word;
	c->n = n + 2;
	bt_buf_clear(&b);
	free(row);
	return BT_OK;
}
