/* embed.c - files as C arrays, for what the program writes out again (pages, kernels).
 *
 *   tacho-embed OUT.c NAME FILE...: const char NAME[], the files one after the other, with a 0 at the end,
 * and NAME_size, without the 0
 *   tacho-embed --each OUT.c NAME FILE...: struct tacho_kernels_source NAME[] (src/study/kernels/sources.h),
 * the files by their names without folders, and NAME_count */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const char *name)
{
    fprintf(stderr, "tacho-embed: %s %s\n", what, name);
    exit(1);
}

/* Numbers, not a string: those have a limit that compilers may set. */
static void embed(FILE *out, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        die("cannot read", path);
    int c, column = 0;
    while ((c = fgetc(in)) != EOF)
        fprintf(out, "%d,%s", c > 127 ? c - 256 : c, ++column % 24 ? "" : "\n");
    if (ferror(in))
        die("cannot read", path);
    fclose(in);
}

static void write_joined(FILE *out, const char *name, char **files, int count)
{
    fprintf(out, "extern const char %s[];\nconst char %s[] = {\n", name, name);
    for (int i = 0; i < count; i++)
        embed(out, files[i]);
    fprintf(out, "0};\nextern const unsigned long %s_size;\nconst unsigned long %s_size = sizeof %s - 1;\n",
            name, name, name);
}

static void write_each(FILE *out, const char *name, char **files, int count)
{
    fprintf(out, "#include \"study/kernels/sources.h\"\n");
    for (int i = 0; i < count; i++) {
        fprintf(out, "static const char text_%d[] = {\n", i);
        embed(out, files[i]);
        fprintf(out, "0};\n");
    }
    fprintf(out, "const struct tacho_kernels_source %s[] = {\n", name);
    for (int i = 0; i < count; i++) {
        const char *slash = strrchr(files[i], '/');
        fprintf(out, "    {\"%s\", text_%d, sizeof text_%d - 1},\n", slash ? slash + 1 : files[i], i, i);
    }
    fprintf(out, "};\nconst size_t %s_count = sizeof %s / sizeof *%s;\n", name, name, name);
}

int main(int argc, char **argv)
{
    int each = argc > 1 && !strcmp(argv[1], "--each");
    argc -= each;
    argv += each;
    if (argc < 4)
        die("needs OUT.c NAME FILE...; wrong number of arguments for", argc > 1 ? argv[1] : "nothing");
    FILE *out = fopen(argv[1], "wb");
    if (!out)
        die("cannot write", argv[1]);
    fprintf(out, "/* Made by tacho-embed. */\n");
    (each ? write_each : write_joined)(out, argv[2], argv + 3, argc - 3);
    if (fclose(out))
        die("cannot write", argv[1]);
    return 0;
}
