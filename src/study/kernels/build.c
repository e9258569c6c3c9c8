/* build.c - a variant's shared object. */
#include <elf.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "study/kernels/kernels_internal.h"
#include "x86/decode/insn_struct.h"

enum {
    OBJECT_BYTES = 256 << 20,
    OPEN_FILES = 256,
    MEMORY_BYTES_SHIFT = 33 /* of the compiler: 8 GiB */
};

void kernels_object_path(const tacho_kernels *k, size_t variant, char out[KERNELS_PATH_SIZE])
{
    snprintf(out, KERNELS_PATH_SIZE, "%.3600s/objects/%.400s.so", k->work, k->variants[variant].id);
}

/* The line of a compiler's complaints that says most. */
static void complaint(const char *text, char message[KERNELS_MESSAGE_SIZE])
{
    const char *best = strstr(text, "error: "), *line = text;
    for (const char *p = text; best && p < best; p++)
        if (*p == '\n')
            line = p + 1;
    const char *slash = best ? memrchr(line, '/', (size_t)(best - line)) : NULL; /* of the file's path */
    line = slash ? slash + 1 : line;
    snprintf(message, KERNELS_MESSAGE_SIZE, "%.*s", (int)strcspn(line, "\n"), line);
}

/* The i-th program header. @return false: it is not there */
static bool segment(const char *data, size_t size, const Elf64_Ehdr *h, unsigned i, Elf64_Phdr *out)
{
    size_t at = h->e_phoff + i * sizeof *out;
    if (i >= h->e_phnum || at > size || size - at < sizeof *out)
        return false;
    memcpy(out, data + at, sizeof *out);
    if (out->p_offset > size)
        out->p_offset = out->p_filesz = 0;
    else if (out->p_filesz > size - out->p_offset)
        out->p_filesz = size - out->p_offset;
    return true;
}

/* `data` is changed: what is loaded and says how the file came to be, and not what it does, is wiped out. */
static uint64_t hash_segments(char *data, size_t size, const Elf64_Ehdr *h)
{
    uint64_t hash = 1;
    Elf64_Phdr p;
    memset(data, 0, sizeof *h); /* where section headers are */
    for (unsigned i = 0; segment(data, size, h, i, &p); i++)
        if (p.p_type == PT_NOTE) /* the build's number */
            memset(data + p.p_offset, 0, p.p_filesz);
    for (unsigned i = 0; segment(data, size, h, i, &p); i++)
        if (p.p_type == PT_LOAD) {
            hash = hash_add(hash_add(hash_add(hash, p.p_flags), p.p_vaddr), p.p_memsz);
            hash = kernels_hash(hash, data + p.p_offset, p.p_filesz);
        }
    return hash ? hash : 1;
}

uint64_t kernels_hash_object(const tacho_kernels *k, size_t variant)
{
    char path[KERNELS_PATH_SIZE];
    TACHO_MEM_FREED char *data = NULL;
    size_t size;
    Elf64_Ehdr h;
    kernels_object_path(k, variant, path);
    if (tacho_file_read(path, OBJECT_BYTES, &data, &size))
        return 0;
    bool good = size >= sizeof h;
    if (good)
        memcpy(&h, data, sizeof h);
    return good ? hash_segments(data, size, &h) : 0;
}

static int run_compiler(const tacho_kernels *k, const kernels_compiler *c, const char *const *argv,
                        kernels_outcome *o, tacho_error *err)
{
    tacho_process p = {.path = c->path,
                       .argv = argv,
                       .directory = k->work,
                       .file = -1,
                       .seconds = k->options.seconds,
                       .open_files = OPEN_FILES,
                       .memory_bytes = (size_t)1 << MEMORY_BYTES_SHIFT,
                       .file_bytes = OBJECT_BYTES,
                       .look = KERNELS_LOOK_SECONDS};
    tacho_process_end end;
    TACHO_FREED tacho_str errors = {0};
    int rc = kernels_run_program(k, &p, &errors, &end, err);
    if (!rc && (end.timed_out || end.exit_status)) {
        o->status = TACHO_KERNEL_NOT_COMPILED;
        complaint(errors.data, o->message);
        if (end.timed_out)
            snprintf(o->message, sizeof o->message, "%s did not end in %g s", c->name, k->options.seconds);
        else if (!*o->message)
            snprintf(o->message, sizeof o->message, "%s failed without a message (exit status %d, signal %d)",
                     c->name, end.exit_status, end.signal);
    }
    return rc;
}

int kernels_compile(const tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err)
{
    const tacho_kernel_variant *v = &k->variants[variant];
    char flags[800], object[KERNELS_PATH_SIZE], include[KERNELS_PATH_SIZE + 2], runtime[KERNELS_PATH_SIZE];
    const char *argv[KERNELS_MAX_WORDS + 20] = {k->own[variant].compiler->path, "-w"};
    kernels_object_path(k, variant, object);
    snprintf(flags, sizeof flags, "%s", v->flags);
    snprintf(include, sizeof include, "-I%.4000s", k->runtime);
    snprintf(runtime, sizeof runtime, "%.4000s/runtime.c", k->runtime);
    size_t n = kernels_split_flags(flags, argv, 2);
    const char *const rest[] = {"-shared", "-fPIC", "-Dmain=tacho_kernel_main", include,
                                "-o",      object,  k->sources[v->kernel].path, runtime,
                                "-lm",     NULL};
    memcpy(argv + n, rest, sizeof rest);
    unlink(object);
    int rc = run_compiler(k, k->own[variant].compiler, argv, o, err);
    if (rc || o->status != TACHO_KERNEL_PENDING)
        return rc;
    o->file_hash = kernels_hash_object(k, variant);
    if (!o->file_hash) {
        o->status = TACHO_KERNEL_NOT_COMPILED;
        snprintf(o->message, sizeof o->message, "%s has written no object", k->own[variant].compiler->name);
    }
    return 0;
}

