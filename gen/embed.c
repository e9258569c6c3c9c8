/* embed.c - files as C arrays, for what the program writes out again (pages).
 *
 *   tacho-embed OUT.c NAME FILE...: const char NAME[], the files one after the other, with a 0 at the end,
 * and NAME_size, without the 0 */
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

int main(int argc, char **argv)
{
    if (argc < 4)
        die("needs OUT.c NAME FILE...; wrong number of arguments for", argc > 1 ? argv[1] : "nothing");
    FILE *out = fopen(argv[1], "wb");
    if (!out)
        die("cannot write", argv[1]);
    fprintf(out, "/* Made by tacho-embed. */\nextern const char %s[];\nconst char %s[] = {\n", argv[2],
            argv[2]);
    for (int i = 3; i < argc; i++)
        embed(out, argv[i]);
    fprintf(out, "0};\nextern const unsigned long %s_size;\nconst unsigned long %s_size = sizeof %s - 1;\n",
            argv[2], argv[2], argv[2]);
    if (fclose(out))
        die("cannot write", argv[1]);
    return 0;
}
