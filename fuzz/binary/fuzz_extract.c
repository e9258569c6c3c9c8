/* fuzz_extract.c - the blocks of ELF files; the last byte chooses what is asked for. All code must be
 * accounted for, and blocks must be what was asked for. */
#include <stdlib.h>

#include "fuzz.h"
#include "tacho/tools.h"
#include "x86/decode/insn_struct.h"

static void check_cover(const tacho_extract_cover *c)
{
    if (c->reached_bytes + c->padding_bytes + c->inside_bytes + c->outside_bytes + c->large_bytes !=
        c->code_bytes)
        abort();
}

static void check_block(const tacho_extract_block *b, const tacho_extract_options *o)
{
    uint32_t at = 0, insns = 0;
    for (tacho_insn i; at < b->byte_count; at += i.length, insns++)
        if (tacho_decode(&i, b->bytes + at, b->byte_count - at, NULL))
            abort();
    if (insns != b->insn_count || insns < o->min_insns || (o->max_insns && insns > o->max_insns) ||
        b->counted)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_extract_options o = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract *x;
    uint8_t how = size ? data[size - 1] : 0;
    o.with_branch = how & 1;
    o.unique = how & 2;
    o.min_insns = 1 + (how >> 2 & 3);
    o.max_insns = how & 16 ? 4 : 0;
    if (tacho_extract_new(&x, &o, NULL))
        return 0;
    if (!tacho_extract_memory(x, data, size, "in", NULL))
        check_cover(&x->covers[0]);
    for (size_t i = 0; i < x->count; i++)
        check_block(&x->blocks[i], &o);
    tacho_extract_free(x);
    return 0;
}
