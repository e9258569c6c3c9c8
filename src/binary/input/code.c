/* code.c - from an input to its regions of machine code. */

#include "base/file.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "binary/input/input.h"

enum {
    MAX_WARNINGS = 20
};

int input_fail(const input *in, int code, uint64_t line, int64_t offset, const char *format, ...)
{
    char text[TACHO_ERROR_MESSAGE_SIZE], place[48] = "";
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(text, sizeof text, format, args);
    va_end(args);
    if (line)
        snprintf(place, sizeof place, "line %llu: ", (unsigned long long)line);
    else if (offset >= 0)
        snprintf(place, sizeof place, "offset 0x%llx: ", (unsigned long long)offset);
    tacho_error_set(in->err, code, "%s: %s%s", in->name, place, text);
    if (in->err) {
        in->err->line = line;
        in->err->offset = offset;
    }
    return code;
}

int input_warn(const input *in, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&in->out->warnings, MAX_WARNINGS, format, args);
    va_end(args);
    in->out->code.warnings = in->out->warnings.list;
    in->out->code.warning_count = in->out->warnings.count;
    return rc ? tacho_no_memory(in->err) : 0;
}

int input_add_region(const input *in, const char *name, const input_section *section, size_t start,
                     size_t end, uint64_t line)
{
    tacho_code *code = &in->out->code;
    if (code->region_count >= TACHO_MAX_REGIONS)
        return input_fail(in, TACHO_ERR_LIMIT, line, -1, "more than %d regions", TACHO_MAX_REGIONS);
    if (tacho_mem_grow(&code->regions, &in->out->region_capacity, code->region_count + 1,
                       sizeof *code->regions))
        return tacho_no_memory(in->err);
    char *copy = name && *name ? tacho_mem_strndup(name, strlen(name)) : NULL;
    if (name && *name && !copy)
        return tacho_no_memory(in->err);
    code->regions[code->region_count++] =
        (tacho_region){.name = copy,
                       .bytes = section->bytes + start,
                       .byte_count = end - start,
                       .address = section->address + start,
                       .line = line,
                       .alignment = input_alignment(section->address + start),
                       .place_step = section->place_step};
    return 0;
}

static int add_span(const input *in, const input_span *span)
{
    return input_add_region(in, span->name, span->section, span->start, span->end, 0);
}

/* The symbols of the labels that comment markers became, by number; free with tacho_mem_free. */
static const input_symbol **find_labels(const input *in, const input_image *image, int count)
{
    const input_symbol **labels = tacho_mem_zalloc((size_t)count, sizeof *labels);
    if (!labels)
        tacho_no_memory(in->err);
    for (size_t i = 0; labels && i < image->symbol_count; i++) {
        const char *name = image->symbols[i].name;
        if (!tacho_starts_with(name, INPUT_LABEL))
            continue;
        unsigned long number = strtoul(name + strlen(INPUT_LABEL), NULL, 10);
        if (number < (unsigned long)count)
            labels[number] = &image->symbols[i];
    }
    return labels;
}

/* A place between two instructions. Not every marker gets a label: one after ".end" does not. */
static int label_place(const input *in, const input_image *image, const input_symbol *label, uint64_t line,
                       const input_section **section, size_t *offset)
{
    *section = label ? input_find_section(image, label->section) : NULL;
    if (!*section || label->value > (*section)->size)
        return input_fail(in, TACHO_ERR_INPUT, line, -1, "a marker of this region does not stand among code");
    *offset = label->value;
    return 0;
}

static int add_marked(const input *in, const input_image *image, const input_marked *r,
                      const input_symbol *const *labels, const input_span *within)
{
    const input_section *section = NULL, *end_section = NULL;
    size_t start = 0, end = 0;
    int result = r->begin >= 0 ? label_place(in, image, labels[r->begin], r->line, &section, &start) : 0;
    if (!result && r->end >= 0)
        result = label_place(in, image, labels[r->end], r->line, &end_section, &end);
    if (result)
        return result;
    if (!section)
        section = end_section;
    if (r->end < 0)
        end = section->size;
    else if (section != end_section || end < start)
        return input_fail(in, TACHO_ERR_INPUT, r->line, -1,
                          "the region's begin and end markers are not in one section, in this order");
    if (within && (within->section != section || start < within->start || end > within->end))
        return 0;
    return input_add_region(in, r->name, section, start, end, r->line);
}

static int add_all_marked(const input *in, const input_image *image, const input_text *text,
                          const input_span *within)
{
    TACHO_MEM_FREED const input_symbol **labels = find_labels(in, image, text->label_count);
    int result = labels ? 0 : TACHO_ERR_MEMORY;
    for (size_t i = 0; i < text->region_count && !result; i++)
        result = add_marked(in, image, &text->regions[i], labels, within);
    return result;
}

