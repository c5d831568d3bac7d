/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Command lines as Model Garden's programs read them. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "garden/flags.h"

struct args {
	struct bt_flags_common flags;
	const char *dir, *mode, *tpu, *strategy;
	int64_t steps, gpus;
	double rate;
	bool xla, eager, lower;
	struct bt_opt_list files;
};

static const struct bt_flag table[] = {
    BT_FLAG_ROW(BT_FLAG_STR, "model_dir", "DIR", "model to write", args, dir,
                .alias = "md", .required = true),
    BT_FLAG_ROW(BT_FLAG_ENUM, "mode", "train|predict", "what to do", args,
                mode),
    BT_FLAG_ROW(BT_FLAG_STR, "tpu", "NAME", "address", args, tpu, .idle = true,
                .refuse = "*", .why = "there is no TPU"),
    BT_FLAG_ROW(BT_FLAG_ENUM, "distribution_strategy", "off|mirrored|tpu",
                "devices", args, strategy, .alias = "ds", .fold = true,
                .idle = true, .refuse = "tpu", .why = "there is no TPU"),
    BT_FLAG_NUMBER(BT_FLAG_INT, "steps_per_loop", "steps", args, steps, 0, 1e9,
                   .idle = true),
    BT_FLAG_NUMBER(BT_FLAG_INT, "num_gpus", "devices", args, gpus, 0, 64,
                   .refuse = "*", .why = "there is no GPU"),
    BT_FLAG_NUMBER(BT_FLAG_REAL, "learning_rate", "rate", args, rate, 0, 1),
    BT_FLAG_ROW(BT_FLAG_BOOL, "enable_xla", NULL, "compile", args, xla,
                .idle = true),
    BT_FLAG_ROW(BT_FLAG_BOOL, "run_eagerly", NULL, "do not", args, eager,
                .refuse = "*", .why = "there is no graph to leave out"),
    BT_FLAG_ROW(BT_FLAG_BOOL, "do_lower_case", NULL, "lower", args, lower),
    BT_FLAG_ROW(BT_FLAG_MULTI, "config_file", "FILE", "read", args, files),
    BT_FLAGS_COMMON(args),
    BT_FLAG_LAST,
};

static const struct bt_flags flags = {
    {"tool", "--model_dir=DIR", "Tries flags.", "tool", NULL}, table};

#define WORDS 40

/* Parses the words of a line; its bytes live until the next call. */
static enum bt_opt_result parse(const char *line, struct args *a,
                                struct bt_error *err)
{
	static char text[4096];
	char *argv[WORDS + 1], *at = text;
	int argc = 0;

	*a = (struct args){.flags = BT_FLAGS_COMMON_INIT, .steps = 7};
	err->code = 0;
	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	argv[argc++] = (char *)"tool";
	while (argc < WORDS && *at != '\0') {
		argv[argc++] = at;
		at += strcspn(at, " ");
		if (*at != '\0')
			*at++ = '\0';
	}
	assert_true(argc < WORDS);
	argv[argc] = NULL;
	return bt_flags_parse(&flags, argc, argv, a, err);
}

TEST(values_are_read)
{
	struct bt_error err = {0};
	struct args a;

	assert_int_equal(parse("--model_dir=/tmp/x=y --learning_rate 2e-5 "
	                       "-mode=predict -steps_per_loop 200 --tpu= "
	                       "--do_lower_case --seed=7 --verbosity -1",
	                       &a, &err),
	                 BT_OPT_RUN);
	assert_string_equal(a.dir, "/tmp/x=y");
	assert_string_equal(a.mode, "predict");
	assert_true(a.rate == 2e-5 && a.lower);
	assert_int_equal(a.steps, 200);
	assert_int_equal(a.flags.common.seed, 7);
	assert_int_equal(a.flags.verbosity, -1);
	assert_true(bt_flags_given(&flags, &a, "mode"));
	assert_true(bt_flags_given(&flags, &a, "steps_per_loop"));
	assert_false(bt_flags_given(&flags, &a, "enable_xla"));
	/* an empty value of what has no effect asks for nothing */
	assert_false(bt_flags_given(&flags, &a, "tpu"));
	assert_null(a.tpu);
	assert_int_equal(
	    parse("-md d --steps_per_loop= --num_gpus=0", &a, &err),
	    BT_OPT_RUN);
	assert_int_equal(a.steps, 7);
}

TEST(switches_are_read)
{
	static const struct {
		const char *line;
		bool want;
	} cases[] = {{"-md=d --enable_xla", true},
	             {"-md=d --enable_xla=True", true},
	             {"-md=d --enable_xla=1", true},
	             {"-md=d -enable_xla=Y", true},
	             {"-md=d --enable_xla --noenable_xla", false},
	             {"-md=d --enable_xla --enable_xla=f", false},
	             {"-md=d --enable_xla --enable_xla=NO", false}};
	struct bt_error err = {0};
	struct args a;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i].line, &a, &err), BT_OPT_RUN);
		assert_int_equal(a.xla, cases[i].want);
	}
	/* a switch does not take the next word */
	assert_int_equal(parse("-md=d --enable_xla false", &a, &err),
	                 BT_OPT_MISTAKE);
	assert_non_null(strstr(err.text, "'false' is not a flag"));
}

