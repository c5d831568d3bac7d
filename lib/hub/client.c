/* SPDX-License-Identifier: MIT */
#ifdef BT_HAVE_CURL
#include "hub/client_int.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/sys.h"
#include "hub/client_url_int.h"

#define PARALLEL 4         /* requests at a time */
#define HOPS 8             /* redirections of one request */
#define WAIT_FIRST 0.5     /* seconds before the second attempt; then twice */
#define WAIT_MOST 30.0     /* that long, up to this */
#define WAIT_ASKED 300     /* as a server may ask for */
#define LOOK_AGAIN 0.2     /* at what another process fetches */
#define CONNECT_SECONDS 30 /* at most, if the timeout is not less */
#define TALK ((size_t)1 << 16) /* bytes of an answer that says no */

struct bt_hub_client {
	const struct bt_hub_job *job;
	struct bt_hub_host hub;
	char *endpoint; /* without a slash at its end */
	struct curl_slist *with_token, *without;
	CURLM *multi;
};

enum state { IDLE, RUNS, OVER };

/* A request in all its attempts. */
struct call {
	const struct bt_hub_request *q;
	struct bt_hub_client *c;
	CURL *easy;
	enum state state;
	char *url;           /* of this attempt: the hub's or a redirection */
	int hops, attempts;  /* redirections; failures without a byte between */
	double not_before;   /* the next attempt */
	uint64_t from;       /* asked for */
	uint64_t came, most; /* bytes there are now; were at most */
	bool started;        /* bytes of this answer were taken */
	bool waits;          /* for another process */
	size_t talk;         /* bytes of an answer that says no */
	char code[64], message[200]; /* what the hub says of a refusal */
	uint64_t range;              /* where the answer says that it begins */
	struct bt_error err;         /* of the receiver, in an attempt */
};

/* The value of a header if it has that name; its end is cut. */
static bool header(const char *line, size_t n, const char *name, char *value,
                   size_t size)
{
	size_t k = strlen(name);

	if (n <= k || strncasecmp(line, name, k) != 0 || line[k] != ':')
		return false;
	for (k++; k < n && (line[k] == ' ' || line[k] == '\t'); k++)
		;
	while (n > k && strchr("\r\n \t", line[n - 1]) != NULL)
		n--;
	snprintf(value, size, "%.*s", (int)(n - k), line + k);
	return true;
}

static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
	struct call *k = ctx;
	struct bt_hub_tags *t = k->q->tags;
	char range[64];

	(void)size;
	header(line, n, "x-error-code", k->code, sizeof(k->code));
	header(line, n, "x-error-message", k->message, sizeof(k->message));
	if (header(line, n, "content-range", range, sizeof(range)) &&
	    bt_str_starts(range, "bytes "))
		k->range = strtoull(range + 6, NULL, 10);
	if (t != NULL) {
		header(line, n, "etag", t->etag, sizeof(t->etag));
		header(line, n, "content-length", t->length, sizeof(t->length));
		header(line, n, "x-linked-etag", t->linked_etag,
		       sizeof(t->linked_etag));
		header(line, n, "x-linked-size", t->linked_size,
		       sizeof(t->linked_size));
	}
	return n;
}

static long status_of(const struct call *k)
{
	long status = 0;

	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Tells the receiver where the answer begins. */
static int start(struct call *k)
{
	uint64_t from = status_of(k) == 206 ? k->range : 0;

	if (k->started || k->q->tags != NULL)
		return BT_OK;
	k->started = true;
	if (from != 0 && from != k->from)
		return bt_error_set(&k->err, BT_EFORMAT,
		                    "the server sends another part of it than "
		                    "was asked for");
	k->came = from;
	return k->q->to->start(k->q->ctx, from, &k->err);
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct call *k = ctx;
	long status = status_of(k);

	(void)size;
	if (status != 200 && status != 206) {
		k->talk += n;
		return k->talk <= TALK ? n : 0;
	}
	if (start(k) != BT_OK ||
	    k->q->to->take(k->q->ctx, data, n, &k->err) != BT_OK)
		return 0;
	k->came += n;
	if (k->came > k->most) {
		k->most = k->came;
		k->attempts = 0;
	}
	return n;
}

static void speak(CURL *easy, bool local)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, local ? "http" : "https");
#else
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
	                 (long)(local ? CURLPROTO_HTTP : CURLPROTO_HTTPS));
#endif
	if (local) /* no proxy is this machine */
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
}

