/* assemble_lines.c - assembles a file with the library's own assembler and prints each statement's line and
 * bytes, or how long one text takes: bench/assemble compares the first with what the GNU assembler makes.
 *
 *     assemble-lines [--intel|--att] [--sections|--time N] FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tacho/assemble.h"

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t capacity = 0, n;
    *size = 0;
    if (!f)
        return NULL;
    do {
        if (*size + 65536 > capacity) {
            capacity = capacity ? 2 * capacity : 1 << 20;
            data = realloc(data, capacity);
            if (!data)
                break;
        }
        n = fread(data + *size, 1, capacity - *size, f);
        *size += n;
    } while (n);
    fclose(f);
    return data;
}

static void print_hex(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
}

static void print_lines(const tacho_assembly *a)
{
    for (size_t i = 0; i < a->statement_count; i++) {
        const tacho_statement *s = &a->statements[i];
        if (s->kind == TACHO_STATEMENT_LABEL || a->sections[s->section].zeros)
            continue;
        printf("%llu ", (unsigned long long)s->line);
        print_hex(a->sections[s->section].bytes + s->offset, s->length);
        putchar('\n');
    }
}

static void print_sections(const tacho_assembly *a)
{
    for (size_t i = 0; i < a->section_count; i++) {
        const tacho_assembled_section *s = &a->sections[i];
        if (!s->byte_count || s->zeros)
            continue;
        printf("%s ", s->name);
        print_hex(s->bytes, s->byte_count);
        putchar('\n');
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    tacho_assemble_options o = TACHO_ASSEMBLE_OPTIONS_INIT;
    tacho_error err;
    const char *path = NULL;
    int sections = 0;
    long times = 0;
    size_t size;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--intel"))
            o.syntax = TACHO_SYNTAX_INTEL;
        else if (!strcmp(argv[i], "--att"))
            o.syntax = TACHO_SYNTAX_ATT;
        else if (!strcmp(argv[i], "--sections"))
            sections = 1;
        else if (!strcmp(argv[i], "--time") && i + 1 < argc)
            times = strtol(argv[++i], NULL, 10);
        else
            path = argv[i];
    }
    char *text = path ? read_all(path, &size) : NULL;
    if (!text) {
        fprintf(stderr, "usage: assemble-lines [--intel|--att] [--sections|--time N] FILE\n");
        return 2;
    }
    tacho_assembly *a;
    double start = seconds();
    for (long i = 0; i < times; i++) {
        if (tacho_assemble(&a, text, size, &o, &err))
            break;
        tacho_assembly_free(a);
    }
    if (times)
        printf("%.3f us\n", (seconds() - start) / (double)times * 1e6);
    int result = tacho_assemble(&a, text, size, &o, &err);
    if (result)
        fprintf(stderr, "%s: %s\n", path, err.message);
    for (size_t i = 0; a && i < a->problem_count; i++)
        fprintf(stderr, "%llu:%u: %s\n", (unsigned long long)a->problems[i].line, a->problems[i].column,
                a->problems[i].message);
    if (!result && !times && sections)
        print_sections(a);
    else if (!result && !times)
        print_lines(a);
    tacho_assembly_free(a);
    free(text);
    return result != 0;
}
