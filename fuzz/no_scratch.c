/* no_scratch.c - for targets that must not write files: temporary folders that are there in name only (linked
 * in place of base/scratch.c's by --wrap, see fuzz/meson.build). */
#include <stdio.h>

int __wrap_tacho_scratch_make(char *path, size_t size);
int __wrap_tacho_scratch_make(char *path, size_t size)
{
    snprintf(path, size, "/fuzz");
    return 0;
}

int __wrap_tacho_scratch_write(const char *path, const char *name, const char *data, size_t size);
int __wrap_tacho_scratch_write(const char *path, const char *name, const char *data, size_t size)
{
    return 0;
}

void __wrap_tacho_scratch_remove(const char *path);
void __wrap_tacho_scratch_remove(const char *path)
{
}
