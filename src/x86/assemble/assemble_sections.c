/* assemble_sections.c - the sections of a text that is assembled, and what is put into them. */
#include "x86/assemble/assembling.h"

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
    if (tacho_mem_grow(&to->frags, &to->frag_capacity, to->frag_count + 1, sizeof *to->frags)) {
        as_no_memory(s);
        return false;
    }
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
    if (tacho_mem_grow(&s->sections, &s->section_capacity, s->section_count + 1, sizeof *s->sections)) {
        as_no_memory(s);
        return s->section;
    }
    char *copy = arena_text_n(&s->memory, name, length);
    as_section *made = &s->sections[s->section_count];
    *made = (as_section){.name = copy};
    if (!copy) {
        as_no_memory(s);
        return s->section;
    }
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
    if (s->failed || !now->frag_count)
        return NULL;
    if (tacho_mem_grow(&now->bytes, &now->capacity, now->size + count, 1)) {
        as_no_memory(s);
        return NULL;
    }
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
    if (tacho_mem_grow(&s->fixes, &s->fix_capacity, s->fix_count + 1, sizeof *s->fixes)) {
        as_no_memory(s);
        return;
    }
    fix.line = s->line;
    s->fixes[s->fix_count++] = fix;
}
