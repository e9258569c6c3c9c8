/* assemble_symbols.c - labels, names that are set to values, and "1:" with "1b" and "1f". */
#include <stdio.h>

#include "base/hash.h"
#include "x86/assemble/assembling.h"

enum {
    MAX_CHAIN = 64 /* names set to names set to names ... */
};

static uint32_t add(as_state *s, const char *name)
{
    if (tacho_mem_grow(&s->symbols, &s->symbol_capacity, s->symbol_count + 1, sizeof *s->symbols)) {
        as_no_memory(s);
        return AS_NONE;
    }
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
    char *copy = arena_text_n(&s->memory, name, length);
    uint32_t made = copy ? add(s, copy) : AS_NONE;
    if (made == AS_NONE || hash_add_item(&s->symbol_index, hash, made)) {
        as_no_memory(s);
        return AS_NONE;
    }
    return made;
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
