/* hot_causes.c - what windows show of the instructions of a place: from addresses in processes to those in
 * the file, with the names of what is written and of other instructions. What they cost is weighed later
 * (hot_weigh.c), by who has a prediction. */
#include <elf.h>

#include "base/mem.h"
#include "program/hot/hot_find.h"
#include "program/hot/hot_windows.h"

static causes *causes_of(const hot_search *s)
{
    hot_observers *o = hot_windows_observers(s->profile);
    return o ? hot_observers_causes(o) : NULL;
}

/* ---- where instructions lie in the file ---- */

static bool address_in(const hot_file *file, const input_image *image, uint64_t offset, uint64_t *out)
{
    *out = offset;
    return file->object->dump ? input_section_at(image, offset) != NULL
                              : input_address_of(image, offset, out);
}

ORDER_NUMBERS(by_address, uint64_t);

int causes_add_site(const hot_search *s, const hot_file *file, const input_image *image, uint32_t object,
                    uint64_t offset, uint32_t number, found_sites *list)
{
    uint64_t address;
    if (hot_windows_object(s->profile, object) != file->object || !address_in(file, image, offset, &address))
        return 0;
    if (tacho_mem_grow(&list->list, &list->capacity, list->count + 1, sizeof *list->list))
        return TACHO_ERR_MEMORY;
    list->list[list->count++] = (found_site){address, number};
    return 0;
}

void causes_sort_sites(found_sites *sites)
{
    tacho_sort(sites->list, sites->count, sizeof *sites->list, by_address);
}

size_t causes_first_site(const found_sites *sites, uint64_t address)
{
    return tacho_count_below(sites->list, sites->count, sizeof *sites->list, address);
}

int causes_take(const hot_search *s, hot_file *file, const input_image *image)
{
    const causes *c = causes_of(s);
    int rc = 0;
    for (uint32_t i = 0; c && i < causes_site_count(c) && !rc; i++) {
        const cause_site *site = causes_site_at(c, i);
        rc = causes_add_site(s, file, image, site->object, site->offset, i, &file->sites);
    }
    causes_sort_sites(&file->sites);
    return rc;
}

static uint64_t executions_at(const hot_file *file, const causes *c, uint64_t address)
{
    uint64_t sum = 0;
    size_t i = causes_first_site(&file->sites, address);
    for (; i < file->sites.count && file->sites.list[i].address == address; i++)
        sum += causes_site_at(c, file->sites.list[i].number)->executions;
    return sum;
}

size_t causes_seen_addresses(const hot_search *s, const hot_file *file, uint64_t insn, bool store,
                             uint64_t *out, size_t most)
{
    const causes *c = causes_of(s);
    size_t n = 0, i = causes_first_site(&file->sites, insn);
    for (; c && i < file->sites.count && file->sites.list[i].address == insn; i++)
        n += causes_addresses(c, file->sites.list[i].number, store, out + n, most - n);
    return n;
}

/* ---- names ---- */

/* The symbol of data that holds an address of the process, whose place the instruction tells. */
static int name_variable(finder *f, const cause_site *site, uint64_t address, const cause *from,
                         tacho_hot_cause *out)
{
    uint64_t data = from->data - (site->address - address);
    if (site->process != from->process)
        return 0;
    for (size_t i = 0; i < f->image.symbol_count; i++) {
        const input_symbol *y = &f->image.symbols[i];
        if (y->type != STT_OBJECT || !y->section || data < y->value || data - y->value >= y->size)
            continue;
        out->variable = loop_text(f, y->name);
        out->variable_offset = data - y->value;
        return out->variable ? 0 : TACHO_ERR_MEMORY;
    }
    return 0;
}

static int name_other(const hot_search *s, const hot_file *file, finder *f, const cause_site *site,
                      tacho_hot_other *out)
{
    line_place place;
    const tacho_hot_object *object = hot_windows_object(s->profile, site->object);
    uint64_t address;
    if (!object)
        return 0;
    *out = (tacho_hot_other){.object = object->path, .address = site->offset};
    if (object != file->object || !address_in(file, &f->image, site->offset, &address))
        return 0;
    const input_section *section = input_section_at(&f->image, address);
    out->address = address;
    if (!f->source || !section ||
        !lines_find(f->source, section, (size_t)(address - section->address), &place) || !place.file)
        return 0;
    out->source_file = loop_text(f, place.file);
    out->source_line = place.line;
    return out->source_file ? 0 : TACHO_ERR_MEMORY;
}

