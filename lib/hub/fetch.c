/* SPDX-License-Identifier: MIT */
#include "hub/fetch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void bt_hub_fetched_clear(struct bt_hub_fetched *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		free(f->file[i].name);
	free(f->file);
	free(f->dir);
	free(f->base);
	memset(f, 0, sizeof(*f));
}

#ifdef BT_HAVE_CURL

#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "base/string_set.h"
#include "base/sys.h"
#include "format/hub_cache.h"
#include "hub/blob_int.h"
#include "hub/client_int.h"
#include "hub/listing.h"
#include "hub/place_int.h"
#include "hub/select.h"
#include "io/path.h"
#include "io/url.h"

#define MAX_LISTING ((size_t)64 << 20)

/* A run. */
struct fetch {
	const struct bt_hub_job *job;
	struct bt_hub_fetched *res;
	struct bt_hub_client *client;
	struct bt_hub_listing listing;
	struct bt_hub_selection chosen;
	struct bt_hub_place place;
	struct bt_hub_blob *blob; /* [n_blobs] those that are not here */
	size_t n_blobs;
	struct bt_string_set *coming; /* where these will be */
	double begun;
};

static char *file_url(const struct fetch *f, const struct bt_hub_file *file)
{
	char *with_slash, *url;

	with_slash = bt_path_join("/", file->name);
	url = bt_hub_client_url(f->client, f->job->dataset ? "/datasets/" : "/",
	                        f->job->name, "/resolve/", f->listing.commit,
	                        with_slash);
	free(with_slash);
	return url;
}

static int read_listing(struct fetch *f, struct bt_error *err)
{
	const struct bt_hub_job *job = f->job;
	const char *revision =
	    job->revision != NULL ? job->revision : BT_HUB_MAIN;
	char *text = NULL, *url;
	size_t len = 0;
	int r;

	url = bt_hub_client_url(
	    f->client, job->dataset ? "/api/datasets/" : "/api/models/",
	    job->name, "/revision/", revision, "?blobs=true");
	r = bt_hub_client_text(f->client, url, job->name, MAX_LISTING, &text,
	                       &len, err);
	free(url);
	if (r != BT_OK)
		return r;
	r = bt_hub_listing_read(text, len, &f->listing, err);
	free(text);
	return r == BT_OK ? r
	                  : bt_error_prefix(err, "'%s': what the hub tells",
	                                    job->name);
}

/* The text of a file that says which others there are. */
static int read_text(void *ctx, struct bt_hub_file *file, char **text,
                     size_t *len, struct bt_error *err)
{
	struct fetch *f = ctx;
	char *url = file_url(f, file);
	int r = bt_hub_client_text(f->client, url, file->name, MAX_LISTING,
	                           text, len, err);

	free(url);
	return r;
}

/* What the listing does not tell of files, their headers must. */
static int ask_for_tags(struct fetch *f, struct bt_hub_file *file,
                        struct bt_error *err)
{
	struct bt_hub_tags t = {"", "", "", ""};
	char *url = file_url(f, file);
	struct bt_hub_request q = {url, file->name, NULL, NULL, &t};
	const char *size;
	int r = bt_hub_client_run(f->client, &q, 1, NULL, NULL, err);

	free(url);
	if (r != BT_OK)
		return r;
	size = t.linked_size[0] != '\0' ? t.linked_size : t.length;
	if (bt_parse_u64(size, &file->size) != BT_OK ||
	    !bt_hub_hash_take(t.linked_etag[0] != '\0' ? t.linked_etag : t.etag,
	                      file->hash))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s': the hub tells no size or no hash of "
		                    "it",
		                    file->name);
	file->sized = true;
	return BT_OK;
}

