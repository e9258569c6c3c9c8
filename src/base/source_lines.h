/* source_lines.h - lines of source files, as debug information names them, for reports. */
#ifndef TACHO_BASE_SOURCE_LINES_H
#define TACHO_BASE_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct source_file {
    char *path, *text; /* text NULL: it cannot be read, or is no text */
    size_t size;
    uint32_t *starts; /* of lines */
    uint32_t line_count;
} source_file;

/** Files that were read. Start with {0}. */
typedef struct source_lines {
    source_file *files;
    size_t count, capacity;
    size_t bytes; /* of all files together */
} source_lines;

/** Line `line` (from 1) of a file, without its end and what it is indented by. @return its length; 0 with
 *  *text NULL where it is not to be had */
size_t source_line(source_lines *s, const char *path, uint32_t line, const char **text);
void source_lines_free(source_lines *s);

#endif