static int add_byte_marked(const input *in, const input_image *image, const input_span *within)
{
    int result = 0;
    for (size_t i = 0; i < image->section_count && result >= 0; i++) {
        const input_section *s = &image->sections[i];
        input_span all = {s, 0, s->size, NULL};
        if (within ? s == within->section : s->executable)
            result = input_byte_markers(in, within ? within : &all);
    }
    return result < 0 ? result : 0;
}

/* One region for all of what was asked for. */
static int add_whole(const input *in, const input_image *image, bool selected, input_span *span)
{
    size_t sections = 0;
    int result = selected ? 0 : input_elf_default(in, image, span);
    if (result)
        return result;
    for (size_t i = 0; i < image->section_count && !selected && image->relocatable; i++)
        sections += image->sections[i].executable && image->sections[i].size;
    if (sections > 1 && input_warn(in, "other sections with code are left out (--section NAME: one of them)"))
        return TACHO_ERR_MEMORY;
    in->out->code.several_blocks =
        sections > 1 || tacho_has_several_blocks(span->section->bytes + span->start, span->end - span->start);
    return add_span(in, span);
}

/* Chooses the regions of an image: comment markers, byte markers, or all of what was asked for. */
static int choose_regions(const input *in, const input_image *image, const input_text *text)
{
    input_span span;
    int selected = input_elf_select(in, image, &span);
    if (selected < 0)
        return selected;
    const input_span *within = selected ? &span : NULL;
    int result = 0;
    if (!in->options->ignore_markers && text && text->region_count)
        result = add_all_marked(in, image, text, within);
    else if (!in->options->ignore_markers)
        result = add_byte_marked(in, image, within);
    in->out->code.marked = in->out->code.region_count > 0;
    return result || in->out->code.marked ? result : add_whole(in, image, selected, &span);
}

/* Regions are parts of sections. */
static void give_source(const input *in, const input_image *image)
{
    for (size_t i = 0; i < in->out->code.region_count; i++) {
        tacho_region *r = &in->out->code.regions[i];
        for (size_t k = 0; k < image->section_count; k++) {
            const input_section *s = &image->sections[k];
            if (r->bytes >= s->bytes && r->bytes < s->bytes + s->size)
                r->typed = input_source_of(in, s, &r->typed_count);
        }
    }
}

static int from_elf(const input *in, const input_text *text)
{
    input_image image;
    int result = input_elf_open(in, &image, in->out->data, in->out->size) ?: choose_regions(in, &image, text);
    if (!result)
        give_source(in, &image);
    input_image_close(&image);
    return result;
}

static int from_assembly(const input *in)
{
    TACHO_ENDS(input_text_free) input_text text = {0};
    char *object = NULL;
    size_t object_size = 0;
    if (in->out->size > TACHO_MAX_ASSEMBLY_BYTES)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "more than %d MB of assembly text",
                          TACHO_MAX_ASSEMBLY_BYTES >> 20);
    int result = input_scan_text(in, in->out->data, in->out->size, &text)
                     ?: input_assemble(in, &text.text, INPUT_NO_LINES, INPUT_WARNS | INPUT_KEEPS_TYPED,
                                       &object, &object_size);
    if (!result) {
        tacho_mem_free(in->out->data);
        in->out->data = object;
        in->out->size = object_size;
        result = from_elf(in, &text);
        if (!result && in->out->code.region_count == 1 && !in->out->code.regions[0].line)
            in->out->code.regions[0].line = 1;
    }
    return result;
}

static int from_bytes(const input *in)
{
    const tacho_code_options *o = in->options;
    input_section s = input_section_of_bytes((char *)"the code", in->out->data, in->out->size);
    input_span span = {&s, 0, s.size, NULL};
    if (o->symbol || o->section)
        return input_fail(in, TACHO_ERR_USAGE, 0, -1, "machine code alone has no symbols or sections");
    if (o->has_range) {
        if (o->range_start > o->range_end || o->range_end > s.size)
            return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                              "the range is not within the %zu bytes of the input", s.size);
        span.start = o->range_start;
        span.end = o->range_end;
    }
    int result = o->ignore_markers ? 0 : input_byte_markers(in, &span);
    in->out->code.marked = result > 0;
    return result ? (result < 0 ? result : 0) : add_span(in, &span);
}

/* Hexadecimal text is turned into bytes in its place. */
static int decode_hex(const input *in)
{
    tacho_error why;
    long n = tacho_hex_decode((uint8_t *)in->out->data, in->out->data, in->out->size, &why);
    if (n < 0) {
        int64_t offset = why.offset;
        input_fail(in, (int)n, 0, -1, "%s", why.message);
        if (in->err)
            in->err->offset = offset;
        return (int)n;
    }
    in->out->size = (size_t)n;
    return 0;
}

