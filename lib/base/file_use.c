/* SPDX-License-Identifier: MIT */
#include "base/file_use.h"

#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

struct use {
	dev_t dev;
	ino_t ino;         /* of the directory where there is a name */
	char *name;        /* of a file that is not there yet; or NULL */
	char *path;        /* of an output; or NULL */
	const void *owner; /* NULL: it is read */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct use *uses;
static size_t n_uses, cap;
static bool watched;
static const char finished; /* owns what this process has written */
static _Thread_local bool ignored;

static bool same(const struct use *a, const struct use *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       (a->name == NULL
	            ? b->name == NULL
	            : b->name != NULL && strcmp(a->name, b->name) == 0);
}

static void clear(struct use *u)
{
	free(u->name);
	free(u->path);
}

/* Two readers do not disturb each other, and what this process has written it
 * may read and write again. */
static int add(struct use *u, const char *name, struct bt_error *err)
{
	const struct use *other = NULL;
	int r = BT_OK;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n_uses && other == NULL; i++)
		if ((u->owner != NULL || uses[i].owner != NULL) &&
		    same(u, &uses[i]))
			other = &uses[i];
	if (other != NULL && other->owner == &finished && u->owner == NULL)
		clear(u);
	else if (other != NULL && other->owner != &finished)
		r = bt_error_set(err, BT_EARG,
		                 u->owner != NULL && other->owner != NULL
		                     ? "%s is the same file as another output"
		                     : "%s is both input and output, and would "
		                       "be lost",
		                 name);
	else if (bt_grow(&uses, &cap, n_uses + 1, sizeof(*uses)) != BT_OK)
		r = bt_error_nomem(err, "opening a file");
	else
		uses[n_uses++] = *u;
	pthread_mutex_unlock(&lock);
	if (r != BT_OK)
		clear(u);
	return r;
}

int bt_file_use_read(int fd, const char *name, struct bt_error *err)
{
	struct use u = {0};
	struct stat st;

	if (!watched || ignored || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return BT_OK;
	u.dev = st.st_dev;
	u.ino = st.st_ino;
	return add(&u, name, err);
}

int bt_file_use_write(const void *owner, const char *path, const char *name,
                      struct bt_error *err)
{
	struct use u = {.owner = owner};
	struct stat st;
	char *copy;

	if (!watched)
		return BT_OK;
	u.path = bt_strndup(path, strlen(path));
	if (stat(path, &st) != 0) {
		copy = bt_strndup(path, strlen(path));
		u.name = bt_strndup(basename(copy), strlen(basename(copy)));
		if (stat(dirname(copy), &st) != 0) {
			clear(&u);
			free(copy);
			return BT_OK; /* it cannot be created either */
		}
		free(copy);
	}
	u.dev = st.st_dev;
	u.ino = st.st_ino;
	return add(&u, name, err);
}

void bt_file_use_written(const void *owner)
{
	struct stat st;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n_uses && uses[i].owner != owner; i++)
		;
	if (i < n_uses) {
		bool new = uses[i].name != NULL;
		bool there = stat(uses[i].path, &st) == 0;

		clear(&uses[i]);
		if (there && (new || st.st_ino != uses[i].ino))
			uses[i] = (struct use){.dev = st.st_dev,
			                       .ino = st.st_ino,
			                       .owner = &finished};
		else
			uses[i] = uses[--n_uses];
	}
	pthread_mutex_unlock(&lock);
}

void bt_file_use_forget(const char *path)
{
	struct stat st;
	size_t i;

	if (lstat(path, &st) != 0)
		return;
	pthread_mutex_lock(&lock);
	for (i = n_uses; i-- > 0;)
		if (uses[i].name == NULL && uses[i].dev == st.st_dev &&
		    uses[i].ino == st.st_ino) {
			clear(&uses[i]);
			uses[i] = uses[--n_uses];
		}
	pthread_mutex_unlock(&lock);
}

void bt_file_use_own(bool own)
{
	ignored = own;
}

void bt_file_use_watch(void)
{
	watched = true;
}