static int choose(struct fetch *f, struct bt_error *err)
{
	const struct bt_hub_job *job = f->job;
	size_t i;
	int r = job->dataset
	            ? bt_hub_select_data(&f->listing, job->patterns,
	                                 job->n_patterns, &f->chosen, err)
	            : bt_hub_select(&f->listing, read_text, f, &f->chosen, err);

	if (r != BT_OK)
		return bt_error_prefix(err, "'%s'", job->name);
	for (i = 0; i < f->chosen.n && r == BT_OK; i++)
		if (!f->chosen.file[i]->sized ||
		    f->chosen.file[i]->hash[0] == '\0')
			r = ask_for_tags(f, f->chosen.file[i], err);
	if (r == BT_OK && !job->dataset && !f->chosen.weights)
		bt_log_warn(job->log, "no-weights", BT_HINT_NONE,
		            "'%s' has no weights in a format that is read here",
		            job->name);
	return r;
}

/* What the caller learns of the files. */
static int report(struct fetch *f, struct bt_error *err)
{
	struct bt_hub_fetched *res = f->res;
	const struct bt_hub_file *file;
	size_t i;

	if (f->chosen.base != NULL)
		res->base = bt_strndup(f->chosen.base, strlen(f->chosen.base));
	memcpy(res->commit, f->listing.commit, sizeof(res->commit));
	res->file = bt_array0(f->chosen.n, sizeof(*res->file));
	if (res->file == NULL)
		return bt_error_nomem(err, "choosing files");
	for (i = 0; i < f->chosen.n; i++) {
		file = f->chosen.file[i];
		res->file[i].name = bt_strndup(file->name, strlen(file->name));
		res->file[i].size = file->size;
		res->bytes += file->size;
		res->n++;
	}
	return BT_OK;
}

/* Finds out which files are not here yet. */
static int look(struct fetch *f, struct bt_error *err)
{
	struct bt_hub_blob *b;
	size_t i, k;
	int r = BT_OK;

	f->coming = bt_string_set_new();
	f->blob = bt_array0(f->chosen.n, sizeof(*f->blob));
	if (f->blob == NULL)
		return bt_error_nomem(err, "choosing files");
	for (i = 0; i < f->chosen.n && r == BT_OK; i++) {
		b = &f->blob[f->n_blobs];
		bt_hub_blob_init(b, f->chosen.file[i]);
		r = bt_hub_place_blob(&f->place, b, err);
		if (r == BT_OK)
			r = bt_hub_blob_look(b, err);
		f->res->there += b->there;
		/* files of the same bytes are one in the cache */
		k = f->n_blobs;
		if (r == BT_OK && !b->there &&
		    bt_string_set_add(f->coming, bt_span(b->path), &k) != BT_OK)
			r = bt_error_nomem(err, "choosing files");
		if (r == BT_OK && !b->there && k == f->n_blobs) {
			b->url = file_url(f, b->file);
			f->n_blobs++;
		} else {
			bt_hub_blob_clear(b);
		}
	}
	return r;
}

/* What an earlier run left of a file has its room already. */
static int check_room(const struct fetch *f, struct bt_error *err)
{
	uint64_t need = 0, room, left;
	struct stat st;
	size_t i;

	for (i = 0; i < f->n_blobs; i++) {
		left = stat(f->blob[i].partial, &st) == 0 ? (uint64_t)st.st_size
		                                          : 0;
		if (left < f->blob[i].file->size)
			need += f->blob[i].file->size - left;
	}
	if (f->n_blobs == 0)
		return BT_OK;
	room = bt_free_space(f->place.folder != NULL ? f->place.folder
	                                             : f->place.dir);
	if (need <= room)
		return BT_OK;
	return bt_error_set(err, BT_EIO,
	                    "%.1f MB are to come, and '%s' has room for %.1f "
	                    "MB",
	                    (double)need / 1e6,
	                    f->place.folder != NULL ? f->place.folder
	                                            : f->place.dir,
	                    (double)room / 1e6);
}

/* Shows how far it is. */
static void tick(void *ctx)
{
	struct fetch *f = ctx;
	struct bt_progress *p = f->job->progress;
	double rate, seconds = bt_seconds() - f->begun;
	uint64_t all = 0, have = 0, came = 0;
	char left[32] = "";
	size_t i;

	if (p == NULL || !bt_progress_due(p))
		return;
	for (i = 0; i < f->n_blobs; i++) {
		all += f->blob[i].file->size;
		have += f->blob[i].have;
		came += f->blob[i].came;
	}
	rate = seconds > 0 ? (double)came / seconds : 0;
	if (rate > 0)
		snprintf(left, sizeof(left), ", %.0f s left",
		         (double)(all - have) / rate);
	bt_progress_show(p, "%.1f of %.1f MB, %.1f MB/s%s", (double)have / 1e6,
	                 (double)all / 1e6, rate / 1e6, left);
}