/* Begins an attempt at k->url. */
static int begin(struct call *k, struct bt_error *err)
{
	const struct bt_hub_job *job = k->c->job;
	struct bt_hub_host host;
	char range[32];
	CURL *easy;
	int r = bt_hub_host_read(k->url, k->c->hub.local, "the address of it",
	                         &host, err);

	easy = r == BT_OK ? curl_easy_init() : NULL;
	if (r == BT_OK && easy == NULL)
		r = bt_error_nomem(err, "connecting");
	if (r != BT_OK) {
		bt_hub_host_clear(&host);
		return r;
	}
	k->easy = easy;
	k->started = false;
	k->talk = 0;
	k->range = 0;
	k->code[0] = k->message[0] = '\0';
	curl_easy_setopt(easy, CURLOPT_URL, k->url);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, k);
	speak(easy, host.local);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER,
	                 bt_hub_host_same(&host, &k->c->hub) ? k->c->with_token
	                                                     : k->c->without);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "bertutils/" BT_VERSION);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT,
	                 (long)(job->timeout < CONNECT_SECONDS
	                            ? job->timeout
	                            : CONNECT_SECONDS));
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)job->timeout);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, k);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, k);
	curl_easy_setopt(easy, CURLOPT_NOBODY, k->q->tags != NULL ? 1L : 0L);
	if (k->from > 0) {
		snprintf(range, sizeof(range), "%llu-",
		         (unsigned long long)k->from);
		curl_easy_setopt(easy, CURLOPT_RANGE, range);
	}
	bt_hub_host_clear(&host);
	if (curl_multi_add_handle(k->c->multi, easy) != CURLM_OK)
		return bt_error_nomem(err, "connecting");
	k->state = RUNS;
	return BT_OK;
}

static void end_attempt(struct call *k)
{
	if (k->easy == NULL)
		return;
	curl_multi_remove_handle(k->c->multi, k->easy);
	curl_easy_cleanup(k->easy);
	k->easy = NULL;
	k->state = IDLE;
}

/* Asks the receiver, and begins at the hub's own address: that of a redirection
 * may hold for a short time only. */
static int try(struct call *k, struct bt_error *err)
{
	enum bt_hub_ready what = BT_HUB_GO;
	int r = BT_OK;

	k->from = 0;
	if (k->q->tags == NULL)
		r = k->q->to->ready(k->q->ctx, &what, &k->from, err);
	if (r != BT_OK)
		return r;
	if (what == BT_HUB_DONE) {
		k->state = OVER;
		return BT_OK;
	}
	if (what == BT_HUB_LATER) {
		if (!k->waits)
			bt_log(k->c->job->log, BT_LOG_NOTE,
			       "another process is fetching '%s': waiting",
			       k->q->what);
		k->waits = true;
		k->not_before = bt_seconds() + LOOK_AGAIN;
		return BT_OK;
	}
	free(k->url);
	k->url = bt_strndup(k->q->url, strlen(k->q->url));
	k->hops = 0;
	return begin(k, err);
}

static int redirect(struct call *k, const char *to, struct bt_error *err)
{
	char *url = bt_strndup(to, strlen(to));

	end_attempt(k);
	free(k->url);
	k->url = url;
	if (++k->hops > HOPS)
		return bt_error_set(err, BT_EFORMAT,
		                    "it is redirected more than %d times",
		                    HOPS);
	return begin(k, err);
}

/* Plans another attempt, or gives up with the reason. */
static int again(struct call *k, long asked, const char *why,
                 struct bt_error *err)
{
	const struct bt_hub_job *job = k->c->job;
	double wait = WAIT_FIRST;
	int i;

	end_attempt(k);
	if (k->attempts >= job->retries)
		return bt_error_set(err, BT_EIO, "%s%s", why,
		                    job->retries > 0 ? ", also when tried again"
		                                     : "");
	for (i = 0; i < k->attempts && wait < WAIT_MOST; i++)
		wait *= 2;
	if (wait > WAIT_MOST)
		wait = WAIT_MOST;
	if (asked > WAIT_ASKED)
		return bt_error_set(err, BT_EIO,
		                    "%s; the server asks to wait %ld s", why,
		                    asked);
	if (asked > 0)
		wait = (double)asked;
	k->attempts++;
	k->not_before = bt_seconds() + wait;
	bt_log(job->log, BT_LOG_MORE, "'%s': %s; trying again in %.1f s",
	       k->q->what, why, wait);
	return BT_OK;
}

/* The hub gives 401 also where there is no such model, so that nobody learns
 * which there are. */
