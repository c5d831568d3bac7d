/* SPDX-License-Identifier: MIT */
/* Not under thread: starts processes, no threads */
/* Programs that are compiled beside each other, by a plugin that fails, waits
 * and is killed. */
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"
#include "pjrt/pjrt.h"

#define SOUND "2\n13 0 1\n11 2 2 3 0\n"

static const struct bt_pjrt_arg args[] = {{{BT_PJRT_F32, 2, {2, 3}}, true},
                                          {{BT_PJRT_BF16, 0, {0}}, false}};
static const struct bt_pjrt_options cached = {.cache = "cache"};

static struct bt_error err;
static char plugin[4096];
static long *alive, *wrong, *compiled;

#define MAX 4
static struct bt_pjrt_program *got[MAX];

/* The files in a directory, and the number in the name of one. */
static int files_in(const char *dir, long *number)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.') {
			*number = atol(e->d_name);
			n++;
		}
	if (d != NULL)
		closedir(d);
	return n;
}

static void begin(void)
{
	assert_int_equal(system("rm -rf cache dir && mkdir dir"), 0);
	setenv("MOCK_DIR", "dir", 1);
	unsetenv("MOCK_ALONE");
	unsetenv("MOCK_PARENT");
	bt_error_clear(&err);
	*compiled = 0;
}

/* Compiles programs, which are called "0", "1" and so on. */
static int all(struct bt_pjrt *p, size_t n, const char *const *texts)
{
	static const char *const names[MAX] = {"0", "1", "2", "3"};
	struct bt_pjrt_source s[MAX];
	size_t i;

	for (i = 0; i < n; i++)
		s[i] = (struct bt_pjrt_source){.name = names[i],
		                               .text = texts[i],
		                               .len = strlen(texts[i]),
		                               .replicas = 1,
		                               .args = args,
		                               .n_args = 2};
	memset(got, 0xff, sizeof(got));
	return bt_pjrt_compile_all(p, s, n, got, &err);
}

static int one(struct bt_pjrt *p, const char *text)
{
	struct bt_pjrt_source s = {"one", text, strlen(text), 1, args, 2};
	int r = bt_pjrt_compile(p, &s, &got[0], &err);

	if (r == BT_OK) {
		assert_int_equal(bt_pjrt_origin(got[0]), BT_PJRT_IN_CHILD);
		bt_pjrt_program_free(got[0]);
	}
	return r;
}

static void free_all(size_t n, enum bt_pjrt_origin origin)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_non_null(got[i]);
		assert_int_equal(bt_pjrt_origin(got[i]), origin);
		bt_pjrt_program_free(got[i]);
	}
}

static void close_all(struct bt_pjrt *p)
{
	bt_pjrt_close(p);
	assert_int_equal(*alive, 0);
	assert_int_equal(*wrong, 0);
}

/* Whether two programs at a time are compiled here. */
static bool has_room(void)
{
	if (bt_cores() >= 2 &&
	    bt_available_memory("") >= 2 * BT_PJRT_COMPILE_MEMORY)
		return true;
	skip();
	return false;
}

