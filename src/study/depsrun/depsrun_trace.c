/* depsrun_trace.c - lackey's lines, read (format: Valgrind manual, "Lackey", --trace-mem=yes): "I
 * address,size" is an instruction, which the accesses that follow belong to: " L" loads, " S" stores, " M"
 * both. Addresses are hexadecimal, sizes decimal. Lines that begin with "==", "--" or "**" are valgrind's own
 * words. */
#include "study/depsrun/depsrun.h"

#include "base/hash.h"
#include "base/mem.h"

/* ---- who wrote each byte last ---- */

/* ---- numbers of keys ---- */

static size_t cache_slot(uint64_t key)
{
    return (key * HASH_MULTIPLIER >> 40) % INDEX_CACHE;
}

/* @return -1: it has none */
static int64_t index_find(key_index *index, uint64_t key)
{
    size_t slot = cache_slot(key);
    if (index->cache[slot].number && index->cache[slot].key == key)
        return index->cache[slot].number - 1;
    const tacho_bytemap_entry *e = tacho_bytemap_find(&index->map, (const uint8_t *)&key, sizeof key);
    if (!e)
        return -1;
    index->cache[slot].key = key;
    index->cache[slot].number = (uint32_t)e->value + 1;
    return e->value;
}

/* The number of `key`, which becomes `fresh` if it has none. @return -1: memory ran out */
static int64_t index_at(key_index *index, uint64_t key, uint32_t fresh)
{
    int64_t known = index_find(index, key);
    if (known >= 0)
        return known;
    tacho_bytemap_entry *e =
        fresh < INT32_MAX ? tacho_bytemap_at(&index->map, (const uint8_t *)&key, sizeof key) : NULL;
    if (!e)
        return -1;
    e->value = (int32_t)fresh;
    return fresh;
}

static void index_free(key_index *index)
{
    tacho_bytemap_free(&index->map);
}

/* ---- pages ---- */

/* NULL: nothing was written there. */
static const shadow_page *shadow_at(shadow *s, uint64_t address)
{
    int64_t number = index_find(&s->numbers, address / SHADOW_PAGE);
    return number < 0 ? NULL : s->pages[number];
}

static shadow_page *page_for_writing(shadow *s, uint64_t address)
{
    int64_t number = index_find(&s->numbers, address / SHADOW_PAGE);
    if (number >= 0)
        return s->pages[number];
    if (tacho_mem_grow(&s->pages, &s->page_capacity, s->page_count + 1, sizeof *s->pages))
        return NULL;
    shadow_page *page = tacho_mem_zalloc(1, sizeof *page);
    if (!page || index_at(&s->numbers, address / SHADOW_PAGE, (uint32_t)s->page_count) < 0) {
        tacho_mem_free(page);
        return NULL;
    }
    s->pages[s->page_count++] = page;
    return page;
}

/* @return false: memory ran out */
static bool shadow_write(shadow *s, uint64_t address, uint32_t size, uint32_t writer, uint64_t time)
{
    while (size) {
        size_t at = address % SHADOW_PAGE;
        uint32_t part = (uint32_t)(SHADOW_PAGE - at < size ? SHADOW_PAGE - at : size);
        shadow_page *page = page_for_writing(s, address);
        if (!page)
            return false;
        for (uint32_t i = 0; i < part; i++) {
            page->writer[at + i] = writer + 1;
            page->time[at + i] = time;
        }
        address += part;
        size -= part;
    }
    return true;
}

void shadow_free(shadow *s)
{
    for (size_t i = 0; i < s->page_count; i++)
        tacho_mem_free(s->pages[i]);
    tacho_mem_free(s->pages);
    index_free(&s->numbers);
}

enum {
    MAX_INSN_SIZE = 64, /* valgrind takes its own requests to be one instruction */
    MAX_ACCESS_SIZE = 4096
};

/* ---- instructions ---- */

static trace_insn *insn_at(trace *t, uint64_t address, uint32_t *number)
{
    int64_t n = index_at(&t->insn_numbers, address, (uint32_t)t->insn_count);
    if (n < 0 || tacho_mem_grow(&t->insns, &t->insn_capacity, t->insn_count + 1, sizeof *t->insns)) {
        t->failed = true;
        return NULL;
    }
    *number = (uint32_t)n;
    if ((size_t)n < t->insn_count)
        return &t->insns[n];
    trace_insn *insn = &t->insns[t->insn_count++];
    *insn = (trace_insn){.out = {.address = address, .loaded_at = address, .block = TACHO_DEPS_RUN_NO_BLOCK}};
    if (t->learn)
        t->learn(insn, t->payload);
    return insn;
}

static void execute(trace *t, uint64_t address, uint32_t size)
{
    const trace_insn *before = t->current ? &t->insns[t->current - 1] : NULL;
    bool ended = !before || before->ends;
    uint32_t number;
    if (before && before->out.loaded_at == address && before->repeats)
        return;
    trace_insn *insn = insn_at(t, address, &number);
    if (!insn)
        return;
    insn->entered |= ended && address != t->next_address;
    insn->out.count++;
    t->now++;
    t->current = number + 1;
    t->next_address = address + size;
}

/* ---- accesses ---- */

