/* SPDX-License-Identifier: MIT */
#include "plot/svg.h"

#include <string.h>

#include "base/utf8.h"

static const char style[] =
    ".bp{font-family:system-ui,'DejaVu Sans','Noto Sans',sans-serif;"
    "font-size:12px}"
    ".bp .paper{fill:#ffffff}"
    ".bp text{fill:#1f2328}"
    ".bp .title{font-size:14px;font-weight:600}"
    ".bp .dim{fill:#59636e}"
    ".bp .small{font-size:10px}"
    ".bp .tiny{font-size:8px}"
    ".bp .light{fill:#ffffff}"
    ".bp .grid{stroke:#d8dee4;stroke-width:1}"
    ".bp .axis{stroke:#59636e;stroke-width:1}"
    ".bp .line{fill:none;stroke-width:2;stroke-linejoin:round;"
    "stroke-linecap:round}"
    ".bp .dashed{stroke-dasharray:5 4;stroke-width:1.5}"
    ".bp .s0{stroke:#0072b2}.bp .f0{fill:#0072b2}"
    ".bp .s1{stroke:#d55e00}.bp .f1{fill:#d55e00}"
    ".bp .s2{stroke:#009e73}.bp .f2{fill:#009e73}"
    ".bp .s3{stroke:#cc79a7}.bp .f3{fill:#cc79a7}"
    ".bp .s4{stroke:#e69f00}.bp .f4{fill:#e69f00}"
    ".bp .s5{stroke:#56b4e9}.bp .f5{fill:#56b4e9}"
    ".bp .s6{stroke:#7f7f7f}.bp .f6{fill:#7f7f7f}"
    "@media (prefers-color-scheme:dark){"
    ".bp .paper{fill:#0d1117}.bp text{fill:#e6edf3}.bp .dim{fill:#9198a1}"
    ".bp .light{fill:#ffffff}"
    ".bp .grid{stroke:#30363d}.bp .axis{stroke:#9198a1}"
    ".bp .s0{stroke:#4ba3e3}.bp .f0{fill:#4ba3e3}"
    ".bp .s1{stroke:#f0883e}.bp .f1{fill:#f0883e}}";

/* Whether XML 1.0 has no such character, or c steers a terminal. */
static bool is_unfit(const uint8_t *p, size_t n)
{
	uint32_t c = bt_utf8_get(p);

	return c == 0xfffe || c == 0xffff || bt_utf8_steers(p, n) > 0;
}

void bt_svg_escape(struct bt_buf *out, const char *s)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t n = s != NULL ? strlen(s) : 0, len;

	out->oom = out->oom || s == NULL;
	for (; n > 0; p += len, n -= len) {
		len = bt_utf8_len(*p);
		if (is_unfit(p, n))
			bt_buf_puts(out, "\xef\xbf\xbd");
		else if (*p == '&')
			bt_buf_puts(out, "&amp;");
		else if (*p == '<')
			bt_buf_puts(out, "&lt;");
		else if (*p == '>')
			bt_buf_puts(out, "&gt;");
		else if (*p == '"')
			bt_buf_puts(out, "&quot;");
		else
			bt_buf_put(out, p, len);
	}
}

void bt_svg_begin(struct bt_buf *out, double width, double height,
                  const char *name)
{
	bt_buf_printf(out,
	              "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bp\" "
	              "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
	              "height=\"%.0f\" role=\"img\" aria-label=\"",
	              width, height, width, height);
	bt_svg_escape(out, name);
	bt_buf_printf(
	    out,
	    "\">\n<style>%s</style>\n"
	    "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n",
	    style, width, height);
}

void bt_svg_end(struct bt_buf *out)
{
	bt_buf_puts(out, "</svg>\n");
}

void bt_svg_text(struct bt_buf *out, double x, double y,
                 enum bt_svg_anchor anchor, const char *class, double degrees,
                 const char *s)
{
	static const char *const anchors[] = {"", " text-anchor=\"middle\"",
	                                      " text-anchor=\"end\""};

	bt_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s", x, y,
	              anchors[anchor]);
	if (class[0] != '\0')
		bt_buf_printf(out, " class=\"%s\"", class);
	if (degrees != 0)
		bt_buf_printf(out, " transform=\"rotate(%.0f %.1f %.1f)\"",
		              degrees, x, y);
	bt_buf_putc(out, '>');
	bt_svg_escape(out, s);
	bt_buf_puts(out, "</text>\n");
}

void bt_svg_line(struct bt_buf *out, const char *class, double x1, double y1,
                 double x2, double y2)
{
	bt_buf_printf(out,
	              "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
	              "y2=\"%.1f\"/>\n",
	              class, x1, y1, x2, y2);
}

void bt_svg_rect(struct bt_buf *out, const char *class, double x, double y,
                 double width, double height, double opacity, const char *name)
{
	bt_buf_printf(out,
	              "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
	              "width=\"%.1f\" height=\"%.1f\"",
	              class, x, y, width, height);
	if (opacity < 1)
		bt_buf_printf(out, " fill-opacity=\"%.3f\"", opacity);
	if (name == NULL) {
		bt_buf_puts(out, "/>\n");
		return;
	}
	bt_buf_puts(out, "><title>");
	bt_svg_escape(out, name);
	bt_buf_puts(out, "</title></rect>\n");
}

/* Letters that fonts of East Asia draw twice as wide (Unicode's East Asian
 * Width, by blocks), or combining ones, which take no room. */
static double letter_width(uint32_t c)
{
	if (c >= 0x300 && c < 0x370)
		return 0;
	return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
	               (c >= 0xac00 && c < 0xd7a4) ||
	               (c >= 0xf900 && c < 0xfb00) ||
	               (c >= 0xff00 && c < 0xff61) ||
	               (c >= 0x1f300 && c < 0x1fb00) || c >= 0x20000
	           ? 2
	           : 1;
}

double bt_svg_letters(const char *s)
{
	const uint8_t *p = (const uint8_t *)s;
	double sum = 0;

	for (; p != NULL && *p != '\0'; p += bt_utf8_len(*p))
		sum += letter_width(bt_utf8_get(p));
	return sum;
}

void bt_svg_shorten(struct bt_buf *out, const char *s, double most)
{
	const uint8_t *p = (const uint8_t *)s;
	double sum = 0, width;

	if (s == NULL) {
		out->oom = true;
		return;
	}
	if (bt_svg_letters(s) <= most) {
		bt_buf_puts(out, s);
		return;
	}
	for (; *p != '\0'; p += bt_utf8_len(*p)) {
		width = letter_width(bt_utf8_get(p));
		if (sum + width > most - 1)
			break;
		sum += width;
		bt_buf_put(out, p, bt_utf8_len(*p));
	}
	bt_buf_puts(out, "\xe2\x80\xa6");
}
