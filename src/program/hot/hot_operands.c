/* hot_operands.c - the operands in memory of a place's path, and their addresses in its samples.
 *
 * A sample has all registers, as they are before the instruction that it lies at. From there, the address of
 * an operand is known where its registers are sums of these (path_values.c) until control is there, or were
 * not written since it was; of the two, the nearer one counts. */

#include "base/mem.h"
#include "program/hot/loop_registers.h"
#include "program/hot/hot_operands.h"
#include "program/hot/path_values.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

/* A sample on the path. */
typedef struct path_moment {
    const hot_pair *pair;
    uint32_t at, before; /* numbers of instructions on the path; before: NONE where that is not known */
} path_moment;

enum {
    NONE = UINT32_MAX
};

typedef struct operand_path {
    const tacho_hot_place *place;
    tacho_insn *insns;
    uint32_t *number; /* of each in place->insns */
    uint32_t count;
    bool round; /* it begins again at its end */
    tacho_hot_operand *operands;
    uint32_t operand_at[PATH_MOST_OPERANDS]; /* instructions on the path */
    uint32_t operand_count;
    path_value addresses[PATH_MOST_OPERANDS]; /* with the registers at the path's start */
    path_values end;                          /* after one round */
    path_moment *moments;
    size_t moment_count;
    uint64_t process; /* that most samples are of */
} operand_path;

/* ---- the path ---- */

/* @return 0; 1: something in it is not understood, or it is too long */
static int read_path(operand_path *p, finder *f, const tacho_hot_place *place)
{
    const uint32_t count = place->loop->code ? place->loop->insn_count : 0;
    *p = (operand_path){.place = place, .count = count, .round = place->is_loop};
    if (!count || count > PATH_MOST_INSNS)
        return 1;
    p->insns = arena_alloc(&f->work, count * sizeof *p->insns);
    p->number = arena_alloc(&f->work, count * sizeof *p->number);
    p->operands = arena_alloc(&f->out->memory, PATH_MOST_OPERANDS * sizeof *p->operands);
    if (!p->insns || !p->number || !p->operands)
        return TACHO_ERR_MEMORY;
    uint32_t found = 0;
    for (size_t i = 0; i < place->insn_count; i++) {
        const tacho_hot_insn *insn = &place->insns[i];
        if (insn->on_path < 0 || (uint32_t)insn->on_path >= count)
            continue;
        if (tacho_decode(&p->insns[insn->on_path], insn->bytes, insn->length, NULL))
            return 1;
        p->number[insn->on_path] = (uint32_t)i;
        found++;
    }
    return found == count ? 0 : 1;
}

static bool is_data(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_MEM && o->visibility != TACHO_SUPPRESSED && o->width_bits >= 8 &&
           (o->access & (TACHO_READ | TACHO_WRITE));
}

static void list_operands(operand_path *p)
{
    for (uint32_t k = 0; k < p->count; k++)
        for (unsigned i = 0; i < p->insns[k].operand_count && p->operand_count < PATH_MOST_OPERANDS; i++) {
            const tacho_operand *o = &p->insns[k].operands[i];
            if (!is_data(o) || p->insns[k].is_nop)
                continue;
            p->operand_at[p->operand_count] = k;
            p->operands[p->operand_count++] = (tacho_hot_operand){.insn = p->number[k],
                                                                  .operand = (uint8_t)i,
                                                                  .loads = o->access & TACHO_READ,
                                                                  .stores = o->access & TACHO_WRITE,
                                                                  .bytes = o->width_bits / 8u,
                                                                  .from = -1,
                                                                  .shares = -1,
                                                                  .huge = NAN};
        }
}

static const tacho_operand *operand_of(const operand_path *p, uint32_t number)
{
    return &p->insns[p->operand_at[number]].operands[p->operands[number].operand];
}

/* Bits of the operands of an instruction that load. */
static uint64_t loads_at(const operand_path *p, uint32_t at)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < p->operand_count; i++)
        out |= p->operand_at[i] == at && p->operands[i].loads ? (uint64_t)1 << i : 0;
    return out;
}

