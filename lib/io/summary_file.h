/* SPDX-License-Identifier: MIT */
/* The file into which a program writes what its run did (base/summary.h). */
#ifndef BT_IO_SUMMARY_FILE_H
#define BT_IO_SUMMARY_FILE_H

#include "base/tool.h"
#include "io/out.h"

/* Before the work. *out is NULL where no summary is asked for. BT_EARG where it
 * would replace an input or mix with the output. */
int bt_summary_file_open(const struct bt_common *common, char *const *inputs,
                         int n, struct bt_out **out,
                         struct bt_error *err) BT_MUST_USE;

/* After it, with its exit status; returns the one that the program ends with.
 * After wrong usage there is no file. */
int bt_summary_file_end(const struct bt_tool *tool, struct bt_out *out,
                        int status) BT_MUST_USE;

/*
 * The main function of a program that reads the files of its command line and
 * whose processes do not share the work: parses the command line into values,
 * of which common is a part, and runs, with a summary if one is asked for.
 * records: whether such values make it write records; after wrong usage their
 * reader learns that they do not come. NULL: always.
 */
int bt_summary_file_main(const struct bt_tool *tool, int argc, char **argv,
                         void *values, const struct bt_common *common,
                         int (*run)(void *values, char *const *files, int n),
                         bool (*records)(const void *values));

#endif
