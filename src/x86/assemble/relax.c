/* relax.c - where everything lies: branches begin short and grow until all reach their targets, as in the GNU
 * assembler, whose rules for what lies behind the next alignment decide ties; then the sections are put
 * together, and what refers to labels is filled in. */
#include "x86/assemble/assembling.h"

enum {
    MAX_PASSES = 1000,
    R_64 = 1,
    R_PC32 = 2,
    R_PLT32 = 4,
    R_GOTPCREL = 9,
    R_32 = 10,
    R_32S = 11,
    R_16 = 12,
    R_PC16 = 13,
    R_8 = 14,
    R_PC8 = 15,
    R_PC64 = 24,
};

uint64_t as_address(const as_state *s, as_place p)
{
    const as_frag *f = &s->sections[p.section].frags[p.frag];
    return f->address + (p.at - f->start);
}

static bool fail_at(as_state *s, uint64_t line, uint32_t column, const char *text)
{
    uint64_t was = s->line;
    const char *start = s->line_start;
    s->line = line;
    as_problem(s, TACHO_ERR_INPUT, start + (column ? column - 1 : 0), 1, "%s", text);
    s->line = was;
    return false;
}

/* The label in this section, defined here and not replaceable, that a value is; NULL: it is something else.
 */
static const as_symbol *local_target(as_state *s, as_value *v, uint32_t section)
{
    if (!as_resolve(s, v) || v->symbol == AS_NONE || v->minus != AS_NONE || v->place > AS_PLT)
        return NULL;
    const as_symbol *y = &s->symbols[v->symbol];
    return y->kind == AS_SYMBOL_PLACE && y->place.section == section && !y->weak ? y : NULL;
}

/* ---- lengths ---- */

static uint64_t padding(uint64_t address, unsigned power)
{
    uint64_t mask = ((uint64_t)1 << power) - 1;
    return ((address + mask) & ~mask) - address;
}

static uint64_t align_length(const as_frag *f, uint64_t end)
{
    uint64_t n = padding(end, f->power);
    return f->limit && n > f->limit ? 0 : n;
}

static uint64_t branch_length(const as_frag *f, bool near)
{
    return f->prefix_length + (!near ? 2u : f->opcode == 0xeb ? 5u : 6u);
}

/* Starting lengths; what cannot be short is long for ever. */
static void start_lengths(as_state *s, uint32_t section)
{
    as_section *of = &s->sections[section];
    uint64_t at = 0;
    uint32_t region = 0;
    for (size_t i = 0; i < of->frag_count; i++) {
        as_frag *f = &of->frags[i];
        f->address = at;
        f->region = region;
        at += f->fixed;
        if (f->kind == AS_FRAG_BRANCH)
            f->length = branch_length(f, f->near || !local_target(s, &f->target, section));
        else if (f->kind == AS_FRAG_ALIGN)
            f->length = align_length(f, at);
        region += f->kind == AS_FRAG_ALIGN || f->org;
        at += f->length;
    }
}

/* Where a target is now, as a pass that has come to frag `i` sees it. */
static int64_t target_now(const as_state *s, const as_frag *f, size_t i, const as_symbol *y, int64_t stretch)
{
    const as_frag *its = &s->sections[y->place.section].frags[y->place.frag];
    int64_t target = (int64_t)(as_address(s, y->place) + (uint64_t)f->target.number);
    if (y->place.frag > i && (stretch < 0 || its->region == f->region))
        target += stretch;
    return target;
}

static bool relax_branch(as_state *s, uint32_t section, size_t i, int64_t stretch)
{
    as_frag *f = &s->sections[section].frags[i];
    as_value v = f->target;
    const as_symbol *y = local_target(s, &v, section);
    if (!y || f->length != branch_length(f, false))
        return false;
    as_frag resolved = *f;
    resolved.target = v;
    int64_t from = (int64_t)(f->address + f->fixed + f->length);
    int64_t distance = target_now(s, &resolved, i, y, stretch) - from;
    /* a branch forward is not taken for one backward because what lies between has grown */
    if (stretch && y->place.frag > i && distance + (int64_t)f->length < 0)
        return false;
    if (distance >= -128 && distance <= 127)
        return false;
    f->length = branch_length(f, true);
    return true;
}

static bool relax_org(as_state *s, as_frag *f, uint64_t end)
{
    as_value v = f->target;
    if (!as_is_number(s, &v)) {
        const as_symbol *y = v.symbol != AS_NONE && v.minus == AS_NONE ? &s->symbols[v.symbol] : NULL;
        if (!y || y->kind != AS_SYMBOL_PLACE)
            return fail_at(s, f->line, 0, ".org needs a number or a label of this section");
        v.number += (int64_t)as_address(s, y->place);
    }
    if (v.number < (int64_t)end || v.number > TACHO_ASSEMBLE_MAX_CODE)
        return fail_at(s, f->line, 0, ".org goes backwards, or too far");
    f->length = (uint64_t)v.number - end;
    return true;
}

