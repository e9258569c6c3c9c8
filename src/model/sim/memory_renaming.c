/* memory_renaming.c - memory renaming: loads that have their value from the register that was stored.
 *
 * The processor guesses by instructions, not by addresses: a load that read what the last instance of a
 * certain store instruction wrote, from its first byte on, is expected to do so again. Measured on Zen 5: a
 * counter in memory takes 1 cycle, and so does a sum of the element before it; a sum of the element two
 * before it takes as long as forwarding does. Which accesses can have part in it is
 * block_insn.renamed. */
#include "model/sim/sim.h"

#include <string.h>

int memory_renaming_prepare(sim *s, arena *a)
{
    s->renames = s->compares && s->b->same_code;
    s->written_gprs = 0;
    for (uint32_t i = 0; s->renames && i < s->b->insn_count; i++)
        s->written_gprs |= s->b->insns[i].written_gprs;
    s->last_store_of = arena_alloc_raw(a, s->renames ? s->b->insn_count * sizeof *s->last_store_of : 1);
    s->renamed_from = arena_alloc_raw(a, s->renames ? s->b->insn_count * sizeof *s->renamed_from : 1);
    return s->last_store_of && s->renamed_from ? 0 : TACHO_ERR_MEMORY;
}

void memory_renaming_reset(sim *s)
{
    if (!s->renames)
        return;
    memset(s->last_store_of, 0, s->b->insn_count * sizeof *s->last_store_of);
    memset(s->renamed_from, 0, s->b->insn_count * sizeof *s->renamed_from);
}

void memory_renaming_note_store(sim *s, uint32_t insn)
{
    if (s->renames)
        s->last_store_of[s->b->same_code[insn]] = s->store_count;
}

static bool is_constant(const sim *s, uint8_t unit)
{
    return unit == UNIT_NONE || unit >= UNIT_HIGH8 || !(s->written_gprs >> unit & 1);
}

/* Whether the pair is among the few that the processor can guess. In loops it is. Unrolled code has many
 * instructions; there it is only if both addresses use the same registers and nothing writes these, on Zen 3
 * the stack pointer alone. Measured: of 8 pairs with different registers all are guessed, of 64 none. */
static bool can_be_guessed(const sim *s, const mem_access *store, const mem_access *load)
{
    if (s->b->mode == TACHO_MODE_LOOP)
        return true;
    if (store->base != load->base || store->index != load->index)
        return false;
    return is_constant(s, load->index) && is_constant(s, load->base) && block_renames_base(s->b, load);
}

static bool is_in_one_line(const store_record *r)
{
    return r->address % 64 + r->bytes <= 64;
}

bool memory_renaming_guesses(sim *s, const op *u, const mem_access *m, const store_record *r)
{
    uint16_t *from = &s->renamed_from[s->b->same_code[u->insn]], now = 0;
    if (r && r->general && block_may_rename(&s->b->insns[u->insn], u->mem, true) &&
        (s->arch->renames_across_lines || is_in_one_line(r))) {
        uint16_t store = s->b->same_code[r->insn];
        if (store_number(s, s->last_store_of[store]) == r && can_be_guessed(s, r->by, m))
            now = (uint16_t)(store + 1);
    }
    bool guessed = now && *from == now;
    *from = now;
    if (guessed && s->renamed_cycle != s->cycle)
        s->renamed_cycle = s->cycle, s->renamed_now = s->renamed_alone = 0;
    s->renamed_now += guessed;
    s->renamed_alone += guessed && !m->write;
    return guessed;
}

/* Measured on Zen 3 and 4: n words that are loaded, or loaded and stored, take n cycles; of n additions to
 * words of memory several go together. */
bool memory_renaming_is_full(const sim *s, uint32_t insn)
{
    if (!s->renames || !s->arch->renames_a_cycle || insn >= s->b->insn_count ||
        !s->renamed_from[s->b->same_code[insn]])
        return false;
    const mem_access *m = &s->b->insns[insn].mem[0];
    return (m->read && m->write ? s->renamed_alone : s->renamed_now) >= s->arch->renames_a_cycle;
}
