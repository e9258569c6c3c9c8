/* merge.c - variants that are the same: those with the code of an earlier one, which are not counted,
 * measured or judged again, and those whose results must agree. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "study/kernels/kernels_internal.h"
#include "x86/decode/insn_struct.h"

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
    return v->status == TACHO_KERNEL_COUNTED || v->status == TACHO_KERNEL_OK ||
           v->status == TACHO_KERNEL_UNSTABLE || v->status == TACHO_KERNEL_CACHE_MISSES;
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
