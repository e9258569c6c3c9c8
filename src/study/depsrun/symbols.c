/* symbols.c - the functions that instructions lie in, by the symbols of their files and, where there are
 * none, by .eh_frame, which tells where functions begin and end but not what they are called; and the code of
 * those that are to be judged. */
#include <elf.h>

#include "base/mem.h"
#include "study/depsrun/depsrun.h"

typedef struct function {
    uint64_t address; /* first, to be searched for */
    uint64_t size;    /* 0: up to the next */
    const char *name; /* in the file's text; NULL: not known */
    bool begins;      /* a function; else a label, most likely in one */
} function;

typedef struct functions {
    function *list;
    size_t count, capacity;
} functions;

static int by_address(const void *a, const void *b)
{
    const function *x = a, *y = b;
    return ORDER(x->address, y->address)
               ?: (x->name && y->name ? strcmp(x->name, y->name) : (x->name == NULL) - (y->name == NULL));
}

static bool add(functions *out, function f)
{
    if (tacho_mem_grow(&out->list, &out->capacity, out->count + 1, sizeof *out->list))
        return false;
    out->list[out->count++] = f;
    return true;
}

/* Functions, and labels of code in assembly. @return false: memory ran out */
static bool list_symbols(const input_image *image, functions *out)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const input_symbol *s = &image->symbols[i];
        if (input_names_code(image, s) &&
            !add(out, (function){s->value, s->size, s->name, s->type != STT_NOTYPE || s->global}))
            return false;
    }
    tacho_sort(out->list, out->count, sizeof *out->list, by_address);
    return true;
}

static const function *function_at(const functions *f, uint64_t address)
{
    size_t n = tacho_count_below(f->list, f->count, sizeof *f->list, address + 1);
    const function *last = n ? &f->list[n - 1] : NULL;
    while (last > f->list && last[-1].address == last->address)
        last--; /* of several names the first */
    return last && (!last->size || address - last->address < last->size) ? last : NULL;
}

/* The function that an address lies in, past labels; that of the label, if there is none. */
static const function *whole_function_at(const functions *f, uint64_t address)
{
    const function *label = function_at(f, address), *at = label;
    while (at > f->list && !at->begins)
        at--;
    return at && at->begins && (!at->size || address - at->address < at->size) ? at : label;
}

typedef struct frame_list {
    const functions *symbols; /* sorted */
    functions out;
} frame_list;

/* Takes a function that no symbol knows. */
static int take_frame(uint64_t start, uint64_t size, uint64_t table, void *payload)
{
    frame_list *l = payload;
    const function *known = function_at(l->symbols, start);
    if (known && (known->size || known->address == start))
        return 0;
    return add(&l->out, (function){start, size, NULL, true}) ? 0 : -1;
}

/* @return false: memory ran out */
static bool list_functions(const input_image *image, functions *out)
{
    frame_list frames = {.symbols = out};
    bool good = list_symbols(image, out) && !frames_read(image, &(frame_reader){take_frame, &frames});
    for (size_t i = 0; i < frames.out.count && good; i++)
        good = add(out, frames.out.list[i]);
    tacho_mem_free(frames.out.list);
    if (frames.out.count)
        tacho_sort(out->list, out->count, sizeof *out->list, by_address);
    return good;
}

/* Names the instructions of one file. */
static int name_insns(depsrun *d, const char *object, const functions *f)
{
    const function *former = NULL;
    const char *name = NULL;
    for (size_t i = 0; i < d->result.insn_count; i++) {
        tacho_deps_run_insn *insn = &d->insns[i];
        const function *at = insn->object == object ? function_at(f, insn->address) : NULL;
        if (!at || !at->name)
            continue;
        if (at != former)
            name = arena_text(&d->texts, at->name);
        if (!name)
            return tacho_no_memory(d->err);
        former = at;
        insn->symbol = name;
        insn->offset = insn->address - at->address;
    }
    return 0;
}

/* Without a size it goes on to the next one. */
static int add_function(depsrun *d, const input_image *image, const functions *f, const function *at,
                        uint32_t insn)
{
    const input_section *section = input_section_at(image, at->address);
    const function *next = at;
    while (next < f->list + f->count && (next->address == at->address || (at->begins && !next->begins)))
        next++;
    if (!section || !section->executable)
        return 0;
    uint64_t offset = at->address - section->address, size = section->size - offset;
    if (at->size && at->size < size)
        size = at->size;
    else if (!at->size && next < f->list + f->count && next->address - at->address < size)
        size = next->address - at->address;
    if (tacho_mem_grow(&d->functions, &d->function_capacity, d->function_count + 1, sizeof *d->functions))
        return tacho_no_memory(d->err);
    uint8_t *bytes = arena_alloc_raw(&d->texts, size);
    if (!bytes)
        return tacho_no_memory(d->err);
    memcpy(bytes, section->bytes + offset, size);
    d->functions[d->function_count++] = (depsrun_function){bytes, at->address, size, insn, insn};
    return 0;
}

/* Says how many of the functions to be judged have no names. */
static int tell_nameless(depsrun *d, const char *object, size_t count)
{
    return !count ? 0
                  : depsrun_warn(
                        d,
                        "%s: %zu function%s that %s followed %s no symbol: where %s begin%s and end%s is "
                        "told by .eh_frame",
                        object, count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
                        count == 1 ? "has" : "have", count == 1 ? "it" : "they", count == 1 ? "s" : "",
                        count == 1 ? "s" : "");
}

/* The functions of one file with instructions in blocks that are to be judged. */
static int take_functions(depsrun *d, const char *object, const input_image *image, const functions *f)
{
    size_t first = d->function_count, nameless = 0;
    int rc = 0;
    for (size_t i = 0; i < d->result.insn_count && !rc; i++) {
        const tacho_deps_run_insn *insn = &d->insns[i];
        bool judged = insn->block != TACHO_DEPS_RUN_NO_BLOCK && d->blocks[insn->block].hot;
        const function *at = judged && insn->object == object ? whole_function_at(f, insn->address) : NULL;
        if (!at)
            continue;
        depsrun_function *last = d->function_count > first ? &d->functions[d->function_count - 1] : NULL;
        if (last && last->address == at->address)
            last->last_insn = (uint32_t)i;
        else {
            nameless += !at->name;
            rc = add_function(d, image, f, at, (uint32_t)i);
        }
    }
    return rc ? rc : tell_nameless(d, object, nameless);
}

static int take_file(depsrun *d, const char *object, const input_image *image, const functions *f)
{
    return name_insns(d, object, f) ?: take_functions(d, object, image, f);
}

/* A file that cannot be read, or is damaged, names nothing. */
static int name_by_file(depsrun *d, const char *path)
{
    static const tacho_code_options defaults = TACHO_CODE_OPTIONS_INIT;
    tacho_error unwanted;
    input in;
    TACHO_ENDS(input_image_close) input_image image = {0};
    functions f = {0};
    int rc = input_start_regular(&in, path, &defaults, &unwanted);
    if (rc)
        return 0;
    if (input_is_elf(in.out->data, in.out->size) && !input_elf_open(&in, &image, in.out->data, in.out->size))
        rc = list_functions(&image, &f) ? take_file(d, tacho_base_name(path), &image, &f)
                                        : tacho_no_memory(d->err);
    tacho_mem_free(f.list);
    tacho_code_free(&in.out->code);
    return rc;
}

int depsrun_symbols(depsrun *d)
{
    int rc = 0;
    for (size_t i = 0; i < d->path_count && !rc; i++)
        rc = name_by_file(d, d->paths[i]);
    return rc;
}
