/* memory_option.c - descriptions of memory, and their levels. */
#include "app/cli/memory_option.h"

#include <errno.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/cores.h"
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

bool cli_memory_fits(const tacho_arch *arch)
{
    const tacho_arch *native = tacho_arch_find("native", NULL);
    return (native && tacho_arch_same_core(native, arch)) || cli_is_native(arch);
}

int cli_memory_of(tacho_memory *out, const char *path, const tacho_arch *arch)
{
    if (!path && !cli_memory_fits(arch))
        return cli_input_error(
            "there is no description of the memory of a machine with %s: 'tacho doctor --memory "
            "-o FILE' writes one there, --memory FILE reads it",
            arch->name);
    const int status = cli_memory(out, path);
    const tacho_arch *theirs = *out->core && !status ? tacho_arch_find(out->core, NULL) : NULL;
    if (path && theirs && !tacho_arch_same_core(theirs, arch))
        cli_note("the memory is that of a machine with %s, the prediction is for %s", out->core, arch->name);
    return status;
}

int cli_data_level(uint32_t *out, const tacho_memory *m, const char *text)
{
    uint64_t bytes;
    tacho_str names = {0};
    for (*out = 0; *out < m->level_count; ++*out)
        if (tacho_str_same(text, m->levels[*out].name))
            return CLI_OK;
    if (tacho_parse_size(text, &bytes)) {
        *out = tacho_memory_level_of(m, bytes);
        return CLI_OK;
    }
    for (uint32_t i = 0; i < m->level_count; i++)
        tacho_str_printf(&names, "%s, ", m->levels[i].name);
    cli_error("--data is %sor a size such as 512K, not '%s'", names.data ? names.data : "", text);
    tacho_str_free(&names);
    return CLI_USAGE;
}
