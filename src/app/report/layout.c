/* layout.c - see layout.h. */
#include "app/report/report.h"

enum {
    TEXT_COLUMNS = 100, /* of sentences, however wide the line */
    LEAST_COLUMNS = 40
};

void report_paint(tacho_str *out, bool colour, const char *style, const char *text)
{
    tacho_str_puts(out, colour ? style : "");
    report_put_plain(out, text);
    tacho_str_puts(out, colour ? REPORT_PLAIN : "");
}

void report_label(tacho_str *out, bool colour, const char *text)
{
    char padded[32];
    snprintf(padded, sizeof padded, "%-13s", text);
    report_paint(out, colour, REPORT_DIM, padded);
}

void report_paintf(tacho_str *out, bool colour, const char *style, const char *format, ...)
{
    TACHO_FREED tacho_str text = {0};
    va_list args;
    va_start(args, format);
    tacho_str_vprintf(&text, format, args);
    va_end(args);
    report_paint(out, colour, style, text.failed ? "" : text.data);
    out->failed |= text.failed;
}

void report_line_text(tacho_str *out, bool colour, const char *label, tacho_str *text)
{
    report_label(out, colour, label);
    report_wrapped_text(out, text, REPORT_VALUE_AT);
}

void report_line(tacho_str *out, bool colour, const char *label, const char *format, ...)
{
    tacho_str text = {0};
    va_list args;
    va_start(args, format);
    tacho_str_vprintf(&text, format, args);
    va_end(args);
    report_line_text(out, colour, label, &text);
}

void report_command(tacho_str *out, char *const *argv)
{
    for (char *const *word = argv; *word; word++) {
        tacho_str_puts(out, word > argv ? " " : "");
        report_put_plain(out, *word);
    }
}

static size_t columns = TEXT_COLUMNS;

size_t report_line_columns(void)
{
    return columns;
}

void report_set_line_columns(size_t n)
{
    columns = n < LEAST_COLUMNS ? LEAST_COLUMNS : n;
}

void report_wrapped_from(tacho_str *out, const char *text, size_t at, size_t column)
{
    const size_t most = columns < TEXT_COLUMNS ? columns : TEXT_COLUMNS;
    for (bool first = true;; first = false) {
        size_t word = 0, width = 0;
        for (; (unsigned char)text[word] > ' ' && text[word] != 0x7f; word++)
            width += ((unsigned char)text[word] & 0xc0) != 0x80; /* not a further byte of a character */
        if (column > at && column + !first + width > most) {
            tacho_str_printf(out, "\n%*s", (int)at, "");
            column = at;
        } else if (!first && column > at) {
            tacho_str_putc(out, ' ');
            column++;
        }
        tacho_str_append(out, text, word);
        column += width;
        text += word;
        if (!*text)
            break;
        text++;
    }
    tacho_str_putc(out, '\n');
}

void report_wrapped(tacho_str *out, const char *text, size_t at)
{
    report_wrapped_from(out, text, at, at);
}

void report_wrapped_text(tacho_str *out, tacho_str *text, size_t at)
{
    report_wrapped(out, text->data ? text->data : "", at);
    out->failed |= text->failed;
    tacho_str_free(text);
}

void report_bold_text(tacho_str *out, bool colour, tacho_str *text)
{
    report_paint(out, colour, REPORT_BOLD, text->data ? text->data : "");
    tacho_str_putc(out, '\n');
    out->failed |= text->failed;
    tacho_str_free(text);
}

/* The bytes of the first `wanted` columns of a line. */
static size_t bytes_of(const char *line, size_t length, size_t wanted)
{
    size_t i = 0;
    for (size_t seen = 0; i < length; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80 && seen++ == wanted)
            break;
    return i;
}

void report_cut(tacho_str *text, size_t most)
{
    static const char dots[] = "...";
    size_t bytes = text->failed || !text->length ? 0 : bytes_of(text->data, text->length, most);
    if (text->failed || bytes == text->length)
        return;
    text->length = bytes_of(text->data, text->length, most - strlen(dots));
    tacho_str_puts(text, dots);
}

/* Sentences go on in the next line; a row of a table ends with "...". */
static void put_narrow(tacho_str *out, const char *line, size_t length)
{
    static const char warning[] = "warning: ", dots[] = "...";
    size_t label = strlen(warning);
    if (bytes_of(line, length, columns) == length) {
        tacho_str_append(out, line, length);
    } else if (length > label && !memcmp(line, warning, label)) {
        tacho_str sentence = {0};
        tacho_str_puts(out, warning);
        tacho_str_append(&sentence, line + label, length - label);
        report_wrapped_text(out, &sentence, label);
        return;
    } else {
        tacho_str_append(out, line, bytes_of(line, length, columns - strlen(dots)));
        tacho_str_puts(out, dots);
    }
    tacho_str_putc(out, '\n');
}

