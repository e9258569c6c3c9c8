/* assemble_symbols.c - labels, names that are set to values, and "1:" with "1b" and "1f". */

#include "base/hash.h"
#include "x86/assemble/assembling.h"

enum {
    MAX_CHAIN = 64 /* names set to names set to names ... */
};

static uint32_t add(as_state *s, const char *name)
{
    if (!as_grow(s, &s->symbols, &s->symbol_capacity, s->symbol_count + 1, sizeof *s->symbols))
        return AS_NONE;
    s->symbols[s->symbol_count] = (as_symbol){.name = name, .value = {.symbol = AS_NONE, .minus = AS_NONE}};
    return (uint32_t)s->symbol_count++;
}

uint32_t as_symbol_named(as_state *s, const char *name, size_t length)
{
    uint64_t hash = hash_bytes(name, length);
    hash_probe p = hash_find(&s->symbol_index, hash);
    while (hash_next(&p))
        if (!strncmp(s->symbols[p.item].name, name, length) && !s->symbols[p.item].name[length])
            return p.item;
    char *copy = as_need(s, arena_text_n(&s->memory, name, length));
    uint32_t made = copy ? add(s, copy) : AS_NONE;
    bool failed = made != AS_NONE && hash_add_item(&s->symbol_index, hash, made);
    return as_need(s, failed ? NULL : s) ? made : AS_NONE;
}

uint32_t as_symbol_here(as_state *s)
{
    uint32_t made = add(s, NULL);
    if (made != AS_NONE) {
        s->symbols[made].kind = AS_SYMBOL_PLACE;
        s->symbols[made].place = as_here(s);
    }
    return made;
}

/* How often a number was a label is the value of a name of its own. */
uint32_t as_symbol_local(as_state *s, const char *digits, size_t length, char which)
{
    char name[48];
    int n = snprintf(name, sizeof name, "%.*s\001", (int)(length < 20 ? length : 20), digits);
    uint32_t counter = as_symbol_named(s, name, (size_t)n);
    if (counter == AS_NONE)
        return AS_NONE;
    as_symbol *c = &s->symbols[counter];
    c->kind = AS_SYMBOL_VALUE;
    long long number = c->value.number + (which == 'b' ? 0 : 1);
    if (which == ':')
        c->value.number++;
    n = snprintf(name, sizeof name, "%.*s\001%lld", (int)(length < 20 ? length : 20), digits, number);
    return as_symbol_named(s, name, (size_t)n);
}

void as_define_here(as_state *s, uint32_t symbol, const char *at, size_t length)
{
    if (symbol == AS_NONE)
        return;
    as_symbol *y = &s->symbols[symbol];
    if (y->kind != AS_SYMBOL_UNKNOWN) {
        as_problem(s, TACHO_ERR_INPUT, at, length, "'%.*s' is already defined",
                   (int)(length < 80 ? length : 80), at);
        return;
    }
    y->kind = AS_SYMBOL_PLACE;
    y->place = as_here(s);
}

bool as_resolve(as_state *s, as_value *v)
{
    for (int i = 0; i < MAX_CHAIN; i++) {
        bool plus = v->symbol != AS_NONE && s->symbols[v->symbol].kind == AS_SYMBOL_VALUE;
        bool minus = v->minus != AS_NONE && s->symbols[v->minus].kind == AS_SYMBOL_VALUE;
        if (plus) {
            const as_value *of = &s->symbols[v->symbol].value;
            v->number = (int64_t)((uint64_t)v->number + (uint64_t)of->number);
            if (of->minus != AS_NONE && v->minus != AS_NONE)
                return false;
            v->symbol = of->symbol;
            if (of->minus != AS_NONE)
                v->minus = of->minus;
        } else if (minus) {
            const as_value *of = &s->symbols[v->minus].value;
            v->number = (int64_t)((uint64_t)v->number - (uint64_t)of->number);
            if (of->minus != AS_NONE)
                return false;
            v->minus = of->symbol;
        } else {
            return true;
        }
    }
    return false;
}