void kernels_outcome_free(kernels_outcome *o)
{
    TACHO_MEM_FREE(o->blocks, o->objects, o->code, o->names);
}

/* ---- variants that are the same ---- */

/* Those with the code of an earlier one are not counted, measured or judged again; results must agree. */

#define SAME_RESULT 1e-6 /* relative: the order of additions may differ */

/* ---- the code of a region ---- */

/* Where the instruction's bytes say how far something is that may lie elsewhere for nothing: constants and
 * variables that are addressed from RIP, and functions. Jumps stay within a function. */
static void mask_distances(uint8_t *bytes, const tacho_insn *insn, const decode_places *places)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_MEM && insn->operands[i].mem.base.class_ == TACHO_REG_RIP)
            memset(bytes + places->disp_offset, 0, places->disp_bytes);
    if (insn->is_call)
        memset(bytes + places->imm_offset, 0, places->imm_bytes);
}

static uint64_t hash_block(uint64_t h, const tacho_kernel_block *b)
{
    for (uint32_t at = 0; at < b->byte_count;) {
        uint8_t bytes[TACHO_MAX_INSN_BYTES];
        tacho_insn insn;
        decode_places places;
        if (tacho_decode_with_places(&insn, &places, b->bytes + at, b->byte_count - at, NULL))
            return kernels_hash(h, b->bytes + at, b->byte_count - at);
        memcpy(bytes, b->bytes + at, insn.length);
        mask_distances(bytes, &insn, &places);
        h = kernels_hash(h, bytes, insn.length);
        at += insn.length;
    }
    return h;
}

uint64_t kernels_hash_region(const tacho_kernel_block *blocks, size_t count)
{
    uint64_t h = 1;
    for (size_t i = 0; i < count; i++)
        h = hash_block(hash_add(h, blocks[i].count), &blocks[i]);
    return h;
}

/* ---- variants ---- */

static bool has_result(const tacho_kernel_variant *v)
{
    return kernels_is_predicted(v) || v->status == TACHO_KERNEL_CACHE_MISSES;
}

/* What is executed does not say which constants it finds: the result does. */
static bool is_same_region(const tacho_kernels *k, size_t a, size_t b)
{
    double x = k->variants[a].checksum, y = k->variants[b].checksum;
    return k->own[a].code_hash && k->own[a].code_hash == k->own[b].code_hash &&
           (x == y || (isnan(x) && isnan(y)));
}

static bool is_same_object(const tacho_kernels *k, size_t a, size_t b)
{
    return k->own[a].file_hash && k->own[a].file_hash == k->own[b].file_hash;
}

/* The first variant before this one that is the same. */
static int64_t earlier(const tacho_kernels *k, size_t variant, bool region)
{
    for (size_t i = 0; i < variant; i++)
        if (k->variants[i].kernel == k->variants[variant].kernel &&
            k->variants[i].status != TACHO_KERNEL_MERGED &&
            (region ? is_same_region(k, i, variant) : is_same_object(k, i, variant)))
            return (int64_t)i;
    return -1;
}

int kernels_merge(tacho_kernels *k, bool region, size_t end, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < k->result.variant_count && i < end && !rc; i++) {
        tacho_kernel_variant *v = &k->variants[i];
        int64_t same =
            has_result(v) == region && v->status != TACHO_KERNEL_MERGED ? earlier(k, i, region) : -1;
        char object[KERNELS_PATH_SIZE];
        if (same < 0 || (!region && v->status != TACHO_KERNEL_PENDING))
            continue;
        v->same_as = same;
        rc = kernels_set_status(k, i, TACHO_KERNEL_MERGED, "", err);
        kernels_object_path(k, i, object);
        unlink(object);
    }
    return rc;
}

/* Variants of a kernel must have the same result. */
int kernels_check_results(tacho_kernels *k, tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < k->result.variant_count && !rc; i++) {
        const tacho_kernel_variant *v = &k->variants[i], *first = NULL;
        for (size_t j = 0; j < i && !first; j++)
            if (k->variants[j].kernel == v->kernel && has_result(&k->variants[j]))
                first = &k->variants[j];
        if (!first || !has_result(v) || !isfinite(first->checksum) ||
            fabs(v->checksum - first->checksum) <= SAME_RESULT * fabs(first->checksum))
            continue;
        char message[KERNELS_MESSAGE_SIZE];
        snprintf(message, sizeof message,
                 "its results are others (checksum %.9g) than those of %.100s (%.9g)", v->checksum, first->id,
                 first->checksum);
        rc = kernels_set_status(k, i, TACHO_KERNEL_FAILED, message, err);
    }
    return rc;
}