TEST(several_are_gathered)
{
	struct bt_error err = {0};
	struct args a;

	assert_int_equal(parse("-md=d --config_file=a --config_file b "
	                       "--mode=train --mode=predict",
	                       &a, &err),
	                 BT_OPT_RUN);
	assert_int_equal(a.files.n, 2);
	assert_string_equal(a.files.item[0], "a");
	assert_string_equal(a.files.item[1], "b");
	assert_string_equal(a.mode, "predict");
}

TEST(mistakes_are_told)
{
	static const struct {
		const char *line, *words;
	} cases[] = {
	    {"--model_dirs=d", "'--model_dirs=d'; did you mean --model_dir?"},
	    {"--enable-xla", "did you mean --enable_xla?"},
	    {"--qwertyuiop", "unknown flag '--qwertyuiop'"},
	    {"--=3", "unknown flag"},
	    {"-md=d --nomode", "unknown flag '--nomode'"},
	    {"-md=d --noenable_xla=1", "takes no value"},
	    {"-md=d --mode=Train", "expected train|predict"},
	    {"-md=d --mode=", "expected train|predict"},
	    {"-md=d --mode", "needs a value"},
	    {"-md=d --learning_rate=2", "from 0 to 1"},
	    {"-md=d --learning_rate=0x1p-3", "expected a number"},
	    {"-md=d --num_gpus=1.5", "there is no GPU"},
	    {"-md=d --steps_per_loop=1.5", "expected a whole number"},
	    {"-md=d --enable_xla=2", "expected true or false"},
	    {"-md=d -- x", "'x' is not a flag"},
	    {"-md=d -", "'-' is not a flag"},
	    {"-md=", "give --model_dir=DIR: model to write"},
	    {"--mode=train", "give --model_dir=DIR"},
	};
	struct bt_error err = {0};
	struct args a;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i].line, &a, &err),
		                 BT_OPT_MISTAKE);
		if (strstr(err.text, cases[i].words) == NULL)
			fail_msg("'%s' lacks '%s'", err.text, cases[i].words);
	}
}

TEST(what_cannot_be_is_refused)
{
	static const char *const good[] = {
	    "--tpu=",       "-ds=mirrored",        "-ds OFF",
	    "--num_gpus=0", "--run_eagerly=false", "--norun_eagerly"};
	static const char *const bad[] = {
	    "--tpu=node-1", "--tpu=0",
	    "-ds=TPU",      "--distribution_strategy tpu",
	    "--num_gpus=8", "--run_eagerly"};
	struct bt_error err = {0};
	struct args a;
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		snprintf(line, sizeof(line), "-md=d %s", good[i]);
		if (parse(line, &a, &err) != BT_OPT_RUN)
			fail_msg("%s: %s", good[i], err.text);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(line, sizeof(line), "-md=d %s", bad[i]);
		assert_int_equal(parse(line, &a, &err), BT_OPT_MISTAKE);
		assert_non_null(strstr(err.text, "there is no "));
	}
	assert_int_equal(parse("-md=d --ds=Mirrored", &a, &err), BT_OPT_RUN);
	assert_string_equal(a.strategy, "mirrored");
}

TEST(too_much_is_refused)
{
	struct bt_error err = {0};
	char line[2048] = "-md=d", name[80];
	struct args a;
	int i;

	for (i = 0; i < 30; i++)
		strcat(line, " --config_file=a");
	assert_int_equal(parse(line, &a, &err), BT_OPT_RUN);
	strcat(line, " --config_file=a --config_file=a");
	assert_int_equal(parse(line, &a, &err), BT_OPT_RUN);
	assert_int_equal(a.files.n, BT_OPT_LIST_MAX);
	strcat(line, " --config_file=a");
	assert_int_equal(parse(line, &a, &err), BT_OPT_MISTAKE);
	memset(name, 'x', sizeof(name));
	name[0] = name[1] = '-';
	name[79] = '\0';
	assert_int_equal(parse(name, &a, &err), BT_OPT_MISTAKE);
	assert_non_null(strstr(err.text, "unknown flag"));
}

static void keep(void *ctx, const struct bt_log_line *line)
{
	snprintf(ctx, 200, "%s", line->text);
}

TEST(idle_flags_are_noted)
{
	char said[200] = "";
	struct bt_log log = {.emit = keep, .ctx = said, .level = BT_LOG_NOTE};
	struct bt_error err = {0};
	struct args a;

	assert_int_equal(parse("-md=d --mode=train", &a, &err), BT_OPT_RUN);
	bt_flags_note(&flags, &a, &log);
	assert_string_equal(said, "");
	assert_int_equal(
	    parse("-md=d -ds=off --steps_per_loop=2 --tpu=", &a, &err),
	    BT_OPT_RUN);
	bt_flags_note(&flags, &a, &log);
	assert_string_equal(said, "without effect here: "
	                          "--distribution_strategy, --steps_per_loop");
}

TEST(help_and_version_are_seen)
{
	struct bt_error err = {0};
	struct args a;

	assert_int_equal(parse("--help", &a, &err), BT_OPT_HELP_ASKED);
	assert_int_equal(parse("-md=d -helpfull x", &a, &err),
	                 BT_OPT_HELP_ASKED);
	assert_int_equal(parse("--version", &a, &err), BT_OPT_VERSION_ASKED);
}
