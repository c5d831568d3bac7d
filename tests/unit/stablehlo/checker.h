/* SPDX-License-Identifier: MIT */
/*
 * Reads a program as text and checks what a compiler would refuse: each value
 * is set once and before it is used, has the type that its users say, all
 * arguments are used, and the types of products and of operations element by
 * element follow from those of their operands. It shares no code with the
 * writer.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_VALUES 20000
#define CHECK_TYPE 64
#define CHECK_OPERANDS 8

struct checker {
	char (*type)[CHECK_TYPE]; /* of %0, %1, ...; "" where not set */
	char (*arg)[CHECK_TYPE];
	bool *used; /* arguments */
	int args;
	char error[400]; /* "": none */
	int values;
};

static inline bool check_wrong(struct checker *c, const char *what,
                               const char *line)
{
	if (c->error[0] == '\0')
		snprintf(c->error, sizeof(c->error), "%s: %.200s", what, line);
	return false;
}

/* Where the type of a value stands, or NULL. */
static inline char *check_type(struct checker *c, const char *name)
{
	int i = 0;

	if (sscanf(name, "%%arg%d", &i) == 1)
		return i >= 0 && i < c->args ? c->arg[i] : NULL;
	if (sscanf(name, "%%%d", &i) == 1 && i >= 0 && i < CHECK_VALUES)
		return c->type[i];
	return NULL;
}

/* The next "tensor<...>" at or behind *s, which moves on. */
static inline bool check_next(const char **s, char type[CHECK_TYPE])
{
	const char *from = strstr(*s, "tensor<");
	const char *to = from == NULL ? NULL : strchr(from, '>');

	if (to == NULL || to - from >= CHECK_TYPE - 1)
		return false;
	snprintf(type, CHECK_TYPE, "%.*s", (int)(to + 1 - from), from);
	*s = to + 1;
	return true;
}

/* Dimensions of a type; their number. */
static inline int check_dims(const char *type, long dim[8])
{
	const char *s = type + strlen("tensor<");
	int n = 0, len;

	while (n < 8 && sscanf(s, "%ldx%n", &dim[n], &len) == 1 && len > 0) {
		s += len;
		n++;
		len = 0;
	}
	return n;
}

/* The numbers of a list "NAME = [0, 2]"; how many there are. */
static inline int check_list(const char *line, const char *name, int v[8])
{
	const char *s = strstr(line, name);
	int n = 0, len;

	if (s == NULL || s > strchr(line, '\n'))
		return 0;
	for (s = strchr(s, '[') + 1;
	     n < 8 && sscanf(s, " %d%n", &v[n], &len) == 1; n++) {
		s += len;
		s += *s == ',';
	}
	return n;
}

static inline bool check_has(const int *v, int n, int x)
{
	while (n-- > 0)
		if (v[n] == x)
			return true;
	return false;
}

static inline bool check_dot(struct checker *c, const char *line, const char *x,
                             const char *y, const char *z)
{
	int xb[8], yb[8], xs[8], ys[8], nz, nx, ny, i, n = 0;
	int b = check_list(line, "lhs_batching_dimensions", xb);
	int s = check_list(line, "lhs_contracting_dimensions", xs);
	long dx[8], dy[8], dz[8], want[16];

	nx = check_dims(x, dx);
	ny = check_dims(y, dy);
	nz = check_dims(z, dz);
	if (check_list(line, "rhs_batching_dimensions", yb) != b ||
	    check_list(line, "rhs_contracting_dimensions", ys) != s)
		return check_wrong(c, "lists of two lengths", line);
	for (i = 0; i < s; i++)
		if (dx[xs[i]] != dy[ys[i]])
			return check_wrong(c, "sums of two lengths", line);
	for (i = 0; i < b; i++) {
		if (dx[xb[i]] != dy[yb[i]])
			return check_wrong(c, "batches of two sizes", line);
		want[n++] = dx[xb[i]];
	}
	for (i = 0; i < nx; i++)
		if (!check_has(xb, b, i) && !check_has(xs, s, i))
			want[n++] = dx[i];
	for (i = 0; i < ny; i++)
		if (!check_has(yb, b, i) && !check_has(ys, s, i))
			want[n++] = dy[i];
	if (n != nz || memcmp(want, dz, (size_t)n * sizeof(*want)) != 0)
		return check_wrong(c, "another result follows", line);
	return true;
}