/* `l`: as it is at the end of a round, which is about what it is at its start. */
static void count_waiting(operand_path *p, const path_loads *l)
{
    path_loads at = *l;
    for (uint32_t i = 0; i < p->operand_count; i++)
        p->operands[i].waiting = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const uint64_t of = path_loads_step(&at, &p->insns[k], loads_at(p, k));
        for (uint32_t i = 0; i < p->operand_count; i++)
            p->operands[i].waiting += of >> i & 1;
    }
}

/* Which loaded values addresses are made of: by as many rounds as it takes until nothing is new. */
static void follow_loads(operand_path *p)
{
    path_loads l = {{0}}, before;
    do {
        before = l;
        for (uint32_t k = 0; k < p->count; k++) {
            for (uint32_t i = 0; i < p->operand_count; i++) {
                if (p->operand_at[i] != k)
                    continue;
                uint64_t of = path_loads_address(&l, &operand_of(p, i)->mem);
                p->operands[i].pattern = of >> i & 1 ? TACHO_HOT_CHAIN : TACHO_HOT_UNSEEN;
                uint64_t others = of & ~((uint64_t)1 << i);
                p->operands[i].from = others ? __builtin_ctzll(others) : -1;
            }
            path_loads_step(&l, &p->insns[k], loads_at(p, k));
        }
        for (size_t i = 0; i < sizeof l.of / sizeof *l.of; i++)
            l.of[i] |= before.of[i];
        count_waiting(p, &l);
    } while (p->round && memcmp(&l, &before, sizeof l) != 0);
}

/* ---- strides ---- */

static void find_values(operand_path *p)
{
    path_values_start(&p->end);
    for (uint32_t k = 0, i = 0; k < p->count; path_values_step(&p->end, &p->insns[k++]))
        for (; i < p->operand_count && p->operand_at[i] == k; i++)
            p->addresses[i] = path_address(&p->end, &operand_of(p, i)->mem);
}

/* What a register moves by in a round, with the registers of a sample. @return false: that is no constant */
static bool step_of(const operand_path *p, unsigned r, const uint64_t registers[PATH_REGISTERS],
                    int64_t *step)
{
    path_value by = p->end.registers[r];
    if (!by.known || by.times[r] != 1)
        return false;
    by.times[r] = 0;
    for (unsigned i = 0; i < PATH_REGISTERS; i++) {
        const path_value *other = &p->end.registers[i];
        path_value same = {.known = true};
        same.times[i] = 1;
        if (by.times[i] && (!other->known || memcmp(other, &same, sizeof same) != 0))
            return false; /* it is added, and moves itself */
    }
    *step = (int64_t)path_value_of(&by, registers);
    return true;
}

/* By the path alone; of the registers in it those of the first sample. */
static void find_stride(operand_path *p, uint32_t number)
{
    tacho_hot_operand *o = &p->operands[number];
    const tacho_mem *m = &operand_of(p, number)->mem;
    int64_t stride = 0;
    const path_value address = p->addresses[number];
    if (m->base.class_ == TACHO_REG_RIP && !m->vsib)
        o->pattern = TACHO_HOT_ONE_PLACE;
    if (o->pattern || !p->round || !address.known || !p->moment_count)
        return;
    for (unsigned i = 0; i < PATH_REGISTERS; i++) {
        int64_t step;
        if (!address.times[i])
            continue;
        if (!step_of(p, i, p->moments[p->moment_count / 2].pair->after.registers, &step))
            return;
        stride += address.times[i] * step;
    }
    o->stride = stride;
    o->pattern = stride ? TACHO_HOT_STRIDE : TACHO_HOT_ONE_PLACE;
}

/* The same address but for less than a line, with the registers as they are at the path's start. */
static bool is_beside(const path_value *x, const path_value *y)
{
    return x->known && y->known && !memcmp(x->times, y->times, sizeof x->times) &&
           llabs(x->constant - y->constant) < TACHO_MEMORY_LINE_BYTES;
}