/* ---- a place ---- */

static const tacho_hot_cause_kind kinds[CAUSE_KINDS] = {[CAUSE_SUBNORMAL] = TACHO_HOT_SUBNORMAL,
                                                        [CAUSE_LINE_CROSSING] = TACHO_HOT_LINE_CROSSING,
                                                        [CAUSE_PAGE_CROSSING] = TACHO_HOT_PAGE_CROSSING,
                                                        [CAUSE_FORWARDING] = TACHO_HOT_FORWARDING,
                                                        [CAUSE_ALIAS_4K] = TACHO_HOT_ALIAS_4K,
                                                        [CAUSE_MISPREDICTION] = TACHO_HOT_MISPREDICTION,
                                                        [CAUSE_CACHE] = TACHO_HOT_CACHE,
                                                        [CAUSE_FALSE_SHARING] = TACHO_HOT_FALSE_SHARING,
                                                        [CAUSE_TRUE_SHARING] = TACHO_HOT_TRUE_SHARING};

static tacho_hot_cause cause_of(const cause *c, size_t insn, double a_round)
{
    return (tacho_hot_cause){.kind = kinds[c->kind],
                             .insn = insn,
                             .is_store = c->is_store,
                             .one_way = c->one_way,
                             .executions = c->executions,
                             .times = c->times,
                             .windows = c->windows,
                             .share = c->share,
                             .share_low = c->low,
                             .share_high = c->high,
                             .a_round = a_round,
                             .taken = c->kind == CAUSE_MISPREDICTION ? c->taken : NAN,
                             .stride = c->stride,
                             .least_bytes = c->least_bytes,
                             .reach_seconds = c->reach_seconds,
                             .dependent = c->dependent,
                             .data = c->data,
                             .cycles_least = NAN,
                             .cycles_most = NAN,
                             .cycles_from = "",
                             .least = NAN,
                             .most = NAN};
}

typedef struct cause_list {
    const cause *all;
    size_t all_count;
    tacho_hot_cause *out; /* NULL: they are counted only */
    size_t count;
} cause_list;

static int add_of_site(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *p, size_t insn,
                       uint32_t number, cause_list *l)
{
    const causes *c = causes_of(s);
    const cause_site *site = causes_site_at(c, number);
    size_t at;
    int rc = 0;
    COUNT_BEFORE(at, l->all_count, l->all[at].site < number);
    for (; at < l->all_count && l->all[at].site == number && !rc; at++) {
        const cause *from = &l->all[at];
        double rounds = (double)p->window_rounds;
        if (!l->out) {
            l->count++;
            continue;
        }
        tacho_hot_cause *one = &l->out[l->count++];
        *one = cause_of(from, insn, rounds > 0 ? (double)site->executions / rounds : NAN);
        if (from->other != CAUSES_NONE)
            rc = name_other(s, file, f, causes_site_at(c, from->other), &one->other);
        if (from->data && !rc)
            rc = name_variable(f, site, p->insns[insn].address, from, one);
    }
    return rc;
}

static int add_all(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *p, cause_list *l)
{
    int rc = 0;
    l->count = 0;
    for (size_t i = 0; i < p->insn_count && !rc; i++) {
        uint64_t address = p->insns[i].address;
        size_t k = causes_first_site(&file->sites, address);
        for (; k < file->sites.count && file->sites.list[k].address == address && !rc; k++)
            rc = add_of_site(s, file, f, p, i, file->sites.list[k].number, l);
    }
    return rc;
}

int causes_add_to(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *p)
{
    causes *c = causes_of(s);
    cause_list l = {0};
    if (!c || !file->sites.count)
        return 0;
    l.all_count = causes_find(c, &l.all);
    if (causes_failed(c))
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < p->loop->block_count; i++) {
        uint64_t n = executions_at(file, c, p->loop->blocks[i].start);
        bool counts = p->loop->blocks[i].on_path || !p->loop->path_count;
        p->window_rounds = counts && n > p->window_rounds ? n : p->window_rounds;
    }
    add_all(s, file, f, p, &l);
    l.out = arena_alloc(&f->out->memory, (l.count + 1) * sizeof *l.out);
    if (!l.out)
        return TACHO_ERR_MEMORY;
    p->causes = l.out;
    int rc = add_all(s, file, f, p, &l);
    p->cause_count = l.count;
    return rc;
}