void report_narrow(tacho_str *out, tacho_str *text)
{
    for (const char *line = text->data ? text->data : "", *end = line + text->length; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        put_narrow(out, line, length);
        line += length + 1;
    }
    out->failed |= text->failed;
    tacho_str_free(text);
}

/* ---- sentences ---- */

void report_sentences_end(report_sentences *n)
{
    if (n->text.length == n->begin)
        return;
    tacho_str_putc(&n->text, '\0');
    n->begin = n->text.length;
}

void report_sentences_free(report_sentences *n)
{
    tacho_str_free(&n->text);
    *n = (report_sentences){.begin = 0};
}

/* The one after `note`; NULL: the first one. @return NULL: there is none */
static const char *next_note(const report_sentences *n, const char *note)
{
    const char *next = note ? note + strlen(note) + 1 : n->text.data;
    return !n->text.failed && next && next < n->text.data + n->begin ? next : NULL;
}

void report_sentences_text(tacho_str *out, const report_sentences *n, bool colour)
{
    out->failed |= n->text.failed;
    for (const char *note = NULL; (note = next_note(n, note));) {
        if (note == n->text.data)
            tacho_str_putc(out, '\n');
        report_line(out, colour, "note", "%s", note);
    }
}

json_t *report_sentences_json(report_sentences *n)
{
    json_t *list = json_array();
    for (const char *note = NULL; (note = next_note(n, note));)
        json_array_append_new(list, report_json_string(note));
    report_sentences_free(n);
    return list;
}

/* ---- scripts for gnuplot: the data inside, nothing read from other files ---- */

/* In single quotes nothing has a meaning but the quote, which comes as a string of its own: gnuplot 5.4 does
 * not take a doubled one at the beginning. What is not printable is left out. */
void report_plot_quoted(tacho_str *out, const char *text)
{
    tacho_str_putc(out, '\'');
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            continue;
        if (*c == '\'')
            tacho_str_puts(out, "'.\"'\".'");
        else
            tacho_str_putc(out, *c);
    }
    tacho_str_putc(out, '\'');
}

void report_plot_terminal(tacho_str *out, size_t width, size_t height, bool png)
{
    if (png)
        tacho_str_printf(out,
                         "set terminal pngcairo size %zu,%zu noenhanced fontscale 1.5 linewidth 1.5 font "
                         "'sans,9' background '#ffffff'\n",
                         width * 3 / 2, height * 3 / 2);
    else
        tacho_str_printf(
            out,
            "set terminal svg size %zu,%zu dynamic noenhanced font 'sans-serif,12' background '#ffffff'\n",
            width, height);
    tacho_str_puts(out, "set encoding utf8\n");
}

/* ---- puts pages together: HTML, style and scripts (src/app/report/page/, embedded by the build) and the
 * data. The data comes as JSON in a script element, where only "<" has a meaning: it is written as an
 * escape, so that no text of the input can be taken for HTML. The script shows all text as text ---- */

#define PAGE(name, document)                                                                                 \
    extern const char report_##document##_html[], report_##name##_style[], report_##name##_script[];         \
    const report_page_files report_##name##_page = {report_##document##_html, report_##name##_style,         \
                                                    report_##name##_script}
PAGE(page, page);
PAGE(cores, page);
PAGE(hot, page);
PAGE(hot_diff, hot_diff);
PAGE(eval, eval);

/* In JSON "<" can stand in strings only. */
static void put_json(tacho_str *out, const char *json)
{
    while (*json) {
        size_t n = strcspn(json, "<");
        tacho_str_append(out, json, n);
        json += n;
        if (*json) {
            tacho_str_puts(out, "\\u003c");
            json++;
        }
    }
}

static void put_data(tacho_str *out, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(REPORT_JSON_DIGITS)) : NULL;
    if (text)
        put_json(out, text);
    out->failed |= !text;
    free(text);
    json_decref(json);
}

void report_page_put(tacho_str *out, const report_page_files *page, json_t *data)
{
    const char *at = page->html, *mark;
    while ((mark = strstr(at, "<!--"))) {
        tacho_str_append(out, at, (size_t)(mark - at));
        if (tacho_starts_with(mark, "<!--style"))
            tacho_str_puts(out, page->style);
        else if (tacho_starts_with(mark, "<!--script"))
            tacho_str_puts(out, page->script);
        else if (tacho_starts_with(mark, "<!--words"))
            put_data(out, report_words_json());
        else
            put_data(out, data);
        at = strstr(mark, "-->") + 3;
    }
    tacho_str_puts(out, at);
}
