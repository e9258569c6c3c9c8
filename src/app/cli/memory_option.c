/* memory_option.c - descriptions of memory, and sizes as people write them. */
#include "app/cli/memory_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cli.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

int cli_memory(tacho_memory *out, const char *path)
{
    char *text;
    size_t size;
    tacho_error err;
    if (!path)
        return tacho_memory_kept(out, &err) ? cli_input_error("%s", err.message) : CLI_OK;
    if (tacho_file_read(path, TACHO_MEMORY_MAX_FILE_BYTES, &text, &size))
        return cli_input_error("%s: %s", path,
                               errno == EFBIG ? "too long for a description of a memory" : strerror(errno));
    const int result = tacho_memory_read(out, text, size, &err);
    tacho_mem_free(text);
    return result ? cli_input_error("%s: %s", path, err.message) : CLI_OK;
}

bool cli_parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (!(value > 0))
        return false;
    const char unit = *end >= 'a' ? (char)(*end - 32) : *end, *at = unit ? strchr(units, unit) : NULL;
    if (at) {
        value *= (double)((uint64_t)1024 << 10 * (at - units));
        end++;
        end += *end == 'i';
    }
    end += *end == 'B' || *end == 'b';
    if (*end || !(value >= 1 && value <= 1e15))
        return false;
    *out = (uint64_t)value;
    return true;
}