/* What follows from the operands' types, of operations where that is simple. */
static inline bool check_result(struct checker *c, const char *op,
                                const char *line,
                                char in[CHECK_OPERANDS][CHECK_TYPE], int n,
                                const char *out)
{
	static const char same[] =
	    " add subtract multiply divide maximum minimum and exponential "
	    "log rsqrt tanh negate abs logistic log_plus_one cosine sine "
	    "chlo.erf sqrt ";
	char word[70];
	int i;

	snprintf(word, sizeof(word), " %s ", op);
	if (strcmp(op, "dot_general") == 0)
		return check_dot(c, line, in[0], in[1], out);
	for (i = 0; i < n && strstr(same, word) != NULL; i++)
		if (strcmp(in[i], out) != 0)
			return check_wrong(c, "shapes differ", line);
	return true;
}

/* One operation; signature: what stands behind the last " : ". */
static inline bool check_op(struct checker *c, const char *line,
                            const char *signature)
{
	char in[CHECK_OPERANDS][CHECK_TYPE], op[60], *type;
	const char *s, *arrow = strstr(signature, "->");
	int n = 0, number = -1;

	if (sscanf(line, " %%%d = \"%59[^\"]\"(", &number, op) != 2 ||
	    arrow == NULL || check_type(c, strchr(line, '%')) == NULL)
		return check_wrong(c, "no operation", line);
	for (s = strchr(line, '(') + 1; *s == '%'; n++) {
		type = check_type(c, s);
		if (type == NULL || *type == '\0' || n == CHECK_OPERANDS)
			return check_wrong(c, "an operand is not there", line);
		if (sscanf(s, "%%arg%d", &number) == 1)
			c->used[number] = true;
		if (!check_next(&signature, in[n]) || strcmp(in[n], type) != 0)
			return check_wrong(c, "an operand has another type",
			                   line);
		s += strcspn(s, ",)");
		s += *s == ',' ? 2 : 0;
	}
	type = check_type(c, strchr(line, '%'));
	if (*type != '\0' || !check_next(&arrow, type))
		return check_wrong(c, "a value is set twice", line);
	c->values++;
	return check_result(c,
	                    strncmp(op, "stablehlo.", 10) == 0 ? op + 10 : op,
	                    line, in, n, type);
}

static inline void check_arguments(struct checker *c, const char *line,
                                   const char *end)
{
	char type[CHECK_TYPE];

	while (line < end && check_next(&line, type) && line <= end)
		snprintf(c->arg[c->args++], CHECK_TYPE, "%s", type);
}

/* The end of a line, or of the lines of an operation that has a region. */
static inline const char *check_end(const char *line)
{
	const char *end = strchr(line, '\n');

	if (strncmp(line, "    %", 5) == 0 && end[-1] == '{' && end[-2] == '(')
		do
			line = end + 1, end = strchr(line, '\n');
		while (strncmp(line, "    })", 6) != 0);
	return end + 1;
}

static inline bool check_line(struct checker *c, const char *line)
{
	const char *s = strstr(line, "\n    })"), *signature = NULL;

	if (strncmp(line, "  func.func public @main(", 25) == 0) {
		check_arguments(c, line, strstr(line, ") -> "));
		return true;
	}
	if (strncmp(line, "    %", 5) != 0)
		return true;
	for (s = s == NULL ? line : s; (s = strstr(s, " : (")) != NULL;)
		signature = s++;
	return signature != NULL ? check_op(c, line, signature)
	                         : check_wrong(c, "no types", line);
}

/* "" or what is wrong with a program; sets the number of its operations. */
static inline const char *check_program(const char *text, int *operations)
{
	static char error[400];
	struct checker c = {.args = 0};
	const char *line = text, *end;
	char *one;
	int i;

	c.type = calloc(CHECK_VALUES, sizeof(*c.type));
	c.arg = calloc(CHECK_VALUES, sizeof(*c.arg));
	c.used = calloc(CHECK_VALUES, sizeof(*c.used));
	for (; *line != '\0' && c.error[0] == '\0'; line = end) {
		end = check_end(line);
		/* functions for strings look for the end of all the text */
		one = strndup(line, (size_t)(end - line));
		check_line(&c, one);
		free(one);
	}
	for (i = 0; i < c.args && c.error[0] == '\0'; i++)
		if (!c.used[i])
			check_wrong(&c, "an argument is not used", c.arg[i]);
	if (c.args == 0 || c.values == 0)
		check_wrong(&c, "nothing was found", text);
	*operations = c.values;
	snprintf(error, sizeof(error), "%s", c.error);
	free(c.type);
	free(c.arg);
	free(c.used);
	return error;
}

#endif
