/* hot_file.c - a file with samples: opened, compared with what it was when the samples were taken, and looked
 * through where they lie. Only functions with enough samples get a graph, so that a library of 30 MB takes
 * little more than reading its symbols. */
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "program/hot/hot_find.h"

enum {
    MAX_VDSO_BYTES = 1 << 16
};

/* ---- is it still the same file? ---- */

/* The device is not compared: what the kernel tells of a mapping is, on btrfs and overlays, another one than
 * stat()'s. */
static bool has_changed(const tacho_hot_object *object, Elf *elf)
{
    struct stat st;
    uint8_t id[TACHO_HOT_BUILD_ID_BYTES];
    uint32_t bytes = object->build_id_bytes ? elf_build_id(elf, id) : 0;
    if (bytes)
        return bytes != object->build_id_bytes || memcmp(id, object->build_id, bytes) != 0;
    return object->inode && !stat(object->path, &st) && st.st_ino != object->inode;
}

/* ---- where samples lie in it ---- */

static int add_sample(hot_file *file, uint64_t address, const tacho_hot_sample *sample)
{
    if (tacho_mem_grow(&file->samples, &file->sample_capacity, file->sample_count + 1, sizeof *file->samples))
        return TACHO_ERR_MEMORY;
    file->samples[file->sample_count++] =
        (found_sample){address, sample->offset, sample->samples, sample->weight};
    return 0;
}

ORDER_NUMBERS(by_address, uint64_t);

/* They come so: the profile has them by offset. */
static int keep_order(hot_file *file)
{
    size_t bytes = file->sample_count * sizeof *file->samples;
    file->by_offset = tacho_mem_alloc(bytes + 1);
    if (file->by_offset && bytes)
        memcpy(file->by_offset, file->samples, bytes);
    return file->by_offset ? 0 : TACHO_ERR_MEMORY;
}

/* They are in the order of objects. */
size_t file_first_sample(const tacho_hot_profile *p, uint32_t object)
{
    size_t at;
    COUNT_BEFORE(at, p->place_count, p->places[at].object < object);
    return at;
}

static size_t first_round(const tacho_hot_profile *p, uint32_t object)
{
    size_t at;
    COUNT_BEFORE(at, p->round_count, p->rounds[at].object < object);
    return at;
}

/* Of files that have addresses for offsets. */
static bool has_code(const input_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (image->sections[i].executable && address >= image->sections[i].address &&
            address - image->sections[i].address < image->sections[i].size)
            return true;
    return false;
}

static int take_samples(const hot_search *s, hot_file *file, const input_image *image, double *missed)
{
    const tacho_hot_sample *sample = s->profile->places + file_first_sample(s->profile, file->number),
                           *end = s->profile->places + file_first_sample(s->profile, file->number + 1);
    for (; sample < end; sample++) {
        uint64_t address = sample->offset;
        if (file->object->dump ? !has_code(image, address)
                               : !input_address_of(image, sample->offset, &address))
            *missed += sample->weight;
        else if (add_sample(file, address, sample))
            return TACHO_ERR_MEMORY;
    }
    int rc = keep_order(file);
    tacho_sort(file->samples, file->sample_count, sizeof *file->samples, by_address);
    return rc;
}

/* The rounds of loops in it, with addresses. */
static int take_rounds(const hot_search *s, hot_file *file, const input_image *image)
{
    const size_t end = first_round(s->profile, file->number + 1);
    for (size_t i = first_round(s->profile, file->number); i < end; i++) {
        tacho_hot_round r = s->profile->rounds[i];
        if (!input_address_of(image, r.target, &r.target) || !input_address_of(image, r.low, &r.low) ||
            !input_address_of(image, r.high, &r.high))
            continue;
        if (tacho_mem_grow(&file->rounds, &file->round_capacity, file->round_count + 1, sizeof *file->rounds))
            return TACHO_ERR_MEMORY;
        file->rounds[file->round_count++] = r;
    }
    return 0;
}

static int take_pairs(const hot_search *s, hot_file *file, const input_image *image)
{
    const hot_pairs *p = s->profile->pairs;
    for (size_t i = 0; p && i < p->count; i++) {
        found_pair pair = {.pair = &p->list[i]};
        if (p->list[i].object != file->number ||
            !input_address_of(image, p->list[i].after.offset, &pair.after) ||
            (p->list[i].time > 0 && !input_address_of(image, p->list[i].before.offset, &pair.before)))
            continue;
        if (tacho_mem_grow(&file->pairs, &file->pair_capacity, file->pair_count + 1, sizeof *file->pairs))
            return TACHO_ERR_MEMORY;
        file->pairs[file->pair_count++] = pair;
    }
    return 0;
}

/* The blocks of the object, of the base name that an extraction knows. */
static int take_counts(const hot_search *s, hot_file *file)
{
    const tacho_extract *x = s->options.counts;
    for (size_t i = 0; x && i < x->count; i++) {
        const tacho_extract_block *b = &x->blocks[i];
        if (!b->counted || strcmp(b->object, file->object->name) != 0)
            continue;
        if (tacho_mem_grow(&file->counts, &file->count_capacity, file->count_count + 1, sizeof *file->counts))
            return TACHO_ERR_MEMORY;
        file->counts[file->count_count++] = (found_count){b->address, b->address + b->byte_count, b->count};
    }
    tacho_sort(file->counts, file->count_count, sizeof *file->counts, by_address);
    return 0;
}

