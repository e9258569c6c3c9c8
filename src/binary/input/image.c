/* image.c - an input as a whole, for those who look at more than its regions: sections and symbols of an ELF
 * file, of assembled text, or of bare machine code. Also how assembly text tells the lines of its
 * instructions. */

#include "base/mem.h"
#include "binary/input/input.h"

static bool starts(const char *line, size_t length, const char *word)
{
    size_t n = strlen(word);
    return length >= n && !memcmp(line, word, n) &&
           (length == n || line[n] == ' ' || line[n] == '\t' || line[n] == '.');
}

/* Whether the rest of a .section directive names one with debug information. */
static bool is_debug_section(const char *line, size_t length)
{
    const char *name = memchr(line, '.', length);
    const char *debug = memmem(line, length, ".debug_", 7);
    return name && starts(line, length, ".section") && debug && debug - line < 16;
}

static bool changes_section(const char *line, size_t length)
{
    static const char *const words[] = {".text",     ".data",        ".bss",       ".section",
                                        ".previous", ".pushsection", ".popsection"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts(line, length, words[i]))
            return true;
    return false;
}

/* Compilers' debug information, line by line: .loc and .file, and the sections that hold the rest. */
static bool is_debug_line(const char *line, size_t length, bool *in_debug)
{
    tacho_str_trim(&line, &length);
    if (changes_section(line, length))
        *in_debug = is_debug_section(line, length);
    return *in_debug || starts(line, length, ".loc") || starts(line, length, ".file");
}

/* The text without debug information; its lines keep their numbers. @return whether there was any */
static bool without_debug(const tacho_str *text, tacho_str *out)
{
    bool in_debug = false, any = false;
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->length - at);
        size_t length = end ? (size_t)(end - line) : text->length - at;
        bool loc = memmem(line, length, ".loc", 4) != NULL;
        if (is_debug_line(line, length, &in_debug))
            any |= loc;
        else
            tacho_str_append(out, line, length);
        tacho_str_putc(out, '\n');
        at += length + 1;
    }
    return any;
}

static int open_text(const input *in, input_image *image, const tacho_str *text, char **lines,
                     size_t *lines_size)
{
    TACHO_FREED tacho_str plain = {0};
    char *object = NULL;
    size_t size = 0;
    bool two = without_debug(text, &plain);
    int result = plain.failed ? tacho_no_memory(in->err) : 0;
    if (!result)
        result = two ? input_assemble(in, text, INPUT_LINES_OF_SOURCE, INPUT_WARNS, &object, &size)
                     : input_assemble(in, text, INPUT_LINES_OF_TEXT, INPUT_WARNS | INPUT_KEEPS_TYPED, &object,
                                      &size);
    if (!result && two)
        result = input_assemble(in, &plain, INPUT_LINES_OF_TEXT, INPUT_KEEPS_TYPED, lines, lines_size);
    if (result) {
        tacho_mem_free(object);
        return result;
    }
    tacho_mem_free(in->out->data);
    in->out->data = object;
    in->out->size = size;
    return input_elf_open(in, image, object, size);
}

static int open_bytes(const input *in, input_image *image)
{
    *image = (input_image){0};
    if (in->options->symbol || in->options->section)
        return input_fail(in, TACHO_ERR_USAGE, 0, -1, "machine code alone has no symbols or sections");
    if (tacho_mem_grow(&image->sections, &image->section_capacity, 1, sizeof *image->sections))
        return tacho_no_memory(in->err);
    char *name = tacho_mem_strndup("the code", 8);
    if (!name)
        return tacho_no_memory(in->err);
    image->sections[image->section_count++] = input_section_of_bytes(name, in->out->data, in->out->size);
    return 0;
}

int input_open_image(const input *in, input_image *image, char **lines, size_t *lines_size)
{
    *image = (input_image){0};
    *lines = NULL;
    int result = input_find_kind(in);
    if (result)
        return result;
    if (in->out->code.kind == TACHO_INPUT_ELF)
        return input_elf_open(in, image, in->out->data, in->out->size);
    if (in->out->code.kind != TACHO_INPUT_ASSEMBLY)
        return open_bytes(in, image);
    TACHO_ENDS(input_text_free) input_text text = {0};
    if (in->out->size > TACHO_MAX_ASSEMBLY_BYTES)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "more than %d MB of assembly text",
                          TACHO_MAX_ASSEMBLY_BYTES >> 20);
    return input_scan_text(in, in->out->data, in->out->size, &text)
               ?: open_text(in, image, &text.text, lines, lines_size);
}
