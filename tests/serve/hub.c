/* SPDX-License-Identifier: MIT */
/*
 * A web server for tests, on an address of this machine. It gives the files
 * below ROOT/www, understands Range, and misbehaves as ROOT/rules says.
 *
 *     hub ROOT      writes its port to ROOT/port, runs until it is killed
 *
 * A line of ROOT/rules is "PATTERN TIMES ACTION": for paths that match, in the
 * first so many requests (0: in all)
 *
 *     cut N           closes the connection after N bytes
 *     short N, grow N so many bytes fewer or more, properly announced
 *     corrupt         the first byte is another one
 *     norange         Range is ignored
 *     stall N         stands still after N bytes
 *     hold N          likewise, until there is a file ROOT/go
 *     status S HEADER answers so, with a header or none
 *     redirect URL    answers with status 302; %P is the port
 *
 * PATH.headers beside a file has more headers for it. ROOT/log gets a line for
 * each request: its method, path, Range and Authorization.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *root;
static unsigned port;

struct request {
	char method[8], path[2048], range[64], token[256];
};

struct rule {
	char action[16], argument[512];
	long n;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(int fd, const char *data, size_t n)
{
	ssize_t w;

	for (; n > 0; data += w, n -= (size_t)w) {
		w = write(fd, data, n);
		if (w <= 0)
			exit(0);
	}
}

static void log_request(const struct request *q)
{
	char path[600], line[3000];
	int fd, n;

	snprintf(path, sizeof(path), "%s/log", root);
	n = snprintf(line, sizeof(line), "%s %s range=%s token=%s\n", q->method,
	             q->path, q->range, q->token);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd >= 0 && write(fd, line, (size_t)n) == n)
		close(fd);
}

/* Counts a use of a rule in the length of a file; how many there were. */
static long uses(int number)
{
	char path[600];
	off_t at;
	int fd;

	snprintf(path, sizeof(path), "%s/uses.%d", root, number);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd < 0 || write(fd, "x", 1) != 1)
		fail(path);
	at = lseek(fd, 0, SEEK_CUR); /* behind what this call wrote */
	close(fd);
	return (long)at;
}

/* The first rule that holds for a path. */
static bool find_rule(const char *path, struct rule *rule)
{
	char file[600], line[1024], pattern[512];
	bool found = false;
	long times;
	int number = 0;
	FILE *f;

	memset(rule, 0, sizeof(*rule));
	snprintf(file, sizeof(file), "%s/rules", root);
	f = fopen(file, "r");
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		number++;
		rule->argument[0] = '\0';
		if (sscanf(line, "%511s %ld %15s %511[^\n]", pattern, &times,
		           rule->action, rule->argument) < 3 ||
		    fnmatch(pattern, path, 0) != 0)
			continue;
		found = times == 0 || uses(number) <= times;
	}
	if (f != NULL)
		fclose(f);
	if (!found)
		rule->action[0] = '\0';
	rule->n = atol(rule->argument);
	return found;
}

/* Reads the head of a request. */
static bool read_request(int fd, struct request *q)
{
	static char head[16384];
	char *line, *next;
	size_t n = 0;
	ssize_t got;

	memset(q, 0, sizeof(*q));
	while (strstr(head, "\r\n\r\n") == NULL) {
		if (n + 1 >= sizeof(head))
			return false;
		got = read(fd, head + n, sizeof(head) - 1 - n);
		if (got <= 0)
			return false;
		n += (size_t)got;
		head[n] = '\0';
	}
	if (sscanf(head, "%7s %2047s", q->method, q->path) != 2)
		return false;
	q->path[strcspn(q->path, "?")] = '\0';
	for (line = head; (next = strstr(line, "\r\n")) != NULL;
	     line = next + 2) {
		*next = '\0';
		if (strncasecmp(line, "range: ", 7) == 0)
			snprintf(q->range, sizeof(q->range), "%s", line + 7);
		if (strncasecmp(line, "authorization: ", 15) == 0)
			snprintf(q->token, sizeof(q->token), "%s", line + 15);
	}
	return true;
}

static char *load(const char *path, const char *end, size_t *n)
{
	char file[3000], *data;
	FILE *f;
	long size;

	snprintf(file, sizeof(file), "%s/www%s%s", root, path, end);
	f = fopen(file, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
		if (f != NULL)
			fclose(f);
		return NULL;
	}
	rewind(f);
	data = calloc((size_t)size + 4096, 1);
	*n = data != NULL ? fread(data, 1, (size_t)size, f) : 0;
	fclose(f);
	return data;
}

static void answer(int fd, int status, const char *header)
{
	char text[3000];
	int n;

	n = snprintf(text, sizeof(text),
	             "HTTP/1.1 %d Told\r\n%s%sContent-Length: 3\r\n"
	             "Connection: close\r\n\r\nno\n",
	             status, header, *header != '\0' ? "\r\n" : "");
	put(fd, text, (size_t)n);
}

