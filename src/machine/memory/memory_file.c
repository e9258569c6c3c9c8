/* memory_file.c - the description of this machine's memory, in the user's cache folder. */
#include <fcntl.h>
#include <unistd.h>

#include "base/ask_cpuid.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"
#include "machine/memory/memory_internal.h"

bool tacho_memory_path(char *out, size_t size)
{
    const cpuid_signature s = cpuid_who();
    data_cache caches[CACHES_MOST];
    const size_t count = caches_read("", 0, caches);
    char name[120];
    /* Machines that share a home differ in the last level, too. */
    snprintf(name, sizeof name, "memory/%s-%x-%x-%x-%lluK.txt", s.vendor, s.family, s.model, s.stepping,
             count ? (unsigned long long)caches[count - 1].bytes >> 10 : 0);
    return cache_path(out, size, name);
}

/* Under another name first: who reads it meanwhile sees all of one or of the other. */
static void keep(const tacho_memory *m)
{
    char path[MEMORY_PATH_SIZE], fresh[MEMORY_PATH_SIZE + 16];
    char *text = tacho_memory_write(m);
    if (text && tacho_memory_path(path, sizeof path) && cache_make_folders(path)) {
        snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
        int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        bool failed = fd < 0 || tacho_file_write(fd, text, strlen(text));
        if (fd >= 0 && close(fd))
            failed = true;
        if (failed || rename(fresh, path))
            unlink(fresh);
    }
    tacho_memory_text_free(text);
}

int tacho_memory_kept(tacho_memory *out, tacho_error *err)
{
    char path[MEMORY_PATH_SIZE], *text;
    size_t size;
    tacho_error found;
    if (!tacho_memory_path(path, sizeof path) ||
        tacho_file_read_regular(path, TACHO_MEMORY_MAX_FILE_BYTES, &text, &size))
        return tacho_error_set(
            err, TACHO_ERR_UNSUPPORTED,
            "the memory of this machine has not been measured: 'tacho doctor --memory' does it");
    int result = tacho_memory_read(out, text, size, &found);
    tacho_mem_free(text);
    return result ? tacho_error_set(err, result, "%s: %s", path, found.message) : TACHO_OK;
}

int tacho_memory_host(tacho_memory *out, const tacho_memory_options *options, tacho_error *err)
{
    tacho_memory_options o;
    int result = OPTIONS_TAKE(memory, &o, options, err);
    if (result || (!o.afresh && !tacho_memory_kept(out, NULL)))
        return result;
    result = tacho_memory_measure(out, &o, err);
    if (!result)
        keep(out);
    return result;
}

OPTIONS_DEFINE(memory, TACHO_MEMORY_OPTIONS_INIT)
