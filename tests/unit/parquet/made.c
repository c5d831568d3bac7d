/* SPDX-License-Identifier: MIT */
/* Not under thread: starts no threads */
/* Files made byte by byte: forms that no writer makes today, and hostile ones,
 * each refused with its reason. */
#include "files.h"

#include <jansson.h>

#include "base/buf.h"
#include "format/protobuf_wire.h"
#include "parquet/parquet.h"
#include "parquet/schema.h"

enum { T_I64 = 6, T_TEXT = 8, T_LIST = 9, T_STRUCT = 12 };
enum { PLAIN = 0, RLE = 3, BIT_PACKED = 4, DELTA_LENGTH = 6, RLE_DICT = 8 };
enum { DATA, INDEX, DICTIONARY, DATA_2 };

/* Thrift's compact protocol; ids of fields restart in each struct. */
struct thrift {
	struct bt_buf b;
	int last[16];
	int depth;
};

static void put_head(struct thrift *t, int id, int type)
{
	bt_buf_putc(&t->b, (char)((id - t->last[t->depth]) << 4 | type));
	t->last[t->depth] = id;
}

static void put_zigzag(struct bt_buf *b, int64_t v)
{
	bt_pb_put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_int(struct thrift *t, int id, int64_t v)
{
	put_head(t, id, T_I64);
	put_zigzag(&t->b, v);
}

static void put_text(struct thrift *t, int id, const char *s)
{
	put_head(t, id, T_TEXT);
	bt_pb_put_varint(&t->b, strlen(s));
	bt_buf_puts(&t->b, s);
}

static void begin_element(struct thrift *t)
{
	t->last[++t->depth] = 0;
}

static void begin(struct thrift *t, int id)
{
	put_head(t, id, T_STRUCT);
	begin_element(t);
}

static void end(struct thrift *t)
{
	bt_buf_putc(&t->b, '\0');
	t->depth--;
}

static void put_list(struct thrift *t, int id, size_t n)
{
	put_head(t, id, T_LIST);
	bt_buf_putc(&t->b, (char)(0xf0 | T_STRUCT));
	bt_pb_put_varint(&t->b, n);
}

/* A node of the tree. */
struct node {
	const char *name;
	int type, repetition, children, converted; /* -1: absent */
};

/* A file of one column. */
struct spec {
	const struct node *nodes; /* [n_nodes] behind the root; NULL: a text */
	size_t n_nodes;
	int64_t rows, values, group_rows; /* group_rows 0: as rows */
	int64_t codec, at, size, type;    /* at, size 0: as they are */
	int columns;                      /* of the row group; 0: one */
	const char *path;
	bool crypto, deep;
};

static const struct node text_node = {"text", BT_PARQUET_BYTES, 0, 0, 0};

static void put_node(struct thrift *t, const struct node *n)
{
	begin_element(t);
	if (n->type >= 0)
		put_int(t, 1, n->type);
	put_int(t, 2, 3);
	if (n->repetition >= 0)
		put_int(t, 3, n->repetition);
	put_text(t, 4, n->name);
	if (n->children > 0)
		put_int(t, 5, n->children);
	if (n->converted >= 0)
		put_int(t, 6, n->converted);
	end(t);
}

static void put_column(struct thrift *t, const struct spec *s, size_t pages)
{
	begin_element(t);
	if (s->path != NULL)
		put_text(t, 1, s->path);
	begin(t, 3);
	put_int(t, 1, s->type != 0 ? s->type : BT_PARQUET_BYTES);
	put_int(t, 4, s->codec);
	put_int(t, 5, s->values);
	put_int(t, 7, s->size != 0 ? s->size : (int64_t)pages);
	put_int(t, 9, s->at != 0 ? s->at : 4);
	end(t);
	if (s->crypto) {
		begin(t, 8);
		end(t);
	}
	end(t);
}

/* Writes x.parquet: the pages, and a footer by the specification. */
static void make(const struct spec *s, const struct bt_buf *pages)
{
	struct thrift t = {BT_BUF_INIT, {0}, 0};
	struct node root = {"schema", -1, -1, 1, -1};
	size_t n = s->nodes != NULL ? s->n_nodes : 1, i;
	size_t len = pages != NULL ? pages->len : 0, footer;
	int columns = s->columns != 0 ? s->columns : 1;

	bt_buf_puts(&t.b, "PAR1");
	if (len > 0)
		bt_buf_put(&t.b, pages->data, len);
	footer = t.b.len;
	put_int(&t, 1, 1);
	put_list(&t, 2, n + 1);
	put_node(&t, &root);
	for (i = 0; i < n; i++)
		put_node(&t, s->nodes != NULL ? &s->nodes[i] : &text_node);
	put_int(&t, 3, s->rows);
	put_list(&t, 4, 1);
	begin_element(&t);
	put_list(&t, 1, (size_t)columns);
	for (i = 0; i < (size_t)columns; i++)
		put_column(&t, s, len);
	put_int(&t, 2, 1000);
	put_int(&t, 3, s->group_rows != 0 ? s->group_rows : s->rows);
	end(&t);
	if (s->deep) {
		put_head(&t, 9, T_LIST);
		for (i = 0; i < 100; i++)
			bt_buf_putc(&t.b, 0x10 | T_LIST);
		bt_buf_putc(&t.b, 0);
	}
	bt_buf_putc(&t.b, '\0');
	bt_buf_uint(&t.b, t.b.len - footer, 4);
	bt_buf_puts(&t.b, "PAR1");
	file_put("x.parquet", t.b.data, t.b.len);
	bt_buf_clear(&t.b);
}

/* A page, whose header may claim other numbers. */
struct page {
	int64_t type, size, packed, values, encoding, levels, crc;
};

static void put_page(struct bt_buf *pages, struct page p, const void *data,
                     size_t n)
{
	static const int of[] = {5, 6, 7, 8};
	struct thrift t = {BT_BUF_INIT, {0}, 0};

	put_int(&t, 1, p.type);
	put_int(&t, 2, p.size != 0 ? p.size : (int64_t)n);
	put_int(&t, 3, p.packed != 0 ? p.packed : (int64_t)n);
	if (p.crc != 0)
		put_int(&t, 4, p.crc);
	begin(&t, of[p.type]);
	put_int(&t, 1, p.values);
	if (p.type == DATA_2) {
		put_int(&t, 2, 0);
		put_int(&t, 3, p.values);
		put_int(&t, 4, p.encoding);
		put_int(&t, 5, p.levels);
		put_int(&t, 6, 0);
	} else {
		put_int(&t, 2, p.encoding);
		put_int(&t, 3, p.levels != 0 ? p.levels : RLE);
		put_int(&t, 4, p.levels != 0 ? p.levels : RLE);
	}
	end(&t);
	bt_buf_putc(&t.b, '\0');
	bt_buf_put(pages, t.b.data, t.b.len);
	if (n > 0)
		bt_buf_put(pages, data, n);
	bt_buf_clear(&t.b);
}

static struct bt_parquet *open_made(struct bt_error *err)
{
	struct bt_parquet *p;
	struct bt_in *in;
	size_t i;

	if (bt_in_open("x.parquet", &in, err) != BT_OK ||
	    bt_parquet_open(in, 1000, NULL, &p, err) != BT_OK)
		return NULL;
	for (i = 0; i < bt_parquet_width(p); i++)
		assert_int_equal(bt_parquet_want(p, i, err), BT_OK);
	return p;
}

/* What the made file gives: all rows, and the error that ends them. */
static void expect(const char *wanted)
{
	struct bt_error err = {0};
	struct bt_parquet *p = open_made(&err);
	struct bt_buf b = BT_BUF_INIT;
	json_t *o;
	char *s;
	int r = p != NULL ? 1 : -1;

	while (r == 1 && (r = bt_parquet_next_object(p, &o, &err)) == 1) {
		s = json_dumps(o, JSON_COMPACT);
		bt_buf_printf(&b, "%s;", s);
		free(s);
		json_decref(o);
	}
	if (r < 0)
		bt_buf_puts(&b, err.text);
	if (strstr(bt_buf_str(&b), wanted) == NULL)
		fail_msg("'%s' lacks '%s'", bt_buf_str(&b), wanted);
	if (r == 0)
		assert_string_equal(bt_buf_str(&b), wanted);
	bt_buf_clear(&b);
	bt_parquet_close(p);
}

static void footer(const struct spec *s, const char *wanted)
{
	make(s, NULL);
	expect(wanted);
}

/* One page of a column of texts of two rows. */
static void one_page(struct page p, const void *data, size_t n,
                     const char *wanted)
{
	struct bt_buf pages = BT_BUF_INIT;

	put_page(&pages, p, data, n);
	make(&(struct spec){.rows = 2, .values = 2}, &pages);
	bt_buf_clear(&pages);
	expect(wanted);
}

#define AB "\1\0\0\0a\1\0\0\0b"

TEST(good)
{
	one_page((struct page){.values = 2}, AB, 10,
	         "{\"text\":\"a\"};{\"text\":\"b\"};");
	one_page((struct page){.type = DATA_2, .values = 2}, AB, 10,
	         "{\"text\":\"a\"};{\"text\":\"b\"};");
}

TEST(ends)
{
	file_put("x.parquet", "PAR1", 4);
	expect("it ends inside the format's first bytes");
	file_put("x.parquet", "PAR1,text\na,b\nc,d\n", 18);
	expect("cannot read 'x.parquet': it begins as a Parquet file does, "
	       "but does not end as one: it is cut short");
	file_put("x.parquet", "PAR1\xff\xff\xff\xffPAR1", 12);
	expect("claims 4294967295 bytes of a file of 12");
	file_put("x.parquet", "PAR1abc\3\0\0\0PAR1", 15);
	expect("its footer is damaged: it cannot be read");
	/* a field's number that is too large */
	file_put("x.parquet",
	         "PAR1\6\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\2\x16\2\0"
	         "\17\0\0\0PAR1",
	         27);
	expect("its footer is damaged: it cannot be read");
	file_put("x.parquet", "PAR1abc\3\0\0\0PARE", 15);
	expect("it is encrypted");
}

TEST(footers)
{
	struct node nodes[40];
	size_t i;

	for (i = 0; i < 40; i++)
		nodes[i] = (struct node){"a", -1, 0, 1, -1};
	footer(&(struct spec){.nodes = nodes, .n_nodes = 40},
	       "nested too deeply");
	footer(&(struct spec){.nodes = nodes, .n_nodes = 2},
	       "columns are missing");
	nodes[0] = (struct node){"a", 9, 0, 0, -1};
	footer(&(struct spec){.nodes = nodes, .n_nodes = 1},
	       "number out of range");
	nodes[0] = (struct node){"a", BT_PARQUET_DOUBLE, 0, 0, 0};
	nodes[0].converted = 6;
	footer(&(struct spec){.nodes = nodes, .n_nodes = 1},
	       "the type of column 'a' makes no sense");
	footer(&(struct spec){.rows = 3, .group_rows = 2},
	       "it claims 3 rows, but its row groups have 2");
	footer(&(struct spec){.rows = -1}, "a row group cannot be read");
	footer(&(struct spec){.rows = 1, .size = 1000, .values = 1},
	       "a column is outside the file");
	footer(&(struct spec){.rows = 1, .at = -5, .values = 1},
	       "a column is outside the file");
	footer(&(struct spec){.rows = 1, .type = 1}, "a column has two types");
	footer(&(struct spec){.rows = 1, .columns = 2},
	       "row group 1 has 2 columns, expected 1");
	footer(&(struct spec){.rows = 1, .path = "other"},
	       "it has its data in other files ('other')");
	footer(&(struct spec){.rows = 1, .crypto = true}, "it is encrypted");
	footer(&(struct spec){.rows = 1, .deep = true}, "it cannot be read");
	footer(&(struct spec){.rows = 1, .codec = 99},
	       "its compression is unknown (codec 99)");
	footer(&(struct spec){.rows = 1}, "the column has fewer rows");
	footer(&(struct spec){.rows = 1, .values = 1},
	       "the column ends before its last value");
}

/* Each leaf's name has that of the column around it. */
TEST(long_names)
{
	struct node nodes[20];
	char *name = malloc((1 << 20) + 1);
	size_t i;

	assert_non_null(name);
	memset(name, 'x', 1 << 20);
	name[1 << 20] = '\0';
	nodes[0] = (struct node){name, -1, 0, 19, -1};
	for (i = 1; i < 20; i++)
		nodes[i] = (struct node){"a", BT_PARQUET_BYTES, 0, 0, -1};
	footer(&(struct spec){.nodes = nodes, .n_nodes = 20},
	       "its columns' names have more than 16777216 bytes");
	free(name);
}

TEST(claims)
{
	one_page((struct page){.values = 2, .packed = 4294967296}, AB, 10,
	         "record 1 (row group 1): column 'text': a page is damaged: "
	         "its header claims 4294967296 bytes, but its column has only "
	         "10 left");
	one_page((struct page){.values = 2, .size = 4294967296}, AB, 10,
	         "a page has more than 1073741824 bytes");
	one_page((struct page){.values = 2, .size = 1000}, AB, 10,
	         "claims 1000 bytes, which its 10 bytes cannot become");
	one_page((struct page){.values = 2, .size = -2}, AB, 10,
	         "its header cannot be read");
	one_page((struct page){.values = -2}, AB, 10,
	         "its header cannot be read");
	one_page((struct page){.values = 3}, AB, 10,
	         "it has more values than its column");
	one_page((struct page){.values = 1}, AB, 10,
	         "{\"text\":\"a\"};cannot read 'x.parquet': record 2 (row "
	         "group 1): column 'text': a page is damaged: the column ends "
	         "before its last value");
	one_page((struct page){.values = 2, .crc = 17}, AB, 10,
	         "its checksum differs");
	one_page((struct page){.values = 2, .encoding = 77}, AB, 10,
	         "unknown encoding (77)");
	one_page((struct page){.values = 2, .encoding = 5}, AB, 10,
	         "its encoding does not fit its type");
	one_page((struct page){.values = 2}, "\xff\xff\xff\xff", 4,
	         "its values end too early");
	one_page((struct page){.values = 2}, AB, 9, "its values end too early");
	one_page((struct page){.type = DATA_2, .values = 2, .levels = 11}, AB,
	         10, "its levels are longer than it is");
	one_page((struct page){.values = 2, .encoding = RLE_DICT}, "\1", 1,
	         "missing");
}

static void compressed_page(int64_t codec, int64_t size, const char *wanted)
{
	struct bt_buf pages = BT_BUF_INIT;

	put_page(&pages, (struct page){.values = 2, .size = size}, AB, 10);
	make(&(struct spec){.rows = 2, .values = 2, .codec = codec}, &pages);
	bt_buf_clear(&pages);
	expect(wanted);
}

/* Pages that are not what their codec makes, or that claim what it cannot. */
TEST(compressed)
{
	compressed_page(BT_PARQUET_SNAPPY, 100, "a page's snappy data are");
	compressed_page(BT_PARQUET_GZIP, 100, "a page's gzip data are damaged");
	compressed_page(BT_PARQUET_ZSTD, 100, "a page's zstd data are damaged");
	compressed_page(BT_PARQUET_LZ4, 100, "a page's LZ4 data are damaged");
	compressed_page(BT_PARQUET_SNAPPY, 10000, "which its 10 bytes cannot");
	compressed_page(BT_PARQUET_GZIP, 100000, "which its 10 bytes cannot");
	compressed_page(BT_PARQUET_ZSTD, 1000000, "which its 10 bytes cannot");
	compressed_page(BT_PARQUET_LZ4, 10000, "which its 10 bytes cannot");
	compressed_page(BT_PARQUET_LZO, 10, "its compression, LZO, is not");
	compressed_page(BT_PARQUET_LZ4_HADOOP, 10, "Hadoop's LZ4, is not read");
}

/* Lengths: blocks of 128 in 4, of n numbers. */
TEST(lengths)
{
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\2\2\0\0\0\0\0ab", 12,
	         "{\"text\":\"a\"};{\"text\":\"b\"};");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\2\7\0\0\0\0\0ab", 12, "a length is out of range");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\2\4\0\0\0\0\0ab", 12, "a length is out of range");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\1\2ab", 7, "{\"text\":\"a\"};cannot read");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\xff\xff\xff\xff\7\2ab", 11,
	         "its lengths cannot be read");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\0\2\2ab", 7, "its lengths cannot be read");
	one_page((struct page){.values = 2, .encoding = DELTA_LENGTH},
	         "\x80\1\4\2\2\0\x41\0\0\0ab", 12,
	         "its lengths cannot be read");
}