static void redirect(int fd, const char *to)
{
	char header[2000];
	const char *p = strstr(to, "%P");

	if (p != NULL)
		snprintf(header, sizeof(header), "Location: %.*s%u%s",
		         (int)(p - to), to, port, p + 2);
	else
		snprintf(header, sizeof(header), "Location: %s", to);
	answer(fd, 302, header);
}

/* Whether the other side has closed the connection. */
static bool is_closed(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void wait_to_go(int fd)
{
	const struct timespec ms = {0, 10000000};
	char path[600];

	snprintf(path, sizeof(path), "%s/go", root);
	while (access(path, F_OK) != 0 && !is_closed(fd))
		nanosleep(&ms, NULL);
}

/* Sends a file as the rule has it. */
static void give(int fd, const struct request *q, const struct rule *rule,
                 char *data, size_t n)
{
	char head[4096];
	size_t from = 0, size, extra, k;
	char *more = load(q->path, ".headers", &extra);
	bool range = strncmp(q->range, "bytes=", 6) == 0 &&
	             strcmp(rule->action, "norange") != 0;

	if (strcmp(rule->action, "corrupt") == 0 && n > 0)
		data[0] ^= 1;
	if (strcmp(rule->action, "short") == 0)
		n -= (size_t)rule->n;
	if (strcmp(rule->action, "grow") == 0)
		n += (size_t)rule->n; /* load left room */
	if (range)
		from = (size_t)atol(q->range + 6);
	if (range && from >= n) {
		answer(fd, 416, "");
		return;
	}
	size = n - from;
	k = (size_t)snprintf(head, sizeof(head),
	                     "HTTP/1.1 %s\r\nContent-Length: %zu\r\n"
	                     "Connection: close\r\n",
	                     range ? "206 Part" : "200 Whole", size);
	if (range)
		k += (size_t)snprintf(head + k, sizeof(head) - k,
		                      "Content-Range: bytes %zu-%zu/%zu\r\n",
		                      from, n - 1, n);
	k += (size_t)snprintf(head + k, sizeof(head) - k, "%s\r\n",
	                      more != NULL ? more : "");
	put(fd, head, k);
	free(more);
	if (strcmp(q->method, "HEAD") == 0)
		return;
	n = size;
	if ((strcmp(rule->action, "cut") == 0 ||
	     strcmp(rule->action, "stall") == 0 ||
	     strcmp(rule->action, "hold") == 0) &&
	    (size_t)rule->n < size)
		size = (size_t)rule->n;
	put(fd, data + from, size);
	if (strcmp(rule->action, "stall") == 0)
		(void)!read(fd, head, 1); /* until the other side closes */
	if (strcmp(rule->action, "hold") == 0) {
		wait_to_go(fd);
		put(fd, data + from + size, n - size);
	}
}

static void serve(int fd)
{
	struct request q;
	struct rule rule;
	char *data;
	size_t n = 0;

	/* what is left of an earlier run has no part in the rules of now */
	if (!read_request(fd, &q) || is_closed(fd))
		return;
	log_request(&q);
	(void)find_rule(q.path, &rule);
	if (strcmp(rule.action, "status") == 0) {
		answer(fd, (int)rule.n,
		       rule.argument + strcspn(rule.argument, " ") +
		           (strchr(rule.argument, ' ') != NULL));
		return;
	}
	if (strcmp(rule.action, "redirect") == 0) {
		redirect(fd, rule.argument);
		return;
	}
	data = load(q.path, "", &n);
	if (data == NULL)
		answer(fd, 404, "X-Error-Message: there is nothing");
	else
		give(fd, &q, &rule, data, n);
	free(data);
}

static void write_port(void)
{
	char path[600], done[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/port.new", root);
	snprintf(done, sizeof(done), "%s/port", root);
	f = fopen(path, "w");
	if (f == NULL || fprintf(f, "%u\n", port) < 0 || fclose(f) != 0 ||
	    rename(path, done) != 0)
		fail(path);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t size = sizeof(a);
	int s = socket(AF_INET, SOCK_STREAM, 0), fd;

	if (argc != 2)
		return 2;
	root = argv[1];
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(s, 64) != 0 ||
	    getsockname(s, (struct sockaddr *)&a, &size) != 0)
		fail("hub");
	port = ntohs(a.sin_port);
	write_port();
	while ((fd = accept(s, NULL, NULL)) >= 0) {
		if (fork() == 0) {
			close(s);
			serve(fd);
			shutdown(fd, SHUT_WR);
			_exit(0);
		}
		close(fd);
	}
	return 0;
}