static void find_sharing(operand_path *p)
{
    for (uint32_t b = 1; b < p->operand_count; b++)
        for (uint32_t a = 0; a < b && p->operands[b].shares < 0; a++)
            if (p->operands[a].shares < 0 && is_beside(&p->addresses[a], &p->addresses[b]))
                p->operands[b].shares = (int32_t)a;
}

/* ---- addresses ---- */

ORDER_NUMBERS(by_place, uint64_t);

typedef struct path_place {
    uint64_t address; /* first, to be searched for */
    uint32_t at;
} path_place;

static uint32_t place_at(const path_place *places, uint32_t count, uint64_t address)
{
    size_t i = tacho_count_below(places, count, sizeof *places, address);
    return i < count && places[i].address == address ? places[i].at : NONE;
}

/* Boyer and Moore's majority vote, of processes. */
static void vote(operand_path *p, uint64_t process, size_t *lead)
{
    if (!*lead)
        p->process = process;
    *lead = p->process == process ? *lead + 1 : *lead - 1;
}

static int take_moments(operand_path *p, const hot_file *file, finder *f)
{
    path_place *places = arena_alloc(&f->work, p->count * sizeof *places);
    size_t lead = 0, kept = 0;
    if (!places)
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < p->count; k++)
        places[k] = (path_place){p->place->insns[p->number[k]].address, k};
    tacho_sort(places, p->count, sizeof *places, by_place);
    for (size_t i = 0; i < file->pair_count; i++) {
        const found_pair *pair = &file->pairs[i];
        uint32_t at = place_at(places, p->count, pair->after);
        if (at == NONE)
            continue;
        p->moments[p->moment_count++] = (path_moment){
            pair->pair, at, isnan(pair->pair->time) ? NONE : place_at(places, p->count, pair->before)};
        vote(p, pair->pair->process, &lead);
    }
    for (size_t i = 0; i < p->moment_count; i++)
        if (p->moments[i].pair->process == p->process)
            p->moments[kept++] = p->moments[i];
    p->moment_count = kept;
    return 0;
}

/* How the address of an operand follows from the registers at an instruction. */
typedef struct address_from {
    bool asked;
    path_value value;
} address_from;

static uint32_t next_of(const operand_path *p, uint32_t k)
{
    return k + 1 < p->count ? k + 1 : p->round ? 0 : NONE;
}

static path_value forwards(const operand_path *p, uint32_t number, uint32_t from, uint32_t *distance)
{
    path_values v;
    path_values_start(&v);
    *distance = 0;
    for (uint32_t k = from; k != NONE && *distance <= p->count; k = next_of(p, k), ++*distance) {
        if (k == p->operand_at[number])
            return path_address(&v, &operand_of(p, number)->mem);
        path_values_step(&v, &p->insns[k]);
    }
    return (path_value){.known = false};
}

/* Since the operand was last accessed, its registers are the same. */
static path_value backwards(const operand_path *p, uint32_t number, uint32_t from, uint32_t *distance)
{
    const tacho_mem *m = &operand_of(p, number)->mem;
    path_values v;
    path_values_start(&v);
    *distance = 0;
    for (uint32_t k = p->operand_at[number]; k != NONE && *distance <= p->count;
         k = next_of(p, k), ++*distance) {
        if (k == from && *distance)
            return path_address(&v, m);
        if (insn_writes_reg(&p->insns[k], m->base) || insn_writes_reg(&p->insns[k], m->index) ||
            p->insns[k].is_call)
            break;
    }
    return (path_value){.known = false};
}

static path_value nearer(const operand_path *p, uint32_t number, uint32_t from)
{
    uint32_t ahead, behind;
    path_value next = forwards(p, number, from, &ahead), last = backwards(p, number, from, &behind);
    return !last.known || (next.known && ahead <= behind) ? next : last;
}

static uint64_t address_at(const operand_path *p, uint32_t number, uint32_t at, const hot_moment *m,
                           address_from *known)
{
    if (at == NONE)
        return 0;
    if (!known[at].asked)
        known[at] = (address_from){true, nearer(p, number, at)};
    return known[at].value.known ? path_value_of(&known[at].value, m->registers) : 0;
}

