/* learn_blocks.c - makes blocks of instruction forms. */
#include "learn/learn_blocks.h"

#include "base/hash.h"
#include "machine/characterise/instance.h"
#include "tacho/suite.h"

enum {
    LEAST = 3,
    MOST = 12,
    DRAWS = 60, /* of forms, for a block */
    RSI = 6,
    LINE = 64
};

/* As often as in programs; without shares the first forms more often than the last: by the square of a number
 * that is drawn evenly. */
static uint32_t draw_form(uint64_t *state, const uint32_t *forms, const double *shares, size_t count)
{
    double drawn = hash_draw(state, 1 << 20) / (double)(1 << 20);
    size_t low = 0, high = count - 1;
    if (!shares || !(shares[high] > 0))
        return forms[(size_t)(drawn * drawn * (double)count)];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shares[middle] <= drawn * shares[count - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return forms[low];
}

static void draw_operands(uint64_t *state, uint32_t form, instance_choice *choice)
{
    tacho_form f;
    instance_defaults(choice, form);
    if (tacho_form_get(form, &f))
        return;
    for (unsigned i = 0; i < f.visible_count && i < sizeof choice->reg; i++) {
        /* one of four registers in half of the cases */
        int number = instance_register(form, i, hash_draw(state, hash_draw(state, 2) ? 4 : 8));
        if (number >= 0)
            choice->reg[i] = (uint8_t)number;
    }
    choice->base = (uint8_t)(RSI + hash_draw(state, 2));
    choice->disp = (int32_t)(LINE * hash_draw(state, 8));
    choice->imm8 = 1 + hash_draw(state, 7);
}

bool learn_block_is_fit(const subject_loop *l)
{
    tacho_suite_filter_options o = TACHO_SUITE_FILTER_OPTIONS_INIT;
    tacho_suite_verdict v;
    return !tacho_suite_filter(&v, l->code, l->size, &o, NULL) && !v.reasons;
}

int learn_block_make(subject_loop *out, const uint32_t *forms, const double *shares, size_t count,
                     uint64_t number, tacho_error *err)
{
    uint64_t state = number * 1000003;
    uint32_t wanted = LEAST + hash_draw(&state, MOST - LEAST + 1);
    for (uint32_t made = 0, draws = 0; made < wanted && draws < DRAWS && count; draws++) {
        instance_choice choice;
        tacho_insn insn;
        const char *why;
        size_t before = out->size;
        uint32_t form = draw_form(&state, forms, shares, count);
        draw_operands(&state, form, &choice);
        if (instance_make(&insn, form, &choice, &why))
            continue;
        int failed = subject_add_bytes(out, insn.bytes, insn.length, 1, err);
        if (failed)
            return failed;
        if (learn_block_is_fit(out))
            made++;
        else
            out->size = before;
    }
    return 0;
}