/* One pass over a section. @return whether a length has changed */
static bool relax_once(as_state *s, uint32_t section)
{
    as_section *of = &s->sections[section];
    int64_t stretch = 0;
    bool changed = false;
    for (size_t i = 0; i < of->frag_count && !s->failed; i++) {
        as_frag *f = &of->frags[i];
        uint64_t before = f->length;
        f->address = (uint64_t)((int64_t)f->address + stretch);
        if (f->kind == AS_FRAG_BRANCH)
            relax_branch(s, section, i, stretch);
        else if (f->kind == AS_FRAG_ALIGN)
            f->length = align_length(f, f->address + f->fixed);
        else if (f->org && !relax_org(s, f, f->address + f->fixed))
            return false;
        stretch += (int64_t)(f->length - before);
        changed |= f->length != before;
    }
    return changed;
}

static bool lay_out(as_state *s, uint32_t section)
{
    start_lengths(s, section);
    for (int pass = 0; pass < MAX_PASSES; pass++)
        if (!relax_once(s, section))
            return !s->failed && !s->problem_count;
    return fail_at(s, 1, 0, "the lengths of branches and alignments do not settle");
}

/* ---- bytes ---- */

/* A branch that the linker completes gets a fix, as if it had been written long. */
static void write_branch(as_state *s, uint32_t section, as_frag *f, uint32_t number, uint8_t *at)
{
    unsigned n = f->prefix_length;
    memcpy(at, f->prefixes, n);
    as_value v = f->target;
    const as_symbol *y = local_target(s, &v, section);
    int64_t distance = y ? (int64_t)(as_address(s, y->place) + (uint64_t)v.number) -
                               (int64_t)(f->address + f->fixed + f->length)
                         : 0;
    if (f->length == branch_length(f, false)) {
        at[n] = f->opcode;
        at[n + 1] = (uint8_t)distance;
        return;
    }
    if (f->opcode != 0xeb)
        at[n++] = 0x0f;
    at[n++] = f->opcode == 0xeb ? 0xe9 : (uint8_t)(f->opcode + 0x10);
    as_put(at + n, (uint64_t)distance, 4);
    if (y || !as_grow(s, &s->fixes, &s->fix_capacity, s->fix_count + 1, sizeof *s->fixes))
        return;
    s->fixes[s->fix_count++] = (as_fix){.place = {section, number, f->start + f->fixed + n},
                                        .value = f->target,
                                        .line = f->line,
                                        .column = f->column,
                                        .size = 4,
                                        .relative = true,
                                        .branch = true};
}

static void write_padding(const as_frag *f, uint8_t *at)
{
    size_t n = f->length;
    if (f->code) {
        tacho_nops(at, n);
        return;
    }
    unsigned size = f->fill_size ? f->fill_size : 1;
    size_t odd = n % size; /* GNU puts zeros before what does not fit */
    memset(at, 0, odd);
    for (size_t i = odd; i + size <= n; i += size)
        as_put(at + i, f->fill, size < 8 ? size : 8);
}

static bool put_together(as_state *s, uint32_t section)
{
    as_section *of = &s->sections[section];
    const as_frag *last = &of->frags[of->frag_count - 1];
    uint64_t size = last->address + last->fixed;
    if (size > TACHO_ASSEMBLE_MAX_CODE) {
        s->failed = tacho_error_set(s->err, TACHO_ERR_LIMIT, "the code is larger than %d MB",
                                    TACHO_ASSEMBLE_MAX_CODE >> 20);
        return false;
    }
    if (of->frag_count == 1)
        return true;
    uint8_t *all = as_need(s, tacho_mem_alloc(size));
    if (!all)
        return false;
    for (size_t i = 0; i < of->frag_count; i++) {
        as_frag *f = &of->frags[i];
        if (f->fixed)
            memcpy(all + f->address, of->bytes + f->start, f->fixed);
        uint8_t *at = all + f->address + f->fixed;
        if (f->kind == AS_FRAG_BRANCH)
            write_branch(s, section, f, (uint32_t)i, at);
        else if (f->length)
            write_padding(f, at);
    }
    tacho_mem_free(of->bytes);
    of->bytes = all;
    of->size = of->capacity = size;
    return !s->failed;
}

/* ---- what refers to labels ---- */