static bool is_gone(long pid)
{
	return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

struct seen {
	size_t n, done, of;
	bool stops; /* as soon as a process stays */
};

static bool watch(void *ctx, size_t done, size_t of)
{
	struct seen *s = ctx;
	long pid;

	assert_true(s->n > 0 ? done >= s->done && of == s->of : done == 0);
	s->n++;
	s->done = done;
	s->of = of;
	return !s->stops || files_in("dir", &pid) == 0;
}

TEST(beside_each_other)
{
	static const char *const texts[] = {"meet 2\n" SOUND, SOUND,
	                                    "meet 2\n " SOUND};
	struct bt_pjrt_options apart = {.cache = "apart"};
	struct seen seen = {0};
	struct bt_pjrt *p;
	size_t i;

	if (!has_room())
		return;
	begin();
	assert_ok(bt_pjrt_open(plugin, &cached, &p, &err));
	bt_pjrt_set_watch(p, watch, &seen);
	assert_ok(all(p, 3, texts));
	free_all(3, BT_PJRT_IN_CHILD);
	assert_int_equal(*compiled, 0);
	assert_true(seen.n >= 4);
	assert_int_equal(seen.done, 3);
	assert_int_equal(seen.of, 3);
	/* programs of the cache are not watched */
	memset(&seen, 0, sizeof(seen));
	assert_ok(all(p, 3, texts));
	free_all(3, BT_PJRT_CACHED);
	assert_int_equal(seen.n, 0);
	assert_ok(all(p, 0, texts));
	close_all(p);

	/* files are those of one after the other */
	assert_int_equal(system("rm -rf apart"), 0);
	assert_ok(bt_pjrt_open(plugin, &apart, &p, &err));
	for (i = 0; i < 3; i++)
		assert_ok(one(p, texts[i]));
	close_all(p);
	assert_int_equal(system("diff -r cache apart"), 0);
}

/* One that fails is named, and ends the others at once. */
TEST(an_error_ends_all)
{
	static const char *const refused[] = {"stay\n" SOUND,
	                                      "meet 2\nnothing"};
	static const char *const aborts[] = {("stay\n" SOUND), "abort", SOUND};
	struct bt_pjrt *p;
	long pid;

	if (!has_room())
		return;
	begin();
	assert_ok(bt_pjrt_open(plugin, &cached, &p, &err));
	assert_err(all(p, 2, refused), BT_EFORMAT,
	           "cannot compile program '1': plugin 'mock': this is no "
	           "program");
	assert_null(got[0]);
	assert_null(got[1]);
	assert_int_equal(files_in("dir", &pid), 2);
	assert_true(is_gone(pid));
	begin();
	assert_err(all(p, 3, aborts), BT_EFORMAT,
	           "cannot compile program '1': the plugin ended its process "
	           "by signal 6 (Aborted): Check failed: 1 == 2");
	assert_null(got[2]);
	if (files_in("dir", &pid) > 0)
		assert_true(is_gone(pid));
	assert_int_equal(files_in("cache", &pid), 0);
	assert_ok(one(p, SOUND)); /* it goes on */
	close_all(p);
}

/* What lacks memory is left to be tried alone. */
TEST(memory_lacks)
{
	static const char *const texts[] = {"full\n" SOUND, SOUND,
	                                    "killed\n" SOUND};
	struct bt_pjrt_options here = {.in_process = true};
	struct bt_pjrt *p;

	begin();
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_ok(all(p, 3, texts));
	assert_null(got[0]);
	assert_null(got[2]);
	bt_pjrt_program_free(got[1]);
	assert_err(one(p, texts[0]), BT_ENOMEM,
	           "cannot compile program 'one': plugin 'mock': out of memory "
	           "while compiling");
	assert_err(one(p, texts[2]), BT_EIO,
	           "cannot compile program 'one': its process was killed");
	close_all(p);
	assert_ok(bt_pjrt_open(plugin, &here, &p, &err));
	assert_ok(all(p, 2, texts));
	assert_null(got[0]);
	assert_int_equal(bt_pjrt_origin(got[1]), BT_PJRT_IN_PROCESS);
	bt_pjrt_program_free(got[1]);
	close_all(p);
}

TEST(is_stopped)
{
	static const char *const texts[] = {"stay\n" SOUND, "stay\n " SOUND};
	struct seen seen = {.stops = true};
	struct bt_pjrt *p;
	long pid;

	begin();
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	bt_pjrt_set_watch(p, watch, &seen);
	assert_err(all(p, 2, texts), BT_ECANCEL, "stopped while compiling");
	assert_true(files_in("dir", &pid) > 0);
	assert_true(is_gone(pid));
	bt_pjrt_set_watch(p, NULL, NULL);
	assert_ok(one(p, SOUND));
	close_all(p);
}

/* Where only one process can have the device. */
TEST(alone)
{
	static const char *const texts[] = {SOUND, (SOUND " "),
	                                    ("full\n" SOUND)};
	char number[32];
	struct bt_pjrt *p;

	begin();
	snprintf(number, sizeof(number), "%ld", (long)getpid());
	setenv("MOCK_PARENT", number, 1);
	setenv("MOCK_ALONE", "1", 1);
	assert_ok(bt_pjrt_open(plugin, NULL, &p, &err));
	assert_ok(all(p, 3, texts));
	assert_null(got[2]);
	free_all(2, BT_PJRT_IN_PROCESS);
	close_all(p);
}

/* Two runs fill a cache at once; each waits for the other's compiler. */
TEST(two_runs)
{
	static const char *const texts[] = {"meet 2\n" SOUND, SOUND};
	struct bt_pjrt *p;
	long number;
	int i, status, r;
	pid_t pid[2];

	begin();
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			r = bt_pjrt_open(plugin, &cached, &p, &err);
			r = r != BT_OK ? r : all(p, 2, texts);
			_exit(r != BT_OK);
		}
	}
	for (i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(files_in("cache", &number), 2);
	assert_int_equal(system("test $(ls -A cache | wc -l) = 2"), 0);
	assert_ok(bt_pjrt_open(plugin, &cached, &p, &err));
	assert_ok(all(p, 2, texts));
	free_all(2, BT_PJRT_CACHED);
	close_all(p);
}

/* Whoever is killed leaves no process and no file. */
TEST(killed)
{
	static const char *const texts[] = {"stay\n" SOUND, "stay\n " SOUND};
	struct bt_pjrt *p;
	const struct timespec nap = {0, 10000000};
	long child = 0;
	int i, held[2];
	pid_t pid;
	char c;

	begin();
	assert_int_equal(pipe(held), 0); /* by all that are forked */
	pid = fork();
	if (pid == 0) {
		if (bt_pjrt_open(plugin, &cached, &p, &err) == BT_OK &&
		    all(p, 2, texts) == BT_OK)
			_exit(0);
		_exit(1);
	}
	close(held[1]);
	for (i = 0; i < 1000 && files_in("dir", &child) == 0; i++)
		nanosleep(&nap, NULL);
	assert_true(child > 0);
	assert_int_equal(kill((pid_t)child, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	alarm(10);
	assert_int_equal(read(held[0], &c, 1), 0); /* all are gone */
	alarm(0);
	close(held[0]);
	assert_int_equal(files_in("cache", &child), 0);
}

static long *count_of(void *mock, const char *name)
{
	void *p = dlsym(mock, name);

	if (p == NULL) {
		fprintf(stderr, "%s lacks %s\n", plugin, name);
		exit(1);
	}
	return p;
}

int main(void)
{
	void *mock;

	snprintf(plugin, sizeof(plugin), "%s/plugin/mock.so", getenv("BUILD"));
	mock = dlopen(plugin, RTLD_NOW);
	if (mock == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	alive = count_of(mock, "mock_alive");
	wrong = count_of(mock, "mock_wrong");
	compiled = count_of(mock, "mock_compiled");
	return run_listed();
}
