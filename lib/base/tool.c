/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* on_exit, program_invocation_short_name */
#include "base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/command.h"
#include "base/file_use.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/sys.h"

static void (*version_adds)(struct bt_buf *out); /* or NULL */

void bt_tool_version_adds(void (*lines)(struct bt_buf *out))
{
	version_adds = lines;
}

static void print_version(const struct bt_tool *tool)
{
	struct bt_buf more = BT_BUF_INIT;
	struct bt_error err = {0};
	enum bt_isa isa;

	printf("%s (bertutils) %s\n", tool->name, BT_VERSION);
	if (bt_isa(&isa, &err) == BT_OK)
		printf("instruction set: %s; cores: %d\n", bt_isa_name(isa),
		       bt_cores());
	if (version_adds != NULL)
		version_adds(&more);
	fputs(bt_buf_str(&more), stdout);
	bt_buf_clear(&more);
}

/* Where a caller closed 0, 1 or 2, no file of ours shall get that number:
 * messages would end up in it. What is put there refuses to be used. */
static void hold_standard(void)
{
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			return;
}

/* Whether messages are lines of JSON. */
static bool as_json(void)
{
	const char *form = getenv("BT_MESSAGES");

	return bt_str_is(form, "json");
}

/* Without asking for memory. */
static void out_of_memory(void)
{
	const char *const plain[] = {"", program_invocation_short_name,
	                             ": out of memory\n"};
	const char *const json[] = {
	    "{\"tool\":\"", program_invocation_short_name,
	    "\",\"level\":\"error\",\"code\":\"memory\","
	    "\"message\":\"out of memory\"}\n"};
	const char *const *text = as_json() ? json : plain;
	int i = 0;

	bt_cleanup_run();
	while (i < 3 && write(2, text[i], strlen(text[i])) >= 0)
		i++;
	_exit(BT_EXIT_FAILED);
}

/* Whether the process exits as others do: where the build looks for leaks or
 * races then, or libc cannot say with which status. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    !defined(__GLIBC__)
#define PLAIN_EXIT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLAIN_EXIT 1
#endif
#endif

#ifndef PLAIN_EXIT
/* Ends the process before the destructors of libraries run: OpenBLAS, where
 * memory was too short for its threads, waits for these forever. */
static void leave(int status, void *arg)
{
	(void)arg;
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	bt_cleanup_run();
	fflush(NULL);
	_exit(status);
}
#endif

static double begun; /* bt_seconds() */
static struct bt_summary summary;
static struct bt_error failure; /* what bt_tool_fail printed */

/* What the processes of one job do. */
static enum { REFUSE, SHARE, FIRST_WORKS } work;
static const struct bt_tool_ranks *ranks; /* of SHARE */

void bt_tool_share_work(const struct bt_tool_ranks *r)
{
	work = SHARE;
	ranks = r;
}

void bt_tool_first_works(void)
{
	work = FIRST_WORKS;
}

/* Of processes that would all do the same work. */
static int refuse_ranks(const struct bt_tool *tool)
{
	return bt_tool_misuse(tool,
	                      "started as %d processes of one job, which would "
	                      "all do the same work: this program runs as one "
	                      "process",
	                      bt_launched());
}

/* In a program whose first process works, what mpirun of Open MPI says of the
 * job: whether it has several command lines, and whether another program may
 * have given its processes different ones. */
static bool has_several(void)
{
	const char *n = getenv("OMPI_NUM_APP_CTX");

	return work == FIRST_WORKS && bt_launched() > 1 && n != NULL &&
	       strcmp(n, "1") != 0;
}

static bool is_started_by_another(const struct bt_tool *tool)
{
	const char *command = getenv("OMPI_COMMAND"), *slash;

	if (work != FIRST_WORKS || bt_launched() == 1 || command == NULL)
		return false;
	slash = strrchr(command, '/');
	return strcmp(slash != NULL ? slash + 1 : command, tool->name) != 0;
}

bool bt_tool_works(const struct bt_tool *tool, int *status)
{
	int rank = bt_launched_rank();

	if (ranks != NULL)
		ranks->part();
	if (rank == 0 || bt_launched() == 1)
		return true;
	*status = rank > 0 ? BT_EXIT_DONE : refuse_ranks(tool);
	return false;
}

void bt_tool_start(void)
{
	begun = bt_seconds();
#ifndef PLAIN_EXIT
	on_exit(leave, NULL);
#endif
	bt_mem_on_failure(out_of_memory);
	bt_file_use_watch();
	hold_standard();
	signal(SIGPIPE, SIG_DFL); /* so that "| head" ends quietly */
	signal(SIGXFSZ, SIG_IGN); /* so that writing tells of the limit */
}