static uint16_t relocation(const as_fix *f, const as_symbol *y)
{
    if (f->value.place == AS_GOTPCREL)
        return R_GOTPCREL;
    if (f->relative)
        return f->size == 1     ? R_PC8
               : f->size == 2   ? R_PC16
               : f->size == 8   ? R_PC64
               : f->branch && y ? R_PLT32
                                : R_PC32;
    return f->size == 1 ? R_8 : f->size == 2 ? R_16 : f->size == 8 ? R_64 : f->sign ? R_32S : R_32;
}

static bool fits(int64_t v, const as_fix *f)
{
    unsigned bits = f->size * 8u;
    if (f->size >= 8)
        return true;
    int64_t low = -((int64_t)1 << (bits - 1));
    int64_t high = f->relative || f->sign ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
    return v >= low && v <= high;
}

int as_resolve_fix(as_state *s, const as_fix *f, tacho_assembled_fixup *out)
{
    as_value v = f->value;
    as_section *of = &s->sections[f->place.section];
    uint64_t place = as_address(s, f->place);
    if (place + f->size > of->size)
        return -1;
    if (!as_resolve(s, &v))
        return fail_at(s, f->line, f->column, "this value refers to itself"), -1;
    const as_symbol *a = v.symbol != AS_NONE ? &s->symbols[v.symbol] : NULL;
    const as_symbol *b = v.minus != AS_NONE ? &s->symbols[v.minus] : NULL;
    bool relative = f->relative;
    int64_t number = v.number;
    if (b) {
        if (b->kind != AS_SYMBOL_PLACE)
            return fail_at(s, f->line, f->column, "what is subtracted here is not defined in this text"), -1;
        if (a && a->kind == AS_SYMBOL_PLACE && a->place.section == b->place.section) {
            number += (int64_t)(as_address(s, a->place) - as_address(s, b->place));
            a = NULL;
        } else if (b->place.section == f->place.section && !relative && a) {
            number += (int64_t)(place - as_address(s, b->place)); /* as if relative to this place */
            relative = true;
        } else {
            return fail_at(s, f->line, f->column, "the difference of places in different sections"), -1;
        }
    }
    bool own = f->relative && !b;
    int64_t end = (int64_t)(place + f->size + f->after);
    bool here = a && a->kind == AS_SYMBOL_PLACE && a->place.section == f->place.section && relative &&
                !a->weak && v.place <= AS_PLT && (!a->global || !a->name);
    if (here) {
        number += (int64_t)as_address(s, a->place) - (own ? end : (int64_t)place);
        a = NULL;
        relative = false;
    }
    if (!a && !relative) {
        as_fix range = *f;
        range.relative = here;
        if (!fits(number, &range))
            return fail_at(s, f->line, f->column,
                           f->relative ? "the target of this branch is too far away for it"
                                       : "this value is too large for where it stands"),
                   -1;
        as_put(of->bytes + place, (uint64_t)number, f->size);
        return 0;
    }
    as_fix typed = *f;
    typed.relative = relative;
    *out = (tacho_assembled_fixup){.section = f->place.section,
                                   .symbol = a ? v.symbol : AS_ABSOLUTE,
                                   .offset = place,
                                   .addend = number - (own ? f->size + f->after : 0),
                                   .elf_type = relocation(&typed, a),
                                   .size = f->size};
    return 1;
}

void as_layout(as_state *s)
{
    bool good = true;
    for (size_t i = 0; i < s->section_count && good; i++)
        good = lay_out(s, (uint32_t)i);
    for (size_t i = 0; i < s->section_count && good; i++)
        good = put_together(s, (uint32_t)i);
}

/* The NOPs with which the GNU assembler fills code. */

enum {
    LONGEST = 11,
    MOST = 7, /* of the longest; more is jumped over */
};

static const uint8_t patterns[LONGEST + 1][LONGEST] = {
    {0},
    {0x90},
    {0x66, 0x90},
    {0x0f, 0x1f, 0x00},
    {0x0f, 0x1f, 0x40, 0x00},
    {0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x0f, 0x1f, 0x80, 0, 0, 0, 0},
    {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
};

void tacho_nops(uint8_t *out, size_t count)
{
    if (count / LONGEST > MOST) {
        size_t rest = count - 2;
        if (rest < 128) {
            out[0] = 0xeb;
            out[1] = (uint8_t)rest;
            out += 2;
        } else {
            rest = count - 5;
            out[0] = 0xe9;
            as_put(out + 1, rest, 4);
            out += 5;
        }
        count = rest;
    }
    for (; count >= LONGEST; count -= LONGEST, out += LONGEST)
        memcpy(out, patterns[LONGEST], LONGEST);
    if (count)
        memcpy(out, patterns[count], count);
}