static void dictionary(int64_t n, const char *index, size_t size,
                       const char *wanted)
{
	struct bt_buf pages = BT_BUF_INIT;

	put_page(&pages, (struct page){.type = DICTIONARY, .values = n}, AB,
	         10);
	put_page(&pages, (struct page){.type = INDEX}, "x", 1);
	put_page(&pages, (struct page){.values = 2, .encoding = RLE_DICT},
	         index, size);
	make(&(struct spec){.rows = 2, .values = 2}, &pages);
	bt_buf_clear(&pages);
	expect(wanted);
}

TEST(dictionaries)
{
	struct bt_buf pages = BT_BUF_INIT;

	dictionary(2, "\1\3\2", 3, "{\"text\":\"a\"};{\"text\":\"b\"};");
	dictionary(2, "\0\4", 2, "{\"text\":\"a\"};{\"text\":\"a\"};");
	dictionary(2, "\2\3\2", 3, "it has number 2 of a dictionary of 2");
	dictionary(2, "\2\2\1", 3,
	           "{\"text\":\"b\"};cannot read 'x.parquet': record 2 (row "
	           "group 1): column 'text': a page is damaged: its values "
	           "end too early");
	dictionary(2, "\41\3\2", 3, "an index has more than 32 bits");
	dictionary(3, "\1\3\2", 3, "the dictionary is shorter than it claims");
	dictionary(2, "", 0, "its values end too early");
	put_page(&pages, (struct page){.type = DICTIONARY, .values = 2}, AB,
	         10);
	put_page(&pages, (struct page){.type = DICTIONARY, .values = 2}, AB,
	         10);
	make(&(struct spec){.rows = 2, .values = 2}, &pages);
	bt_buf_clear(&pages);
	expect("there is a second dictionary");
}