double file_count_at(const hot_file *file, uint64_t address)
{
    size_t i = tacho_count_below(file->counts, file->count_count, sizeof *file->counts, address + 1);
    uint64_t sum = 0;
    bool known = false;
    for (; i > 0 && file->counts[i - 1].start <= address; i--) {
        if (file->counts[i - 1].end <= address)
            break;
        sum += file->counts[i - 1].count; /* the same block in several applications */
        known = true;
    }
    return known ? (double)sum : -1;
}

/* ---- its functions ---- */

static double weight_of(const found_sample *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i].weight;
    return sum;
}

static int add_function(hot_search *s, const hot_file *file, finder *f, const code_span *span,
                        const found_sample *samples, size_t count, double weight)
{
    if (tacho_mem_grow(&s->functions, &s->function_capacity, s->hot.function_count + 1, sizeof *s->functions))
        return TACHO_ERR_MEMORY;
    tacho_hot_function *out = &s->functions[s->hot.function_count++];
    *out = (tacho_hot_function){.object = file->object,
                                .name = span->name ? loop_symbol(f, span->name) : NULL,
                                .start = span->section->address + span->start,
                                .end = span->section->address + span->end,
                                .weight = weight,
                                .share = weight / s->profile->weight};
    for (size_t i = 0; i < count; i++)
        out->samples += samples[i].samples;
    return span->name && !out->name ? TACHO_ERR_MEMORY : 0;
}

static int search_span(hot_search *s, hot_file *file, finder *f, const code_span *span,
                       const found_sample *samples, size_t count, double *missed)
{
    static const uint32_t entry = 0;
    cfg g;
    double weight = weight_of(samples, count);
    if (weight < search_threshold(s))
        return 0;
    if (add_function(s, file, f, span, samples, count, weight))
        return TACHO_ERR_MEMORY;
    if (span->end - span->start > CFG_MAX_BYTES) {
        *missed += weight;
        return search_warn(s, "%s: a function of more than 32 MB is not looked at", file->object->name);
    }
    int rc = finder_graph(f, span, &entry, 1, false, &g);
    rc = rc ? rc : tacho_cfg_find_loops(&g);
    if (rc == TACHO_ERR_LIMIT) {
        *missed += weight;
        return search_warn(s, "%s: %s is not looked at: its flow of control is too entangled",
                           file->object->name, span->name ? span->name : "a function");
    }
    f->span_name = !rc && span->name ? loop_symbol(f, span->name) : NULL;
    if (rc || (span->name && !f->span_name))
        return TACHO_ERR_MEMORY;
    return places_add(s, file, f, &g, samples, count);
}

/* Spans are in the order of sections, samples in that of addresses: each span finds its own. */
static int search_spans(hot_search *s, hot_file *file, finder *f, double *missed)
{
    int rc = 0;
    for (size_t i = 0; i < f->spans.count && !rc; i++) {
        const code_span *span = &f->spans.spans[i];
        uint64_t start = span->section->address + span->start, end = span->section->address + span->end;
        size_t first = tacho_count_below(file->samples, file->sample_count, sizeof *file->samples, start);
        size_t last = tacho_count_below(file->samples, file->sample_count, sizeof *file->samples, end);
        if (first < last)
            rc = search_span(s, file, f, span, file->samples + first, last - first, missed);
    }
    return rc;
}

/* Says that all samples of a file are elsewhere. */
static int leave_out(hot_search *s, const hot_file *file, const char *why)
{
    s->hot.elsewhere += file->object->weight;
    return search_warn(s, "%s: not analysed (%.1f %% of the samples): %s", file->object->path,
                       100 * file->object->weight / s->profile->weight, why);
}

/* Adds what a debug file knows of functions. */
static int add_debug(finder *f, const hot_file *file, debug_file *d)
{
    if (!f->image.stripped || file->object->kind != TACHO_HOT_OBJECT_FILE ||
        !debug_file_open(d, file->object->path, f->image.elf))
        return 0;
    int rc = debug_file_symbols(d, &f->image);
    tacho_mem_free(f->functions.items);
    f->functions = (function_list){.items = NULL};
    return rc ? rc : functions_list(&f->functions, &f->in, &f->image);
}