/* Lines that an operand goes over in a round. */
static double lines_a_round(const tacho_hot_operand *o)
{
    double stride = (double)llabs(o->stride);
    return o->pattern == TACHO_HOT_ONE_PLACE ? 0 : o->stride ? fmin(stride / TACHO_MEMORY_LINE_BYTES, 1) : 1;
}

static int see_operand(const hot_search *s, operand_path *p, uint32_t number, address_from *known)
{
    tacho_hot_operand *o = &p->operands[number];
    const hot_pairs *pairs = s->profile->pairs;
    const size_t n = p->moment_count;
    double unit = pairs->in_cycles ? 1 : s->options.core_hz, huge = 0, in_areas = 0;
    uint64_t *now = tacho_mem_zalloc(3 * (n + 1), sizeof *now), *before = now + n + 1;
    double *lines = (double *)(before + n + 1);
    if (!now)
        return TACHO_ERR_MEMORY;
    memset(known, 0, p->count * sizeof *known);
    for (size_t i = 0; i < n; i++) {
        const path_moment *m = &p->moments[i];
        now[i] = address_at(p, number, m->at, &m->pair->after, known);
        before[i] = address_at(p, number, m->before, &m->pair->before, known);
        lines[i] = m->pair->time * unit / p->place->observed_cycles * lines_a_round(o);
        const hot_area *area = now[i] ? areas_find(pairs, m->pair->process, now[i]) : NULL;
        huge += area ? area->huge : 0;
        in_areas += area != NULL;
    }
    o->huge = in_areas > 0 ? huge / in_areas : NAN;
    const seen_addresses seen = {now, before, lines, n};
    int rc = operand_summarise(o, &seen);
    tacho_mem_free(now);
    return rc;
}

/* Where samples tell no address, because its registers are written again at once, windows do. */
static int see_in_windows(const hot_search *s, const hot_file *file, const operand_path *p,
                          tacho_hot_operand *o)
{
    enum {
        MOST = 4096
    };
    uint64_t *now = tacho_mem_zalloc(2 * MOST, sizeof *now);
    if (!now)
        return TACHO_ERR_MEMORY;
    const size_t count =
        causes_seen_addresses(s, file, p->place->insns[o->insn].address, !o->loads, now, MOST);
    const double none = NAN;
    const seen_addresses seen = {now, now + MOST, &none, count};
    int rc = operand_summarise(o, &seen);
    for (size_t i = 0; i < count && isnan(o->huge); i++) {
        const hot_area *area = areas_find(s->profile->pairs, p->process, now[i]);
        o->huge = area ? area->huge : NAN;
    }
    tacho_mem_free(now);
    return rc;
}

/* What neither of them tells: of a load that most samples stand behind, in a table by what another one
 * loaded, the table may be as large as what its mapping has from there on. */
static void guess(const hot_search *s, operand_path *p, uint32_t number)
{
    tacho_hot_operand *o = &p->operands[number];
    const tacho_mem *m = &operand_of(p, number)->mem;
    const uint32_t next = next_of(p, p->operand_at[number]);
    const path_value *base = &p->end.registers[m->base.number % PATH_REGISTERS];
    if (o->from < 0 || next == NONE || !p->moment_count || m->vsib || !reg_is_general(m->base) ||
        !reg_is_general(m->index) || !base->known || base->constant ||
        base->times[m->base.number % PATH_REGISTERS] != 1 || p->place->insns[p->number[next]].share < 0.5)
        return;
    const hot_moment *at = &p->moments[p->moment_count / 2].pair->after;
    const uint64_t table = at->registers[m->base.number % PATH_REGISTERS] + (uint64_t)m->disp;
    const hot_area *area = areas_find(s->profile->pairs, p->process, table);
    if (!area)
        return;
    o->pattern = TACHO_HOT_RANDOM;
    o->footprint = o->footprint_high = (double)(area->end - table);
    o->footprint_low = TACHO_MEMORY_LINE_BYTES;
    o->first = table;
    o->last = area->end;
    o->huge = area->huge;
}

