/* SPDX-License-Identifier: MIT */
/* The directories of trials. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/str.h"
#include "format/model_files.h"
#include "io/path.h"
#include "train/card.h"
#include "tune/search_int.h"

#define PREFIX "trial-"
#define CARD "README.md"

char *bt_tune_trial_dir(const struct bt_tune_search *x, size_t i)
{
	char name[40];

	snprintf(name, sizeof(name), PREFIX "%zu", i + 1);
	return bt_path_join(x->dir, name);
}

static int drop_one(const char *path, const struct stat *st, int type,
                    struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	bt_file_use_forget(path);
	(void)remove(path);
	return 0;
}

static void drop_tree(const char *path)
{
	(void)nftw(path, drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

void bt_tune_drop(const struct bt_tune_search *x, size_t i)
{
	char *dir = bt_tune_trial_dir(x, i);

	drop_tree(dir);
	free(dir);
}

void bt_tune_drop_all(const struct bt_tune_search *x)
{
	DIR *d = opendir(x->dir);
	struct dirent *e;
	const char *number;
	char *path;

	while (d != NULL && (e = readdir(d)) != NULL) {
		number = e->d_name + strlen(PREFIX);
		if (!bt_str_starts(e->d_name, PREFIX) || *number == '\0' ||
		    strspn(number, "0123456789") != strlen(number))
			continue;
		path = bt_path_join(x->dir, e->d_name);
		drop_tree(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
}

/* Puts one file or folder of a model in the place of one that stood there, but
 * not of a card that was written by somebody else. */
static int promote_one(const struct bt_tune_search *x, const char *from,
                       const char *name, struct bt_error *err)
{
	char *old = bt_path_join(from, name), *new = bt_path_join(x->dir, name);
	int r = BT_OK;

	if (strcmp(name, CARD) == 0 && bt_path_there(new) &&
	    !bt_card_is_own(new)) {
		bt_card_warn_kept(x->o->log, new);
		(void)unlink(old);
	} else {
		if (bt_path_is_dir(new))
			drop_tree(new);
		if (rename(old, new) != 0)
			r = bt_error_sys(err, errno, "cannot create '%s'", new);
	}
	free(old);
	free(new);
	return r;
}

int bt_tune_promote(const struct bt_tune_search *x, size_t i,
                    struct bt_error *err)
{
	char *from = bt_tune_trial_dir(x, i);
	char *config = bt_path_join(from, BT_FILE_CONFIG);
	DIR *d = opendir(from);
	const struct dirent *e;
	int r = BT_OK;

	/* without it: a search that was killed here had done this */
	if (d == NULL && errno != ENOENT)
		r = bt_error_sys(err, errno, "cannot open '%s'", from);
	/* the first file to be moved: behind it some of the model is there */
	if (d != NULL && bt_path_there(config)) {
		bt_train_remove(x->dir);
		r = promote_one(x, from, BT_FILE_CONFIG, err);
	}
	free(config);
	while (d != NULL && r == BT_OK &&
	       !(r = bt_path_entry(d, from, &e, err)) && e != NULL)
		if (!bt_str_in_list(".|..", e->d_name))
			r = promote_one(x, from, e->d_name, err);
	if (d != NULL)
		closedir(d);
	if (r == BT_OK)
		drop_tree(from);
	free(from);
	return r;
}