static const struct node optional = {"text", BT_PARQUET_BYTES, 1, 0, 0};

static void with_levels(const struct node *nodes, size_t n, int64_t rows,
                        struct page p, const void *data, size_t size,
                        const char *wanted)
{
	struct bt_buf pages = BT_BUF_INIT;

	put_page(&pages, p, data, size);
	make(
	    &(struct spec){
	        .nodes = nodes, .n_nodes = n, .rows = rows, .values = p.values},
	    &pages);
	bt_buf_clear(&pages);
	expect(wanted);
}

TEST(levels)
{
	const char *wanted = "{\"text\":\"a\"};{\"text\":null};"
	                     "{\"text\":\"b\"};";

	with_levels(&optional, 1, 3, (struct page){.values = 3},
	            "\2\0\0\0\3\5" AB, 16, wanted);
	/* the older form: 101 from the highest bit down */
	with_levels(&optional, 1, 3,
	            (struct page){.values = 3, .levels = BIT_PACKED}, "\xa0" AB,
	            11, wanted);
	with_levels(&optional, 1, 3, (struct page){.values = 3},
	            "\x20\0\0\0\3\5" AB, 16, "its levels are longer");
	with_levels(&optional, 1, 3, (struct page){.values = 3}, "\2\0", 2,
	            "its levels cannot be read");
	with_levels(&optional, 1, 3, (struct page){.values = 3},
	            "\2\0\0\0\2\1" AB, 16,
	            "its levels end too early, or are out of range");
	with_levels(&optional, 1, 3, (struct page){.values = 3},
	            "\2\0\0\0\6\7" AB, 16,
	            "its levels end too early, or are out of range");
	with_levels(&optional, 1, 3,
	            (struct page){.type = DATA_2, .values = 3, .levels = 2},
	            "\3\5" AB, 12, wanted);
	with_levels(&optional, 1, 2, (struct page){.values = 3},
	            "\2\0\0\0\3\5" AB, 16,
	            "the column has more rows than its row group");
	/* nulls alone, without a byte of values */
	with_levels(&optional, 1, 2,
	            (struct page){.values = 2, .encoding = DELTA_LENGTH},
	            "\2\0\0\0\4\0", 6, "{\"text\":null};{\"text\":null};");
}