static void count_within(const trace *t, trace_pair *p, uint64_t lifetime, uint64_t below)
{
    for (uint32_t i = 0; i < t->lifetime_count; i++)
        p->out.within[i] += lifetime <= t->lifetimes[i] && t->lifetimes[i] < below;
}

/* The instruction reads what `source` wrote: counted once an execution, with the shortest lifetime. */
static void depend(trace *t, uint32_t source, uint64_t lifetime)
{
    uint32_t target = t->current - 1;
    int64_t n = index_at(&t->pair_numbers, (uint64_t)source << 32 | target, (uint32_t)t->pair_count);
    if (n < 0 || tacho_mem_grow(&t->pairs, &t->pair_capacity, t->pair_count + 1, sizeof *t->pairs)) {
        t->failed = true;
        return;
    }
    trace_pair *p = &t->pairs[n];
    if ((size_t)n == t->pair_count) {
        *p = (trace_pair){.out = {.source = source, .target = target, .shortest = lifetime}};
        t->pair_count++;
    }
    if (p->last != t->now) {
        p->out.count++;
        for (uint32_t i = 0; i < t->lifetime_count; i++)
            p->out.within[i] += lifetime <= t->lifetimes[i];
    } else if (lifetime < p->lifetime) {
        count_within(t, p, lifetime, p->lifetime);
    } else {
        return;
    }
    p->last = t->now;
    p->lifetime = lifetime;
    p->out.shortest = lifetime < p->out.shortest ? lifetime : p->out.shortest;
}

static void load(trace *t, uint64_t address, uint32_t size)
{
    const shadow_page *page = shadow_at(&t->shadow, address);
    uint32_t writer = 0;
    uint64_t time = 0;
    t->loads++;
    for (uint32_t i = 0; i < size && !t->failed; i++) {
        size_t at = (address + i) % SHADOW_PAGE;
        if (!at)
            page = shadow_at(&t->shadow, address + i);
        if (!page || !page->writer[at] || (page->writer[at] == writer && page->time[at] == time))
            continue;
        writer = page->writer[at];
        time = page->time[at];
        depend(t, writer - 1, t->now - time);
    }
}

static void store(trace *t, uint64_t address, uint32_t size)
{
    t->stores++;
    t->failed |= !shadow_write(&t->shadow, address, size, t->current - 1, t->now);
}

/* ---- lines ---- */

static const char *hexadecimal(const char *text, uint64_t *out)
{
    const char *at = text;
    for (*out = 0; at - text < 16; at++) {
        int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;
        if (digit < 0)
            break;
        *out = *out << 4 | (uint64_t)digit;
    }
    return at > text ? at : NULL;
}

/* "address,size", both in range, and nothing behind. */
static bool address_and_size(const char *text, uint32_t limit, uint64_t *address, uint32_t *size)
{
    const char *at = hexadecimal(text, address);
    if (!at || *at++ != ',' || *at < '0' || *at > '9')
        return false;
    for (*size = 0; *at >= '0' && *at <= '9' && *size <= limit; at++)
        *size = *size * 10 + (uint32_t)(*at - '0');
    return !*at && *size <= limit && *address <= UINT64_MAX - *size;
}

static void keep_message(trace *t, const char *line)
{
    const char *text = line[1] == line[0] ? strchr(line + 2, line[0]) : NULL;
    text = text ? text + strspn(text, "=-* ") : "";
    if (*t->message || !*text)
        return;
    size_t n = strlen(text);
    n = n < sizeof t->message - 1 ? n : sizeof t->message - 1;
    memcpy(t->message, text, n);
    t->message[n] = '\0';
}

static void take_line(trace *t, const char *line)
{
    uint64_t address;
    uint32_t size;
    if (line[0] == '=' || line[0] == '-' || line[0] == '*') {
        keep_message(t, line);
    } else if (line[0] == 'I' && line[1] == ' ' && line[2] == ' ' &&
               address_and_size(line + 3, MAX_INSN_SIZE, &address, &size)) {
        execute(t, address, size);
    } else if (line[0] == ' ' && line[1] && strchr("LSM", line[1]) && line[2] == ' ' && t->current &&
               address_and_size(line + 3, MAX_ACCESS_SIZE, &address, &size)) {
        if (line[1] != 'S')
            load(t, address, size);
        if (line[1] != 'L')
            store(t, address, size);
    } else if (*line) {
        t->bad_lines++;
    }
}

void trace_feed(trace *t, const char *text, size_t size)
{
    for (const char *end = text + size, *next; text < end && !t->failed; text = next) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline ? newline : end) - text);
        size_t room = TRACE_LINE_BYTES - 1 - t->line_length;
        next = newline ? newline + 1 : end;
        memcpy(t->line + t->line_length, text, n < room ? n : room);
        t->line_length += n < room ? n : room;
        if (!newline)
            continue;
        t->line[t->line_length] = '\0';
        t->line_length = 0;
        take_line(t, t->line);
    }
}

void trace_free(trace *t)
{
    tacho_mem_free(t->insns);
    tacho_mem_free(t->pairs);
    index_free(&t->insn_numbers);
    index_free(&t->pair_numbers);
    shadow_free(&t->shadow);
}