bool as_is_number(as_state *s, as_value *v)
{
    if (!as_resolve(s, v))
        return false;
    if (v->symbol == AS_NONE && v->minus == AS_NONE)
        return true;
    if (v->symbol == AS_NONE || v->minus == AS_NONE)
        return false;
    if (v->symbol == v->minus) {
        v->symbol = v->minus = AS_NONE;
        return true;
    }
    const as_symbol *a = &s->symbols[v->symbol], *b = &s->symbols[v->minus];
    if (a->kind != AS_SYMBOL_PLACE || b->kind != AS_SYMBOL_PLACE || a->place.section != b->place.section ||
        a->place.frag != b->place.frag)
        return false;
    v->number = (int64_t)((uint64_t)v->number + a->place.at - b->place.at);
    v->symbol = v->minus = AS_NONE;
    return true;
}

/* The sections of a text that is assembled, and what is put into them. */

as_section *as_section_now(as_state *s)
{
    return &s->sections[s->section];
}

as_place as_here(as_state *s)
{
    const as_section *now = as_section_now(s);
    return (as_place){s->section, (uint32_t)now->frag_count - 1, now->size};
}

static bool grow_frags(as_state *s, as_section *to)
{
    if (!as_grow(s, &to->frags, &to->frag_capacity, to->frag_count + 1, sizeof *to->frags))
        return false;
    to->frags[to->frag_count++] = (as_frag){.start = to->size, .kind = AS_FRAG_LAST};
    return true;
}

uint32_t as_section_named(as_state *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->section_count; i++)
        if (strlen(s->sections[i].name) == length && !memcmp(s->sections[i].name, name, length))
            return (uint32_t)i;
    if (s->section_count >= TACHO_ASSEMBLE_MAX_SECTIONS) {
        if (!s->failed)
            s->failed = tacho_error_set(s->err, TACHO_ERR_LIMIT, "line %llu: more than %d sections",
                                        (unsigned long long)s->line, TACHO_ASSEMBLE_MAX_SECTIONS);
        return s->section;
    }
    if (!as_grow(s, &s->sections, &s->section_capacity, s->section_count + 1, sizeof *s->sections))
        return s->section;
    char *copy = as_need(s, arena_text_n(&s->memory, name, length));
    as_section *made = &s->sections[s->section_count];
    *made = (as_section){.name = copy};
    if (!copy)
        return s->section;
    s->section_count++;
    grow_frags(s, made);
    return (uint32_t)s->section_count - 1;
}

static uint8_t *make_room(as_state *s, size_t count)
{
    as_section *now = as_section_now(s);
    s->total += count;
    if (s->total > TACHO_ASSEMBLE_MAX_CODE) {
        if (!s->failed)
            s->failed = tacho_error_set(s->err, TACHO_ERR_LIMIT, "the code is larger than %d MB",
                                        TACHO_ASSEMBLE_MAX_CODE >> 20);
        return NULL;
    }
    if (s->failed || !now->frag_count || !as_grow(s, &now->bytes, &now->capacity, now->size + count, 1))
        return NULL;
    uint8_t *at = now->bytes + now->size;
    now->size += count;
    now->frags[now->frag_count - 1].fixed += count;
    return at;
}

void as_emit(as_state *s, const void *bytes, size_t count)
{
    uint8_t *at = count ? make_room(s, count) : NULL;
    if (at)
        memcpy(at, bytes, count);
}

void as_emit_zeros(as_state *s, size_t count)
{
    uint8_t *at = count ? make_room(s, count) : NULL;
    if (at)
        memset(at, 0, count);
}

as_frag *as_add_frag(as_state *s, as_frag_kind kind, uint64_t length)
{
    as_section *now = as_section_now(s);
    if (s->failed || !now->frag_count || !grow_frags(s, now))
        return NULL;
    as_frag *f = &now->frags[now->frag_count - 2];
    f->kind = (uint8_t)kind;
    f->length = length;
    f->target = as_number(0);
    f->line = s->line;
    return f;
}

void as_add_fix(as_state *s, as_fix fix)
{
    if (as_section_now(s)->passed_over)
        return;
    if (!as_grow(s, &s->fixes, &s->fix_capacity, s->fix_count + 1, sizeof *s->fixes))
        return;
    fix.line = s->line;
    s->fixes[s->fix_count++] = fix;
}
