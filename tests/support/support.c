#include "support.h"

#include <stdlib.h>
#include <string.h>

int test_block_make(test_block *out, const char *code, tacho_error *err)
{
    *out = (test_block){NULL, 0};
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    o.kind = TACHO_INPUT_ASSEMBLY;
    o.syntax = TACHO_SYNTAX_INTEL;
    o.ignore_markers = true;
    if (!strncmp(code, "hex:", 4)) {
        o.kind = TACHO_INPUT_HEX;
        code += 4;
    }
    tacho_code *c;
    int rc = tacho_code_from_memory(&c, code, strlen(code), "test", &o, err);
    if (rc)
        return rc;
    out->size = c->regions[0].byte_count;
    out->bytes = malloc(out->size ? out->size : 1);
    if (out->bytes)
        memcpy(out->bytes, c->regions[0].bytes, out->size);
    tacho_code_free(c);
    return out->bytes ? 0 : TACHO_ERR_MEMORY;
}

void test_block_free(test_block *b)
{
    free(b->bytes);
    *b = (test_block){NULL, 0};
}

void test_block_close_loop(test_block *b)
{
    uint8_t tail[] = {0x49, 0xff, 0xcf, 0x0f, 0x85, 0, 0, 0, 0}; /* dec r15; jnz rel32 */
    size_t size = sizeof tail;
    int32_t back = -(int32_t)(b->size + sizeof tail);
    if (b->size + 5 <= 128) { /* jnz rel8 */
        size = 5;
        tail[3] = 0x75;
        tail[4] = (uint8_t) - (int)(b->size + 5);
    } else {
        memcpy(tail + 5, &back, sizeof back);
    }
    b->bytes = realloc(b->bytes, b->size + size);
    if (!b->bytes)
        exit(1);
    memcpy(b->bytes + b->size, tail, size);
    b->size += size;
}

long test_corpus_each(const char *path,
                      int (*each)(const test_block *b, long at, const char *rest, void *payload),
                      void *payload)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    long at = 0, count = 0;
    int stop = 0;
    if (!f)
        return -1;
    while (!stop && fgets(line, sizeof line, f)) {
        at++;
        if (line[0] == '#')
            continue;
        size_t hex = strcspn(line, " \n");
        uint8_t *bytes = malloc(hex / 2 + 1);
        long size = bytes ? tacho_hex_decode(bytes, line, hex, NULL) : -1;
        if (size > 0) {
            test_block b = {bytes, (size_t)size};
            stop = each(&b, at, line + hex, payload);
            count++;
        }
        free(bytes);
    }
    fclose(f);
    return count;
}

void test_cycles_text(char out[32], double cycles)
{
    snprintf(out, 32, "%.3f", cycles);
    char *end = out + strlen(out);
    while (strchr(out, '.') && (end[-1] == '0' || end[-1] == '.')) {
        bool dot = *--end == '.';
        *end = '\0';
        if (dot)
            break;
    }
}