/* Windows see one access after the other. */
static void note_order(const tacho_hot_place *place, tacho_hot_operand *o)
{
    for (size_t i = 0; i < place->cause_count; i++)
        if (place->causes[i].kind == TACHO_HOT_CACHE && place->causes[i].insn == o->insn &&
            place->causes[i].stride)
            o->in_order = o->pattern == TACHO_HOT_CHAIN;
}

/* The used bytes of lines that several operands have parts of. */
static void join_lines(operand_path *p)
{
    for (uint32_t b = 1; b < p->operand_count; b++) {
        const tacho_hot_operand *o = &p->operands[b];
        if (o->shares < 0)
            continue;
        tacho_hot_operand *first = &p->operands[o->shares];
        if (p->addresses[b].constant != p->addresses[o->shares].constant) /* not the same bytes */
            first->line_bytes = fmin(first->line_bytes + o->line_bytes, TACHO_MEMORY_LINE_BYTES);
    }
}

/* What is prefetched is there when it is loaded. */
static void find_prefetched(operand_path *p)
{
    for (uint32_t a = 0; a < p->operand_count; a++)
        for (uint32_t b = 0; b < p->operand_count && insn_is(&p->insns[p->operand_at[a]], INSN_PREFETCHES);
             b++) {
            const tacho_mem *x = &operand_of(p, a)->mem, *y = &operand_of(p, b)->mem;
            if (b != a && p->operands[b].shares < 0 && reg_is_same(x->base, y->base) &&
                x->scale == y->scale && p->operands[b].pattern == p->operands[a].pattern)
                p->operands[b].shares = (int32_t)a;
        }
}

/* Where a register is written again at once, few samples tell an address: of operands in the same table those
 * of the others count. */
static void borrow(operand_path *p)
{
    for (uint32_t b = 0; b < p->operand_count; b++)
        for (uint32_t a = 0; a < p->operand_count && !p->operands[b].pattern; a++) {
            const tacho_mem *x = &operand_of(p, a)->mem, *y = &operand_of(p, b)->mem;
            const path_value *table = &p->end.registers[x->base.number % PATH_REGISTERS];
            const tacho_hot_operand *from = &p->operands[a];
            if (from->pattern != TACHO_HOT_RANDOM || !reg_is_same(x->base, y->base) ||
                !reg_is_general(x->base) || x->scale != y->scale || x->disp != y->disp || !table->known ||
                table->times[x->base.number % PATH_REGISTERS] != 1 || table->constant)
                continue;
            tacho_hot_operand *to = &p->operands[b];
            const tacho_hot_operand own = *to;
            *to = *from;
            to->insn = own.insn;
            to->operand = own.operand;
            to->loads = own.loads;
            to->stores = own.stores;
            to->from = own.from;
            to->samples = own.samples;
        }
}

int operands_add_to(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *place)
{
    operand_path p;
    int rc = s->profile->pairs && file->pair_count ? read_path(&p, f, place) : 1;
    if (rc)
        return rc < 0 ? rc : 0;
    p.moments = tacho_mem_zalloc(file->pair_count, sizeof *p.moments);
    address_from *known = tacho_mem_zalloc(p.count, sizeof *known);
    rc = p.moments && known ? take_moments(&p, file, f) : TACHO_ERR_MEMORY;
    if (!rc) {
        list_operands(&p);
        follow_loads(&p);
        find_values(&p);
        find_sharing(&p);
    }
    for (uint32_t i = 0; i < p.operand_count && !rc; i++) {
        find_stride(&p, i);
        note_order(place, &p.operands[i]);
        rc = see_operand(s, &p, i, known);
        if (!rc && !p.operands[i].pattern)
            rc = see_in_windows(s, file, &p, &p.operands[i]);
        if (!rc && !p.operands[i].pattern)
            guess(s, &p, i);
    }
    join_lines(&p);
    borrow(&p);
    find_prefetched(&p);
    TACHO_MEM_FREE(p.moments, known);
    place->operands = p.operands;
    place->operand_count = p.operand_count;
    return rc;
}
