/* test_sources.c FOLDER: what the library carries is the folder kernels/, all of it and nothing else. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "study/kernels/sources.h"

static const char *folder;

static const struct tacho_kernels_source *find(const char *name)
{
    const struct tacho_kernels_source *found = NULL;
    for (size_t i = 0; i < tacho_kernels_sources_count; i++) {
        if (strcmp(tacho_kernels_sources[i].name, name))
            continue;
        assert_null(found);
        found = &tacho_kernels_sources[i];
    }
    return found;
}

static void assert_same(const struct tacho_kernels_source *source)
{
    char path[4096], text[1 << 16];
    snprintf(path, sizeof path, "%s/%s", folder, source->name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    assert_true(size < sizeof text);
    fclose(file);
    assert_int_equal(source->size, size);
    assert_memory_equal(source->text, text, size);
    assert_int_equal(source->text[size], 0);
}

static void test_sources__are_the_files_of_the_folder(void **state)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t files = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "meson.build"))
            continue;
        files++;
        const struct tacho_kernels_source *source = find(entry->d_name);
        if (!source)
            fail_msg("%s is in the folder, but not in kernels/meson.build", entry->d_name);
        assert_same(source);
    }
    closedir(dir);
    assert_int_equal(files, tacho_kernels_sources_count);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sources__are_the_files_of_the_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