/* The one place that messages go through. */
static void print(const struct bt_tool *tool, const char *level,
                  const char *code, const char *text, enum bt_hint hint)
{
	bool warning = strcmp(level, "warning") == 0;
	bool hinted = hint != BT_HINT_NONE;
	struct bt_buf b = BT_BUF_INIT;

	fflush(stdout);
	if (as_json()) {
		bt_summary_put_line(&b, tool->name, level, code, text, hint);
		fputs(bt_buf_str(&b), stderr);
		bt_buf_clear(&b);
	} else {
		fprintf(stderr, "%s: %s%s%s%s%s\n", tool->name,
		        warning ? "warning: " : "", text, hinted ? " (" : "",
		        bt_hint_words(hint), hinted ? ")" : "");
	}
}

/* Of the values of a parsed command line. */
static bool is_quiet(const struct bt_tool *tool, const void *values)
{
	const struct bt_opt *o;

	for (o = tool->opts; o->type != BT_OPT_END; o++)
		if (o->type == BT_OPT_FLAG && strcmp(o->name, "quiet") == 0)
			return *(
			    const bool *)(const void *)((const char *)values +
			                                o->offset);
	return false;
}

/* Whether all processes of the job have this tool and command line, but for the
 * number of threads, which may be that of each machine. */
static int meet(const struct bt_tool *tool, int argc, char **argv,
                struct bt_error *err)
{
	struct bt_command c = {0};
	char *path;
	int r;

	if (ranks == NULL || bt_launched() == 1)
		return BT_OK;
	r = bt_command_copy(&c, tool, argc, argv, "threads", err);
	if (r != BT_OK)
		return r;
	path = c.word[0];
	c.word[0] = (char *)tool->name;
	r = ranks->meet(c.n, (const char *const *)c.word, err);
	c.word[0] = path;
	bt_command_clear(&c);
	return r;
}

bool bt_tool_options(const struct bt_tool *tool, int argc, char **argv,
                     void *values, int *operand, int *status)
{
	return bt_tool_options_help(tool, argc, argv, values, operand,
	                            bt_opt_help, status);
}

bool bt_tool_options_help(const struct bt_tool *tool, int argc, char **argv,
                          void *values, int *operand,
                          void (*help)(const struct bt_tool *tool, FILE *to),
                          int *status)
{
	enum bt_opt_result result;
	struct bt_opt_again again;
	struct bt_error err = {0}, differs = {0};

	bt_tool_start();
	result = bt_opt_parse(tool, argc, argv, values, operand, &again, &err);
	if (meet(tool, argc, argv, &differs) != BT_OK) { /* as all find out */
		*status = bt_launched_rank() > 0 ? BT_EXIT_DONE
		                                 : bt_tool_fail(tool, &differs);
		return false;
	}
	if (result == BT_OPT_RUN && again.name != NULL &&
	    !is_quiet(tool, values) && bt_launched_rank() <= 0)
		bt_tool_say(
		    tool, "warning", "option-twice",
		    "--%s is given more than once: '%s' counts, '%s' "
		    "does not%s%s%s%s%s",
		    again.name, again.value, again.before,
		    again.list ? " (give both as " : "",
		    again.list ? again.before : "", again.list ? "," : "",
		    again.list ? again.value : "", again.list ? ")" : "");
	if (result == BT_OPT_RUN && bt_launched_rank() == 1 &&
	    is_started_by_another(tool) && !is_quiet(tool, values))
		bt_tool_say(tool, "warning", "first-works",
		            "of %d processes of one job only the first one "
		            "does its work, whatever the others are asked for",
		            bt_launched());
	return bt_tool_parsed(tool, result, help, &err, status);
}

#define MOMENT 10 /* seconds; a busy machine's launcher takes a few */

/* Whether this process tells a mistake in the command line: the first one of
 * those that have made it. Where nobody can tell which have, the launcher ends
 * the others when the first one has told it and ended. */
static bool tells(void)
{
	int together = ranks != NULL ? ranks->together() : -1;

	if (together < 0 && bt_launched_rank() > 0)
		sleep(MOMENT);
	return together != 1 || bt_launched_rank() <= 0;
}

void bt_tool_print(void *ctx, const char *text)
{
	(void)ctx;
	fputs(text, stdout);
	fflush(stdout);
}

bool bt_tool_parsed(const struct bt_tool *tool, enum bt_opt_result result,
                    void (*help)(const struct bt_tool *tool, FILE *to),
                    const struct bt_error *err, int *status)
{
	const char *form = getenv("BT_MESSAGES");

	switch (result) {
	case BT_OPT_RUN:
		if (form != NULL && !bt_str_in_list("json|text", form)) {
			*status = bt_tool_misuse(
			    tool,
			    "bad value '%s' of BT_MESSAGES: expected json or "
			    "text",
			    form);
			return false;
		}
		if (work == SHARE || bt_launched() == 1)
			return true;
		if (has_several()) {
			*status = bt_tool_misuse(
			    tool, "started beside other command lines in one "
			          "job: give each a launcher of its own");
			return false;
		}
		if (work == FIRST_WORKS)
			return bt_tool_works(tool, status);
		*status = refuse_ranks(tool);
		return false;
	case BT_OPT_HELP_ASKED:
		if (bt_launched_rank() <= 0)
			help(tool, stdout);
		*status = bt_tool_end(tool, BT_EXIT_DONE);
		return false;
	case BT_OPT_VERSION_ASKED:
		if (bt_launched_rank() <= 0)
			print_version(tool);
		*status = bt_tool_end(tool, BT_EXIT_DONE);
		return false;
	default:
		*status = tells() ? bt_tool_fail(tool, err) : BT_EXIT_DONE;
		return false;
	}
}

