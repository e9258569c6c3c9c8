/* eval_asm.c - the assembly text of blocks that are given in hex. */
#include <stdio.h>
#include <string.h>

#include "app/report/study/eval_tables.h"
#include "app/report/report.h"
#include "base/mem.h"
#include "tacho/code.h"
#include "x86/decode/insn_struct.h"

enum {
    SHOWN_HEX = 48,
    SHOWN_INSTRUCTIONS = 16,
    LINE_BYTES = 200
};

static size_t put_instructions(tacho_str *out, const uint8_t *code, size_t size)
{
    char line[LINE_BYTES];
    size_t lines = 0;
    for (size_t at = 0; at < size; lines++) {
        tacho_insn insn;
        if (tacho_decode(&insn, code + at, size - at, NULL)) {
            tacho_str_puts(out, "(bad)\n");
            return lines + 1;
        }
        tacho_insn_format(&insn, at, 1, line, sizeof line);
        tacho_str_puts(out, line);
        tacho_str_putc(out, '\n');
        at += insn.length;
    }
    return lines;
}

/* The instructions of a block, one a line, each with a line end; "(bad)" where bytes are none. @return lines
 */
static size_t put_asm(tacho_str *out, const char *hex)
{
    size_t length = strlen(hex), lines = 0;
    uint8_t *code = tacho_mem_alloc(length / 2 + 1);
    if (!code) {
        out->failed = true;
        return 0;
    }
    long size = tacho_hex_decode(code, hex, length, NULL);
    if (size >= 0)
        lines = put_instructions(out, code, (size_t)size);
    else
        tacho_str_puts(out, "(bad)\n");
    tacho_mem_free(code);
    return size >= 0 ? lines : 1;
}

json_t *report_block_asm_json(const char *hex)
{
    tacho_str text = {0};
    json_t *list = json_array();
    size_t lines = put_asm(&text, hex);
    for (char *line = text.failed ? NULL : text.data; line && lines; lines--) {
        char *end = strchr(line, '\n');
        *end = '\0';
        json_array_append_new(list, report_json_string(line));
        line = end + 1;
    }
    tacho_str_free(&text);
    return list;
}

void report_block_hex(tacho_str *out, const char *hex)
{
    size_t length = strlen(hex);
    if (length <= SHOWN_HEX)
        tacho_str_puts(out, hex);
    else
        tacho_str_printf(out, "%.*s... (%zu bytes)", SHOWN_HEX, hex, length / 2);
}

void report_asm_text(tacho_str *out, const char *hex)
{
    tacho_str text = {0};
    size_t lines = put_asm(&text, hex);
    const char *at = text.failed ? "" : text.data;
    for (size_t i = 0; i < lines && *at; i++) {
        size_t n = strcspn(at, "\n");
        if (i == SHOWN_INSTRUCTIONS && lines > SHOWN_INSTRUCTIONS + 1) {
            tacho_str_printf(out, "        ... %zu more instructions\n", lines - i);
            break;
        }
        tacho_str_puts(out, "        ");
        tacho_str_append(out, at, n + 1);
        at += n + 1;
    }
    tacho_str_free(&text);
}