static int refused(struct call *k, long status, struct bt_error *err)
{
	const struct bt_hub_job *job = k->c->job;
	const char *token = job->token;

	bt_printable(k->message);
	if (status == 401 || status == 403)
		return bt_error_hint(
		    err,
		    token != NULL  ? BT_HINT_NONE
		    : job->dataset ? BT_HINT_HUB_TOKEN
		                   : BT_HINT_HUB_TOKEN_OR_DATASET,
		    bt_error_set(err, BT_EIO,
		                 "the hub does not give it to %s: status "
		                 "%ld%s%s",
		                 token != NULL ? "the token's owner"
		                               : "everybody, or does not have "
		                                 "it",
		                 status, *k->message != '\0' ? ": " : "",
		                 k->message));
	if (status == 404)
		return bt_error_set(
		    err, BT_EIO, "the hub does not have it: status 404%s%s",
		    *k->message != '\0' ? ": " : "", k->message);
	return bt_error_set(err, BT_EIO, "status %ld%s%s", status,
	                    *k->message != '\0' ? ": " : "", k->message);
}

/* An answer has come whole. */
static int answered(struct call *k, struct bt_error *err)
{
	long status = status_of(k);
	curl_off_t asked = 0;
	char why[64], *to = NULL;
	bool more = false;
	int r;

	if (status == 200 || status == 206) {
		r = start(k);
		if (r == BT_OK && k->q->tags == NULL)
			r = k->q->to->end(k->q->ctx, &more, &k->err);
		if (r != BT_OK) {
			*err = k->err;
			return r;
		}
		if (more)
			return again(k, 0, "what came does not fit together",
			             err);
		end_attempt(k);
		k->state = OVER;
		return BT_OK;
	}
	curl_easy_getinfo(k->easy, CURLINFO_REDIRECT_URL, &to);
	if (status >= 300 && status < 400 && to != NULL) {
		/* where the hub itself has no more to tell */
		if (k->q->tags != NULL && k->q->tags->linked_etag[0] != '\0') {
			end_attempt(k);
			k->state = OVER;
			return BT_OK;
		}
		return redirect(k, to, err);
	}
	if (status == 416 && k->from > 0) {
		r = k->q->to->start(k->q->ctx, 0, err);
		return r == BT_OK ? again(k, 0, "status 416", err) : r;
	}
	curl_easy_getinfo(k->easy, CURLINFO_RETRY_AFTER, &asked);
	snprintf(why, sizeof(why), "the server answers with status %ld",
	         status);
	if (status == 408 || status == 429 || status >= 500)
		return again(k, (long)asked, why, err);
	return refused(k, status, err);
}

/* Whether it may go well another time. */
static bool passes(CURLcode e)
{
	switch (e) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

static int finished(struct call *k, CURLcode e, struct bt_error *err)
{
	char why[200];

	if (k->err.code != 0) {
		*err = k->err;
		return err->code;
	}
	if (e == CURLE_OK || (e == CURLE_WRITE_ERROR && k->talk > TALK))
		return answered(k, err);
	snprintf(why, sizeof(why), "%s", curl_easy_strerror(e));
	return passes(e) ? again(k, 0, why, err)
	                 : bt_error_set(err, BT_EIO, "%s", why);
}

/* Begins what can begin; *left are the calls that are not over. */
static int begin_all(struct call *calls, size_t n, size_t *left,
                     struct call **bad, struct bt_error *err)
{
	size_t running = 0, i;
	double now = bt_seconds();
	int r = BT_OK;

	*left = 0;
	for (i = 0; i < n; i++)
		running += calls[i].state == RUNS;
	for (i = 0; i < n && r == BT_OK; i++) {
		*bad = &calls[i];
		if (calls[i].state == IDLE && running < PARALLEL &&
		    calls[i].not_before <= now) {
			r = try(&calls[i], err);
			running += calls[i].state == RUNS;
		}
		*left += calls[i].state != OVER;
	}
	return r;
}

/* Looks after all attempts once; where none is over it waits for something to
 * happen, a tenth of a second at most. */
static int go_on(CURLM *multi, struct call **bad, struct bt_error *err)
{
	struct CURLMsg *m;
	struct call *k;
	bool over = false;
	CURLcode e;
	char *ctx;
	int n, r = BT_OK;

	if (curl_multi_perform(multi, &n) != CURLM_OK)
		return bt_error_set(err, BT_EIO, "libcurl failed");
	while (r == BT_OK && (m = curl_multi_info_read(multi, &n)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		over = true;
		e = m->data.result;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &ctx);
		k = *bad = (struct call *)(void *)ctx;
		r = finished(k, e, err);
	}
	if (r == BT_OK && !over &&
	    curl_multi_poll(multi, NULL, 0, 100, NULL) != CURLM_OK)
		r = bt_error_set(err, BT_EIO, "libcurl failed");
	return r;
}

int bt_hub_client_run(struct bt_hub_client *c,
                      const struct bt_hub_request *requests, size_t n,
                      void (*tick)(void *ctx), void *tick_ctx,
                      struct bt_error *err)
{
	struct call *calls = bt_array0(n, sizeof(*calls)), *bad = calls;
	size_t left = n, i;
	int r = BT_OK;

	if (calls == NULL)
		return bt_error_nomem(err, "connecting");
	for (i = 0; i < n; i++) {
		calls[i].q = &requests[i];
		calls[i].c = c;
	}
	while (r == BT_OK && left > 0) {
		r = begin_all(calls, n, &left, &bad, err);
		if (r != BT_OK || left == 0)
			break;
		if (c->job->stopped != NULL && c->job->stopped())
			r = BT_ECANCEL;
		else
			r = go_on(c->multi, &bad, err);
		if (tick != NULL)
			tick(tick_ctx);
	}
	if (r == BT_ECANCEL)
		bt_error_set(err, r, "stopped");
	else if (r != BT_OK)
		bt_error_prefix(err, "'%s'", bad->q->what);
	for (i = 0; i < n; i++) {
		end_attempt(&calls[i]);
		free(calls[i].url);
	}
	free(calls);
	return r;
}

/* Appends text as a part of an address. */
static void escape(struct bt_buf *b, const char *text, bool slashes)
{
	const unsigned char *p = (const unsigned char *)text;

	for (; *p != '\0'; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= '0' && *p <= '9') || strchr("-._~", *p) != NULL ||
		    (*p == '/' && slashes))
			bt_buf_putc(b, (char)*p);
		else
			bt_buf_printf(b, "%%%02X", *p);
}