static int look_through(hot_search *s, hot_file *file, finder *f, debug_file *d)
{
    double missed = 0;
    const bool apart = d->data != NULL;
    int rc = take_samples(s, file, &f->image, &missed);
    if (!rc)
        rc = take_rounds(s, file, &f->image);
    if (!rc)
        rc = take_pairs(s, file, &f->image);
    if (!rc)
        rc = take_counts(s, file);
    if (!rc)
        rc = causes_take(s, file, &f->image);
    if (!rc)
        rc = reuse_take(s, file, &f->image);
    if (!rc)
        rc = lines_open(&f->source, &f->in, apart ? &d->image : &f->image, apart ? d->data : f->in.out->data,
                        apart ? d->size : f->in.out->size);
    if (rc == TACHO_ERR_SYSTEM)
        rc = search_warn(s, "no source lines: %s", f->in.err->message);
    if (!rc)
        rc = spans_choose(&f->spans, &f->in, &f->image, &f->functions);
    if (!rc)
        rc = search_spans(s, file, f, &missed);
    s->hot.elsewhere += missed;
    if (!rc && f->image.stripped && file->object->kind == TACHO_HOT_OBJECT_FILE)
        rc = search_warn(s, "%s is stripped: most of its functions have no names here, and no source lines",
                         file->object->name);
    lines_close(f->source);
    return rc;
}

/* ---- opening ---- */

/* The kernel's code that every process has, as this process has it. */
static int start_vdso(input *in, const tacho_code_options *options, tacho_error *err)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)at;
    if (!at || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return TACHO_ERR_INPUT;
    size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
    return size > MAX_VDSO_BYTES ? TACHO_ERR_INPUT : input_start(in, NULL, at, size, "[vdso]", options, err);
}

/* `elf`, `size`: the file's bytes, where they are in memory already; else NULL. */
static int open_and_search(hot_search *s, hot_file *file, const char *elf, size_t size)
{
    tacho_loops_options options = TACHO_LOOPS_OPTIONS_INIT;
    finder f = {.options = &options};
    options.keep_mangled = s->options.keep_mangled;
    debug_file debug = {.data = NULL};
    tacho_error err = {0};
    int rc = file->object->kind == TACHO_HOT_OBJECT_VDSO ? start_vdso(&f.in, &options.code, &err)
             : elf ? input_start(&f.in, NULL, elf, size, file->object->dump, &options.code, &err)
                   : input_start_regular(&f.in, file->object->path, &options.code, &err);
    if (rc == TACHO_ERR_MEMORY)
        return rc;
    if (rc)
        return leave_out(s, file, *err.message ? err.message : "it cannot be read");
    f.out = file->loops = tacho_mem_zalloc(1, sizeof *f.out);
    if (!f.out) {
        tacho_code_free(&f.in.out->code);
        return TACHO_ERR_MEMORY;
    }
    f.out->code = f.in.out;
    if (!input_is_elf(f.in.out->data, f.in.out->size))
        return leave_out(s, file, "it is no ELF file");
    rc = finder_open(&f);
    if (!rc && has_changed(file->object, f.image.elf)) {
        rc = leave_out(s, file, "the file has changed since");
    } else if (!rc) {
        rc = add_debug(&f, file, &debug);
        rc = rc ? rc : look_through(s, file, &f, &debug);
    } else if (rc != TACHO_ERR_MEMORY) {
        rc = leave_out(s, file, err.message);
    }
    finder_close(&f);
    debug_file_close(&debug);
    return rc;
}

/* Code of no file: as its process has left it, or else its names alone. */
static int search_dump(hot_search *s, hot_file *file)
{
    const tacho_hot_object *object = file->object;
    const size_t first = file_first_sample(s->profile, file->number),
                 end = file_first_sample(s->profile, file->number + 1);
    const char *why = NULL;
    char *elf = NULL;
    size_t size;
    int rc = object->dump
                 ? jitdump_read(s->profile->places + first, end - first, object->dump, &elf, &size, &why)
                 : 0;
    if (why && !rc)
        rc = search_warn(s, "%s: code made at run time is not taken from it: %s", object->dump, why);
    if (elf && !rc)
        rc = open_and_search(s, file, elf, size);
    tacho_mem_free(elf);
    if (elf || rc)
        return rc;
    s->hot.elsewhere += object->weight;
    return jit_search(s, file->number);
}

int file_search(hot_search *s, uint32_t number)
{
    const tacho_hot_object *object = &s->profile->objects[number];
    if (tacho_mem_grow(&s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
        return TACHO_ERR_MEMORY;
    hot_file *file = tacho_mem_zalloc(1, sizeof *file);
    if (!file)
        return TACHO_ERR_MEMORY;
    s->files[s->file_count++] = file;
    file->object = object;
    file->number = number;
    if (object->kind == TACHO_HOT_OBJECT_VDSO && s->profile->via == TACHO_HOT_FILE)
        return leave_out(s, file, "the kernel's code of the machine that it was recorded on is not at hand");
    if (object->kind == TACHO_HOT_OBJECT_MEMORY)
        return search_dump(s, file);
    if (object->kind == TACHO_HOT_OBJECT_UNKNOWN) {
        s->hot.elsewhere += object->weight;
        return 0;
    }
    return open_and_search(s, file, NULL, 0);
}

void file_free(hot_file *file)
{
    if (file->loops)
        tacho_loops_free(&file->loops->loops);
    TACHO_MEM_FREE(file->samples, file->by_offset, file->counts, file->rounds, file->pairs, file->sites.list,
                   file->watched.list, file);
}