/* Files that people have at hand and that are not supported, told apart from assembly text. */
static const char *foreign_file(const char *data, size_t size)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *what;
    } kinds[] = {
        {"!<arch>\n", 8, "a static library; extract the member that is wanted with 'ar x'"},
        {"MZ", 2, "a Windows executable; tacho reads ELF files, assembly text and machine code (--raw)"},
        {"\xcf\xfa\xed\xfe", 4, "a Mach-O file; tacho reads ELF files, assembly text and machine code"},
        {"BC\xc0\xde", 4, "LLVM bitcode; compile it to assembly or an object file first"},
        {"\x1f\x8b", 2, "compressed; unpack it first"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size > kinds[i].length && !memcmp(data, kinds[i].magic, kinds[i].length) &&
            (kinds[i].length > 2 || memchr(data, '\0', size)))
            return kinds[i].what;
    return NULL;
}

int input_find_kind(const input *in)
{
    tacho_code *code = &in->out->code;
    const char *foreign = foreign_file(in->out->data, in->out->size);
    code->kind = in->options->kind;
    if (code->kind == TACHO_INPUT_AUTO)
        code->kind = input_is_elf(in->out->data, in->out->size) ? TACHO_INPUT_ELF : TACHO_INPUT_ASSEMBLY;
    if (code->kind == TACHO_INPUT_ASSEMBLY && foreign)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "%s", foreign);
    if (!in->out->size)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "%s",
                          code->kind == TACHO_INPUT_ASSEMBLY ? INPUT_NO_INSTRUCTIONS : "empty input");
    return code->kind == TACHO_INPUT_HEX ? decode_hex(in) : 0;
}

static int read_kind(const input *in)
{
    int result = input_find_kind(in);
    if (result)
        return result;
    switch (in->out->code.kind) {
    case TACHO_INPUT_ELF:
        return from_elf(in, NULL);
    case TACHO_INPUT_RAW:
    case TACHO_INPUT_HEX:
        return from_bytes(in);
    default:
        return from_assembly(in);
    }
}

OPTIONS_DEFINE(code, TACHO_CODE_OPTIONS_INIT)

typedef int file_reading(const char *path, size_t limit, char **data, size_t *size);

static int read_file(const input *in, const char *path, file_reading *read)
{
    if (!read(path, TACHO_MAX_INPUT_BYTES, &in->out->data, &in->out->size))
        return 0;
    if (errno == ESPIPE && read == tacho_file_read_regular)
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "it is no regular file");
    if (errno == EFBIG)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "larger than %d MB", TACHO_MAX_INPUT_BYTES >> 20);
    if (errno == ENOMEM)
        return tacho_no_memory(in->err);
    return input_fail(in, TACHO_ERR_INPUT, 0, -1, "cannot be read: %s", strerror(errno));
}

int input_start(input *in, const char *path, const void *data, size_t size, const char *name,
                const tacho_code_options *options, tacho_error *err)
{
    if (path)
        name = strcmp(path, "-") ? path : "standard input";
    *in = (input){name, options, err, tacho_mem_zalloc(1, sizeof(input_code))};
    int result = in->out ? 0 : tacho_no_memory(in->err);
    if (!result && path) {
        result = read_file(in, path, tacho_file_read);
    } else if (!result) {
        in->out->data = tacho_mem_strndup(size ? data : "", size);
        in->out->size = size;
        result = in->out->data ? 0 : tacho_no_memory(in->err);
    }
    if (result && in->out)
        tacho_code_free(&in->out->code);
    return result;
}

int input_start_regular(input *in, const char *path, const tacho_code_options *options, tacho_error *err)
{
    *in = (input){path, options, err, tacho_mem_zalloc(1, sizeof(input_code))};
    int result = in->out ? read_file(in, path, tacho_file_read_regular) : tacho_no_memory(in->err);
    if (result && in->out)
        tacho_code_free(&in->out->code);
    return result;
}

static int read_regions(tacho_code **out, const char *path, const void *data, size_t size, const char *name,
                        const tacho_code_options *options, tacho_error *err)
{
    tacho_code_options o;
    input in;
    *out = NULL;
    int result = OPTIONS_TAKE(code, &o, options, err);
    if (result || (result = input_start(&in, path, data, size, name, &o, err)))
        return result;
    result = read_kind(&in) ?: input_choose_region(&in);
    if (result)
        tacho_code_free(&in.out->code);
    else
        *out = &in.out->code;
    return result;
}

int tacho_code_from_memory(tacho_code **out, const void *data, size_t size, const char *name,
                           const tacho_code_options *options, tacho_error *err)
{
    return read_regions(out, NULL, data, size, name, options, err);
}

int tacho_code_load(tacho_code **out, const char *path, const tacho_code_options *options, tacho_error *err)
{
    return read_regions(out, path, NULL, 0, NULL, options, err);
}

void tacho_code_free(tacho_code *code)
{
    if (!code)
        return;
    input_code *owner = (input_code *)code;
    for (size_t i = 0; i < code->region_count; i++)
        tacho_mem_free(code->regions[i].name);
    warnings_free(&owner->warnings);
    tacho_mem_free(code->regions);
    arena_free(&owner->source);
    tacho_mem_free(owner->data);
    tacho_mem_free(owner);
}