char *bt_hub_client_url(const struct bt_hub_client *c, const char *before,
                        const char *name, const char *between,
                        const char *revision, const char *file)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s%s", c->endpoint, before);
	escape(&b, name, true);
	bt_buf_puts(&b, between);
	escape(&b, revision, false);
	if (*file != '?')
		escape(&b, file, true);
	else
		bt_buf_puts(&b, file);
	return bt_buf_detach(&b);
}

/* The token must be the value of a header. */
static int take_token(struct bt_hub_client *c, const char *token,
                      struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *p;

	for (p = token; token != NULL && *p != '\0'; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return bt_error_set(err, BT_EARG,
			                    "the token has a character that no "
			                    "token has");
	/* the bytes as they are stored, so that sizes and hashes are theirs */
	c->without = curl_slist_append(NULL, "Accept-Encoding: identity");
	c->with_token = curl_slist_append(NULL, "Accept-Encoding: identity");
	if (token != NULL) {
		bt_buf_printf(&b, "Authorization: Bearer %s", token);
		c->with_token =
		    curl_slist_append(c->with_token, bt_buf_str(&b));
		bt_buf_clear(&b);
	}
	return BT_OK;
}

int bt_hub_client_new(const struct bt_hub_job *job, struct bt_hub_client **res,
                      struct bt_error *err)
{
	const char *endpoint =
	    job->endpoint != NULL ? job->endpoint : BT_HUB_ENDPOINT;
	struct bt_hub_client *c = bt_array0(1, sizeof(*c));
	size_t n = strlen(endpoint);
	int r;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		free(c);
		return bt_error_set(err, BT_EIO, "libcurl does not start");
	}
	while (n > 0 && endpoint[n - 1] == '/')
		n--;
	c->job = job;
	c->endpoint = bt_strndup(endpoint, n);
	c->multi = curl_multi_init();
	r = bt_hub_host_read(endpoint, true, "the address of the hub", &c->hub,
	                     err);
	if (r != BT_OK)
		r = err->code = BT_EARG;
	if (r == BT_OK)
		r = take_token(c, job->token, err);
	if (r == BT_OK && c->multi == NULL)
		r = bt_error_nomem(err, "connecting");
	if (r == BT_OK)
		*res = c;
	else
		bt_hub_client_free(c);
	return r;
}

void bt_hub_client_free(struct bt_hub_client *c)
{
	if (c == NULL)
		return;
	curl_multi_cleanup(c->multi);
	curl_slist_free_all(c->with_token);
	curl_slist_free_all(c->without);
	bt_hub_host_clear(&c->hub);
	free(c->endpoint);
	free(c);
	curl_global_cleanup();
}

#else
typedef int bt_no_client; /* an empty file is not C */
#endif
