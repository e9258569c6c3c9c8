/* fuzz_maps.c - /proc/PID/maps: its lines, and what is mapped by them in a process. What is found at an
 * address must be mapped there. */
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "fuzz.h"
#include "program/hot/hot_internal.h"

enum {
    PID = 7,
    LINE_BYTES = 4400
};

static void take(hot_tally *b, const char *line)
{
    proc_map m;
    if (!proc_parse_map(line, &m))
        return;
    const hot_file_id id = {.inode = m.inode, .major = m.major, .minor = m.minor};
    if (tally_map(b, PID, m.start, m.end - m.start, m.offset, m.path, &id))
        abort();
    const hot_map *found = tally_find(tally_process(b, PID), m.start);
    if (m.start < m.end && (!found || found->start != m.start || found->end != m.end))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hot_tally *b = tally_new();
    char line[LINE_BYTES];
    if (!b || tally_fork(b, 0, PID))
        abort();
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t n = end ? (size_t)(end - data) - at : size - at;
        if (n < sizeof line) {
            memcpy(line, data + at, n);
            line[n] = '\0';
            take(b, line);
        }
        at += n + 1;
    }
    tally_free(b);
    return 0;
}