/* Lists: repetition 0 begins a row, definition 1 is a value. */
TEST(old_lists)
{
	static const struct node plain = {"x", BT_PARQUET_BYTES, 2, 0, 0};
	static const struct node two[] = {{"x", -1, 0, 1, 3},
	                                  {"array", BT_PARQUET_BYTES, 2, 0, 0}};
	static const struct node tuple[] = {{"x", -1, 0, 1, 3},
	                                    {"x_tuple", -1, 2, 1, -1},
	                                    {"y", BT_PARQUET_BYTES, 0, 0, 0}};
	static const struct node pair[] = {{"x", -1, 0, 1, 3},
	                                   {"bag", -1, 2, 1, -1},
	                                   {"y", BT_PARQUET_BYTES, 0, 0, 0}};
	const char *page = "\2\0\0\0\3\2\2\0\0\0\3\3" AB;

	with_levels(&plain, 1, 2, (struct page){.values = 3}, page, 22,
	            "{\"x\":[\"a\",\"b\"]};{\"x\":[]};");
	with_levels(two, 2, 2, (struct page){.values = 3}, page, 22,
	            "{\"x\":[\"a\",\"b\"]};{\"x\":[]};");
	with_levels(tuple, 3, 2, (struct page){.values = 3}, page, 22,
	            "{\"x\":[{\"y\":\"a\"},{\"y\":\"b\"}]};{\"x\":[]};");
	with_levels(pair, 3, 2, (struct page){.values = 3}, page, 22,
	            "{\"x\":[\"a\",\"b\"]};{\"x\":[]};");
	with_levels(&plain, 1, 2, (struct page){.values = 3},
	            "\2\0\0\0\3\3\2\0\0\0\3\7" AB, 22,
	            "the first row begins inside a list");
}

/* A row that goes on on the next page. */
TEST(over_pages)
{
	static const struct node plain = {"x", BT_PARQUET_BYTES, 2, 0, 0};
	struct bt_buf pages = BT_BUF_INIT;

	put_page(&pages, (struct page){.values = 1},
	         "\2\0\0\0\2\0\2\0\0\0\2\1\1\0\0\0a", 17);
	put_page(&pages, (struct page){.values = 2},
	         "\2\0\0\0\3\1\2\0\0\0\3\3" AB, 22);
	make(
	    &(struct spec){
	        .nodes = &plain, .n_nodes = 1, .rows = 2, .values = 3},
	    &pages);
	bt_buf_clear(&pages);
	expect("{\"x\":[\"a\",\"a\"]};{\"x\":[\"b\"]};");
}

TEST(bad_text)
{
	one_page((struct page){.values = 2}, "\1\0\0\0\xff\1\0\0\0b", 10,
	         "record 1 (row group 1): 'text' is not valid UTF-8");
}
