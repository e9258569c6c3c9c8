/* source_lines.c - source files are read when first asked for, and kept. */
#include "base/source_lines.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    MAX_FILE_BYTES = 16 << 20,
    MAX_BYTES = 128 << 20, /* of all files together */
    MAX_FILES = 1000,
    MAX_LINE_BYTES = 400
};

/* Finds where lines begin. @return false: memory ran out */
static bool cut(source_file *f)
{
    size_t count = 1, at = 0;
    for (size_t i = 0; i < f->size; i++)
        count += f->text[i] == '\n';
    f->starts = tacho_mem_zalloc(count + 1, sizeof *f->starts);
    if (!f->starts)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        const char *end = memchr(f->text + at, '\n', f->size - at);
        f->starts[n] = (uint32_t)at;
        at = end ? (size_t)(end - f->text) + 1 : f->size;
    }
    f->starts[count] = (uint32_t)f->size;
    f->line_count = (uint32_t)count;
    return true;
}

/* Reads at most `limit` bytes, else nothing. */
static void load(source_file *f, size_t limit)
{
    if (limit > MAX_FILE_BYTES)
        limit = MAX_FILE_BYTES;
    if (tacho_file_read_regular(f->path, limit, &f->text, &f->size)) {
        f->text = NULL;
        f->size = 0;
    } else if (memchr(f->text, 0, f->size) || !cut(f)) {
        tacho_mem_free(f->text);
        f->text = NULL;
        f->size = 0;
    }
}

static source_file *find(source_lines *s, const char *path)
{
    for (size_t i = s->count; i-- > 0;)
        if (!strcmp(s->files[i].path, path))
            return &s->files[i];
    if (s->count == MAX_FILES || tacho_mem_grow(&s->files, &s->capacity, s->count + 1, sizeof *s->files))
        return NULL;
    source_file *f = &s->files[s->count];
    *f = (source_file){.path = tacho_mem_strndup(path, strlen(path))};
    if (!f->path)
        return NULL;
    s->count++;
    load(f, MAX_BYTES - s->bytes);
    s->bytes += f->size;
    return f;
}

size_t source_line(source_lines *s, const char *path, uint32_t line, const char **text)
{
    const source_file *f = path && line ? find(s, path) : NULL;
    *text = NULL;
    if (!f || !f->text || line > f->line_count)
        return 0;
    const char *start = f->text + f->starts[line - 1], *end = f->text + f->starts[line];
    while (end > start && strchr("\n\r \t", end[-1]))
        end--;
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    *text = start;
    return end - start < MAX_LINE_BYTES ? (size_t)(end - start) : (size_t)MAX_LINE_BYTES;
}

void source_lines_free(source_lines *s)
{
    for (size_t i = 0; i < s->count; i++) {
        TACHO_MEM_FREE(s->files[i].path, s->files[i].text, s->files[i].starts);
    }
    tacho_mem_free(s->files);
}
