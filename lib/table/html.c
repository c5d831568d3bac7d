/* SPDX-License-Identifier: MIT */
/* Tags and entities of HTML in texts. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "format/charset.h"
#include "table/table_int.h"

#define NAME_MAX 12
#define LONGEST 4096 /* bytes of a tag or comment */

/* Elements of texts; not s, which is a token of some models, too. */
static const char elements[] =
    " a abbr b big blockquote body br center code dd div dl dt em font h1 h2 "
    "h3 h4 h5 h6 head hr html i img li link meta ol p pre q script small span "
    "strike strong style sub sup table tbody td th thead title tr u ul ";

/* The characters from 160 on. */
static const char latin1[] =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy "
    "reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm "
    "raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring "
    "AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde "
    "Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml "
    "Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil "
    "egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve "
    "oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute "
    "thorn yuml ";

static const struct {
	const char *name;
	uint32_t code;
} others[] = {
    {"quot", '"'},    {"amp", '&'},     {"apos", '\''},   {"lt", '<'},
    {"gt", '>'},      {"OElig", 338},   {"oelig", 339},   {"Scaron", 352},
    {"scaron", 353},  {"Yuml", 376},    {"circ", 710},    {"tilde", 732},
    {"ensp", 8194},   {"emsp", 8195},   {"thinsp", 8201}, {"zwnj", 8204},
    {"zwj", 8205},    {"ndash", 8211},  {"mdash", 8212},  {"lsquo", 8216},
    {"rsquo", 8217},  {"sbquo", 8218},  {"ldquo", 8220},  {"rdquo", 8221},
    {"bdquo", 8222},  {"dagger", 8224}, {"Dagger", 8225}, {"bull", 8226},
    {"hellip", 8230}, {"permil", 8240}, {"prime", 8242},  {"Prime", 8243},
    {"lsaquo", 8249}, {"rsaquo", 8250}, {"euro", 8364},   {"trade", 8482},
    {"larr", 8592},   {"rarr", 8594},   {"minus", 8722},  {"hearts", 9829},
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

/* The name at p, with a blank before and behind it; false: it is empty or too
 * long. */
static bool take_name(const char *p, const char *end, char name[NAME_MAX + 3])
{
	size_t n = 0;

	while (p + n < end && n <= NAME_MAX && is_name(p[n]))
		n++;
	if (n == 0 || n > NAME_MAX)
		return false;
	name[0] = name[n + 1] = ' ';
	memcpy(name + 1, p, n);
	name[n + 2] = '\0';
	return true;
}

/* The end of the comment at p, or NULL. From *none on, which moves, its end is
 * looked for: where many begin and none ends, each byte is looked at once. */
static const char *take_comment(const char *p, const char *end,
                                const char **none)
{
	const char *from = *none > p + 4 ? *none : p + 4;

	p = memmem(from, (size_t)(end - from), "-->", 3);
	if (p == NULL && end - 2 > *none)
		*none = end - 2;
	return p != NULL ? p + 3 : NULL;
}

/* The end of the tag or comment at p, or NULL; *none as above. */
static const char *take_tag(const char *p, const char *end, const char **none)
{
	char name[NAME_MAX + 3], quote = '\0', *c;

	if (end - p > LONGEST)
		end = p + LONGEST;
	if (end - p > 3 && memcmp(p, "<!--", 4) == 0)
		return take_comment(p, end, none);
	p += 1 + (end - p > 1 && p[1] == '/');
	if (!take_name(p, end, name))
		return NULL;
	for (c = name; *c != '\0'; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
	p += c - name - 2;
	if (strstr(elements, name) == NULL || p == end ||
	    strchr(" \t\r\n/>", *p) == NULL)
		return NULL;
	for (; p < end && (*p != '>' || quote != '\0'); p++)
		if (quote != '\0')
			quote = *p == quote ? '\0' : quote;
		else if (*p == '<')
			return NULL;
		else if (*p == '"' || *p == '\'')
			quote = *p;
	return p < end ? p + 1 : NULL;
}

static uint32_t find_entity(const char *name)
{
	const char *p = strstr(latin1, name + 1);
	size_t n = strlen(name) - 2, i;
	uint32_t code = 160;

	/* that of the list, and not the end of another */
	while (p != NULL && p > latin1 && p[-1] != ' ')
		p = strstr(p + 1, name + 1);
	if (p != NULL) {
		for (; p > latin1; p--)
			code += p[-1] == ' ';
		return code;
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i].name) == n &&
		    memcmp(others[i].name, name + 1, n) == 0)
			return others[i].code;
	return 0;
}

/* The end of the entity at p, or NULL, and its character. */
static const char *take_entity(const char *p, const char *end, uint32_t *code)
{
	bool number = end - p > 2 && p[1] == '#', hex;
	char name[NAME_MAX + 3], *stop;
	unsigned long v;

	hex = number && (p[2] == 'x' || p[2] == 'X');
	p += 1 + number + hex;
	if (!take_name(p, end, name))
		return NULL;
	p += strlen(name) - 2;
	if (p == end || *p != ';')
		return NULL;
	if (!number) {
		*code = find_entity(name);
	} else {
		v = strtoul(name + 1, &stop, hex ? 16 : 10);
		*code =
		    *stop == ' ' && v < 0x110000 && (v < 0xd800 || v > 0xdfff)
		        ? (uint32_t)v
		        : 0;
	}
	return *code != 0 ? p + 1 : NULL;
}

bool bt_table_find_html(struct bt_span v, struct bt_span *first)
{
	const char *p, *end = v.p + v.n, *stop, *none = v.p;
	uint32_t code;

	for (p = v.p; p < end && (p = memchr(p, '<', (size_t)(end - p))); p++)
		if ((stop = take_tag(p, end, &none)) != NULL)
			goto found;
	for (p = v.p; p < end && (p = memchr(p, '&', (size_t)(end - p))); p++)
		if ((stop = take_entity(p, end, &code)) != NULL)
			goto found;
	return false;
found:
	*first = (struct bt_span){p, (size_t)(stop - p)};
	return true;
}

void bt_table_put_plain(struct bt_buf *out, struct bt_span v)
{
	const char *p = v.p, *end = p + v.n, *next, *none = p;
	uint8_t utf8[4];
	uint32_t code;
	char byte;

	for (; p < end; p = next) {
		next = *p == '<' ? take_tag(p, end, &none) : NULL;
		if (next != NULL) {
			bt_buf_putc(out, ' ');
			continue;
		}
		next = *p == '&' ? take_entity(p, end, &code) : NULL;
		if (next == NULL) {
			next = p + 1;
			bt_buf_putc(out, *p);
			continue;
		}
		byte = (char)code; /* as browsers take these codes */
		if (code >= 128 && code < 160 &&
		    bt_charset_check(BT_CHARSET_WINDOWS1252, &byte, 1) == 1)
			bt_charset_put(out, BT_CHARSET_WINDOWS1252, &byte, 1);
		else
			bt_buf_put(out, utf8, bt_utf8_put(utf8, code));
	}
}