static int download(struct fetch *f, struct bt_error *err)
{
	struct bt_hub_request *q = bt_array0(f->n_blobs, sizeof(*q));
	size_t i;
	int r;

	if (q == NULL)
		return bt_error_nomem(err, "choosing files");
	for (i = 0; i < f->n_blobs; i++)
		q[i] = (struct bt_hub_request){
		    f->blob[i].url, f->blob[i].file->name,
		    &bt_hub_blob_receiver, &f->blob[i], NULL};
	f->begun = bt_seconds();
	r = bt_hub_client_run(f->client, q, f->n_blobs, tick, f, err);
	free(q);
	if (f->job->progress != NULL)
		bt_progress_clear(f->job->progress);
	f->res->seconds = bt_seconds() - f->begun;
	for (i = 0; i < f->n_blobs; i++)
		f->res->fetched += f->blob[i].came;
	return r;
}

/* The name of the revision stands for the commit only when all is there. */
static int finish(struct fetch *f, struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	for (i = 0; i < f->chosen.n && r == BT_OK; i++)
		r = bt_hub_place_link(&f->place, f->chosen.file[i], err);
	if (r == BT_OK)
		r = bt_hub_place_refer(&f->place, f->listing.commit, err);
	if (r == BT_OK)
		f->res->dir = bt_strndup(f->place.dir, strlen(f->place.dir));
	return r;
}

static int run(struct fetch *f, struct bt_error *err)
{
	int r = bt_hub_client_new(f->job, &f->client, err);

	if (r == BT_OK)
		r = read_listing(f, err);
	if (r == BT_OK)
		r = choose(f, err);
	if (r == BT_OK)
		r = report(f, err);
	if (r != BT_OK || f->job->list)
		return r;
	r = bt_hub_place_init(&f->place, f->job, f->listing.commit, err);
	if (r == BT_OK)
		r = look(f, err);
	if (r == BT_OK)
		r = check_room(f, err);
	if (r == BT_OK)
		r = download(f, err);
	return r == BT_OK ? finish(f, err) : r;
}

int bt_hub_fetch(const struct bt_hub_job *job, struct bt_hub_fetched *res,
                 struct bt_error *err)
{
	struct fetch f = {.job = job, .res = res};
	size_t i;
	int r;

	memset(res, 0, sizeof(*res));
	if (!bt_hub_is_name(job->name))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is not the name of a %s, such as "
		                    "NAME or ORGANIZATION/NAME",
		                    job->name,
		                    job->dataset ? "data set" : "model");
	if (job->revision != NULL && !bt_hub_is_revision(job->revision))
		return bt_error_set(err, BT_EARG,
		                    "'%s' is not the name of a revision",
		                    job->revision);
	if (bt_url_refuse(job->dir, BT_URL_DIR_OUT, err) != BT_OK)
		return BT_EREMOTE;
	r = run(&f, err);
	for (i = 0; i < f.n_blobs; i++)
		bt_hub_blob_clear(&f.blob[i]);
	free(f.blob);
	bt_string_set_free(f.coming);
	bt_hub_place_clear(&f.place);
	bt_hub_selection_clear(&f.chosen);
	bt_hub_listing_clear(&f.listing);
	bt_hub_client_free(f.client);
	return r;
}

#else

int bt_hub_fetch(const struct bt_hub_job *job, struct bt_hub_fetched *f,
                 struct bt_error *err)
{
	(void)job;
	memset(f, 0, sizeof(*f));
	return bt_error_hint(err, BT_HINT_HUB_BUILD,
	                     bt_error_set(err, BT_EARG,
	                                  "this program was built without "
	                                  "libcurl"));
}

#endif