int bt_tool_misuse(const struct bt_tool *tool, const char *fmt, ...)
{
	char text[sizeof(((struct bt_error *)0)->text) + 256];
	va_list ap;

	if (!tells())
		return BT_EXIT_DONE;
	fflush(stdout);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bt_printable(text);
	print(tool, "error", bt_error_word(BT_EARG), text, BT_HINT_NONE);
	if (!as_json())
		fprintf(stderr, "Try '%s --help'.\n", tool->name);
	return BT_EXIT_USAGE;
}

int bt_tool_fail(const struct bt_tool *tool, const struct bt_error *err)
{
	int status = err->code == BT_EARG || err->code == BT_EREMOTE
	                 ? BT_EXIT_USAGE
	                 : BT_EXIT_FAILED;

	failure = *err;
	bt_printable(failure.text);
	print(tool, "error", bt_error_word(err->code), failure.text, err->hint);
	if (status == BT_EXIT_USAGE && !as_json())
		fprintf(stderr, "Try '%s --help'.\n", tool->name);
	return status;
}

void bt_tool_summary(const struct bt_tool *tool, int status, struct bt_buf *out)
{
	bt_summary_print(&summary, tool->name, status, bt_seconds() - begun,
	                 &failure, out);
}

static void emit(void *ctx, const struct bt_log_line *line)
{
	static const char *const levels[] = {[BT_LOG_WARN] = "warning",
	                                     [BT_LOG_NOTE] = "note",
	                                     [BT_LOG_MORE] = "detail"};

	print(ctx, levels[line->level], line->code, line->text, line->hint);
}

void bt_tool_say(const struct bt_tool *tool, const char *level,
                 const char *code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	bt_printable(text);
	print(tool, level, code, text, BT_HINT_NONE);
}

struct bt_log bt_tool_log(const struct bt_tool *tool,
                          const struct bt_common *common)
{
	struct bt_log log = {0};

	log.ctx = (void *)tool;
	if (!common->quiet)
		log.emit = emit;
	if (common->summary != NULL)
		log.summary = &summary;
	log.level = common->verbose > 0 ? BT_LOG_MORE : BT_LOG_NOTE;
	return log;
}

int bt_tool_end(const struct bt_tool *tool, int status)
{
	int bad = ferror(stdout), e = 0;
	struct bt_error err = {0};

	errno = 0;
	if (fclose(stdout) != 0) {
		e = errno;
		bad = 1;
	}
	/* a caller that closed our standard output did not want it */
	if (!bad || e == EBADF || status != BT_EXIT_DONE)
		return status;
	if (e != 0)
		bt_error_sys(&err, e, "cannot write standard output");
	else
		bt_error_set(&err, BT_EIO, "cannot write standard output");
	return bt_tool_fail(tool, &err);
}

int bt_tool_list(const struct bt_tool *tool,
                 int (*list)(const char *output, struct bt_error *err),
                 const char *output)
{
	struct bt_error err = {0};
	int status;

	if (!bt_tool_works(tool, &status))
		return status;
	return bt_tool_end(tool, list(output, &err) == BT_OK
	                             ? BT_EXIT_DONE
	                             : bt_tool_fail(tool, &err));
}

static volatile sig_atomic_t stopped; /* by which signal, or 0 */
static volatile sig_atomic_t stop_ends;

static bool on_terminal; /* standard error is one */

static void on_stop(int sig)
{
	int e = errno;

	if (stopped || stop_ends) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	/* the terminal has shown ^C where the cursor was */
	if (sig == SIGINT && on_terminal)
		(void)!write(STDERR_FILENO, "\n", 1);
	stopped = sig;
	errno = e;
}

void bt_tool_catch_stop(void)
{
	/* mpirun hands SIGUSR1 on; after the others it kills */
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	struct sigaction sa, old;
	size_t i;

	on_terminal = isatty(STDERR_FILENO) != 0;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_stop;
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		/* a shell's background job ignores SIGINT, nohup SIGHUP: it
		 * stays so */
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
}

void bt_tool_stop_ends(bool on)
{
	stop_ends = on;
	if (on && stopped)
		on_stop(stopped);
}

bool bt_tool_stopped(void)
{
	return stopped != 0;
}
