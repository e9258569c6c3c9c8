/* disassembly.c - what disassemblers print, read as assembly text: listings of GNU's and LLVM's objdump,
 * AT&T's or Intel's syntax, and of perf annotate --stdio. Bytes that a line has are the instruction; without
 * them its text is assembled, branches going to the lines that have the addresses. All else (headings, source
 * lines, relocations) is passed over; lines with an address that cannot be read are counted. A listing keeps
 * its addresses modulo 64; what it leaves out between two lines of a section is INT3, and after more than a
 * page, or back, another section begins. */

#include "x86/assemble/assembling.h"
#include "x86/assemble/language.h"
#include "x86/decode/insn_struct.h"
#include "x86/flow/code_image.h"

enum {
    MOST_LEFT_OUT = 4096,
    LOOKED_AT = 1000, /* lines, for one that tells */
};

#define BYTES      ".byte"     /* what stands for bytes that are no instruction in a listing without bytes */
#define AT_ADDRESS ".Lat_%llx" /* the label of a line without bytes */

typedef struct listed {
    uint64_t address;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    uint8_t byte_count;
    const char *name; /* "0000000000001130 <main>:"; NULL: it is no heading of a function */
    size_t name_length;
    const char *text, *end; /* of the instruction; empty: the bytes go on with the line before */
    bool unread;            /* it has neither bytes nor a text that means some, but "(bad)" */
} listed;

/* A hexadecimal number. @return what is behind it; `at`: there is none */
static const char *read_hex(const char *at, const char *end, uint64_t *out)
{
    const char *start = at;
    *out = 0;
    while (at < end && tacho_hex_digit(*at) >= 0 && at - start < 17)
        *out = *out << 4 | (uint64_t)tacho_hex_digit(*at++);
    return at - start < 17 ? at : start;
}

/* perf's columns before the line: "   12.50 :", also several percentages, and "5  " before headings. */
static const char *skip_percent(const char *at, const char *end)
{
    const char *c = at;
    while (c < end && strchr("0123456789. \t", *c))
        c++;
    bool is = c < end && (*c == ':' || *c == '|') && (c == at || c[-1] == ' ' || c[-1] == '\t');
    return is ? as_skip_blanks(c + 1, end) : at;
}

/* objdump --visualize-jumps: "|  \\-> ". */
static const char *skip_arrows(const char *at, const char *end)
{
    const char *c = at;
    while (c < end && *c && strchr("|/\\-+>X ", *c))
        c++;
    return c > at && (c[-1] == ' ' || c[-1] == '>') ? c : at;
}

/* Pairs of digits with a blank behind each. @return what is behind them */
static const char *read_bytes(const char *at, const char *end, listed *out)
{
    while (end - at >= 2 && tacho_hex_digit(at[0]) >= 0 && tacho_hex_digit(at[1]) >= 0 &&
           (end - at == 2 || at[2] == ' ' || at[2] == '\t') && out->byte_count < sizeof out->bytes) {
        out->bytes[out->byte_count++] = (uint8_t)(tacho_hex_digit(at[0]) << 4 | tacho_hex_digit(at[1]));
        at += 2;
        if (end - at >= 2 && *at == ' ' && at[1] != ' ' && at[1] != '\t')
            at++;
        else
            break;
    }
    return at;
}

static bool is_heading(const char *at, const char *end, listed *out)
{
    const char *number = at;
    at = as_skip_blanks(read_hex(at, end, &out->address), end);
    if (at < end && at > number && tacho_hex_digit(*at) >= 0) /* after the number of the source line */
        at = as_skip_blanks(read_hex(number = at, end, &out->address), end);
    if (end - at < 4 || at == number || *at != '<' || end[-1] != ':' || end[-2] != '>')
        return false;
    out->name = at + 1;
    out->name_length = (size_t)(end - 3 - at);
    return true;
}

static bool is_line(const char *at, const char *end, listed *out)
{
    const char *colon = read_hex(at, end, &out->address);
    if (colon == at || colon == end || *colon != ':' || colon + 1 == end || !strchr(" \t", colon[1]))
        return false;
    const char *start = skip_arrows(as_skip_blanks(colon + 1, end), end),
               *behind = read_bytes(start, end, out);
    out->text = as_skip_blanks(behind, end);
    out->end = end;
    /* "add %al,..." has no bytes; behind bytes there is a tabulator, or there are several blanks */
    if (out->byte_count && out->text < end && *behind != '\t' && out->text - behind < 2) {
        out->byte_count = 0;
        out->text = start;
    }
    bool data = as_begins(out->text, end, BYTES);
    bool insn = out->text < end && (as_is_name_start(*out->text) || *out->text == '{') && *out->text != '.';
    out->unread = !out->byte_count && !data && !insn;
    return !out->unread || out->text < end;
}

static bool read_line(const char *at, const char *end, listed *out)
{
    *out = (listed){.name = NULL};
    while (end > at && strchr(" \t\r", end[-1]))
        end--;
    at = skip_percent(as_skip_blanks(at, end), end);
    return at < end && (is_heading(at, end, out) || is_line(at, end, out));
}

/* A heading, or a line whose bytes are one instruction: nothing else looks like that. */
static bool tells(const char *at, const char *end)
{
    listed l;
    tacho_insn insn;
    return read_line(at, end, &l) &&
           (l.name || (l.byte_count && l.text < l.end && !tacho_decode(&insn, l.bytes, l.byte_count, NULL) &&
                       insn.length == l.byte_count));
}

bool tacho_is_listing(const char *text, size_t size)
{
    const char *end = text + size, *closed = text; /* a block comment goes up to here */
    bool closes = true;
    for (int i = 0; i < LOOKED_AT && text < end; i++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
        if (text >= closed) {
            if (tells(text, stop))
                return true;
            const char *open = closes ? memmem(text, (size_t)(stop - text), "/*", 2) : NULL;
            const char *close = open ? memmem(open + 2, (size_t)(end - open - 2), "*/", 2) : NULL;
            closes = !open || close;
            closed = close ? close : closed;
        }
        text = stop + 1;
    }
    return false;
}

/* ---- places ---- */

static void begin_section(as_state *s, uint64_t address)
{
    char name[32];
    int n = snprintf(name, sizeof name, ".text.%zu", s->section_count);
    if (s->listing_begun)
        s->section = as_section_named(s, name, (size_t)n);
    if (s->failed)
        return;
    as_section *now = &s->sections[s->section];
    now->executable = true;
    now->power = 6;
    now->place = (uint8_t)(address % 64);
    s->listing_begun = true;
    s->listing_next = address;
    s->listing_after_text = false;
}

/* The last line was a NOP without bytes, whose length assemblers choose: it goes up to this address. */
static void stretch_nop(as_state *s, uint64_t address)
{
    uint8_t nop[TACHO_MAX_INSN_BYTES];
    as_section *now = as_section_now(s);
    as_record *r = s->record_count ? &s->records[s->record_count - 1] : NULL;
    size_t made = r ? now->size - r->start.at : 0, wanted = (size_t)(address - s->listing_next);
    tacho_insn insn;
    if (!r || r->start.section != s->section || r->start.frag + 1u != now->frag_count || wanted > 11 ||
        made >= wanted || tacho_decode(&insn, now->bytes + r->start.at, made, NULL) || !insn.is_nop)
        return;
    tacho_nops(nop, wanted);
    now->size -= made;
    now->frags[r->start.frag].fixed -= made;
    as_emit(s, nop, wanted);
    r->end = as_here(s);
}

/* The last line was a branch that is longer than it need be. */
static void keep_near(as_state *s, uint64_t address)
{
    as_section *now = as_section_now(s);
    as_frag *f = now->frag_count > 1 ? &now->frags[now->frag_count - 2] : NULL;
    const as_record *r = s->record_count ? &s->records[s->record_count - 1] : NULL;
    if (f && r && f->kind == AS_FRAG_BRANCH && r->start.section == s->section &&
        r->start.frag + 2u == now->frag_count && !now->frags[now->frag_count - 1].fixed)
        f->near = address - s->listing_next > f->prefix_length + 2u;
}

/* Goes on at this address. How long code is that was assembled only the layout knows. */
static void go_to(as_state *s, uint64_t address)
{
    static const uint8_t stop = 0xcc;
    if (!s->listing_begun || address < s->listing_next || address - s->listing_next > MOST_LEFT_OUT)
        begin_section(s, address);
    else if (s->listing_after_text) {
        stretch_nop(s, address);
        keep_near(s, address);
    }
    for (; s->listing_next < address && !s->listing_after_text && !s->failed; s->listing_next++)
        as_emit(s, &stop, 1);
    s->listing_next = address;
    s->listing_after_text = false;
}

/* ---- lines ---- */

/* Of "jne 1215 <dot+0x25>" the text with a label in place of the number; NULL: it is no such branch. What a
 * call names is what it calls. */
static const char *branch_text(as_state *s, const listed *l)
{
    const char *at = l->text, *number = at, *last = at;
    uint64_t target;
    while (at < l->end && *at != '<' && *at != '#') { /* the last word before "<" */
        const char *word = at;
        while (at < l->end && !strchr(" \t<", *at))
            at++;
        last = number;
        number = word;
        at = as_skip_blanks(at, l->end);
    }
    const char *digits = number + (number[0] == '0' && tacho_lower(number[1]) == 'x' ? 2 : 0);
    const char *behind = read_hex(digits, l->end, &target);
    bool branches =
        last < number && (*last == 'j' || as_begins(last, l->end, "call") || as_begins(last, l->end, "loop"));
    if (!branches || behind == digits || (behind < l->end && !strchr(" \t", *behind)))
        return NULL;
    const char *name = as_skip_blanks(behind, l->end), *close = l->end;
    char label[32];
    int written = snprintf(label, sizeof label, AT_ADDRESS, (unsigned long long)target);
    const char *to = label;
    size_t length = (size_t)written;
    if (*last == 'c' && name < close && *name == '<' && !memchr(name, '+', (size_t)(close - name))) {
        to = name + 1;
        length = 0;
        while (to + length < close && !strchr("@>", to[length]))
            length++;
    }
    return as_need(s,
                   arena_format(&s->memory, "%.*s%.*s", (int)(number - l->text), l->text, (int)length, to));
}

static void take_text(as_state *s, const listed *l)
{
    char name[32];
    int n = snprintf(name, sizeof name, AT_ADDRESS, (unsigned long long)l->address);
    uint32_t label = as_symbol_named(s, name, (size_t)n);
    if (label != AS_NONE && s->symbols[label].kind == AS_SYMBOL_UNKNOWN)
        as_define_here(s, label, l->text, 1);
    s->listing_after_text = true;
    if (s->failed)
        return;
    if (as_begins(l->text, l->end, BYTES)) {
        as_cursor data = {l->text + strlen(BYTES), l->end};
        as_place start = as_here(s);
        if (as_directive(s, BYTES, strlen(BYTES), &data) && !s->failed)
            as_record_at(s, l->text, l->end, TACHO_STATEMENT_DATA, start);
        return;
    }
    const char *branch = branch_text(s, l);
    size_t from = s->record_count;
    if (s->failed)
        return;
    as_cursor c = {branch ? branch : l->text, branch ? branch + strlen(branch) : l->end};
    as_instruction_at(s, &c);
    if (s->record_count > from) {
        tacho_statement *out = &s->records[s->record_count - 1].out;
        out->column = (uint32_t)(l->text - s->line_start + 1);
        out->text_length = (uint32_t)(l->end - l->text);
    }
}

/* Bytes that are no instruction, as in "(bad)", are data; so is the beginning of one whose bytes did not fit
 * on one line, until the others are there. */
static void take_bytes(as_state *s, const listed *l)
{
    as_place start = as_here(s);
    as_record *last = s->record_count ? &s->records[s->record_count - 1] : NULL;
    tacho_insn insn;
    as_emit(s, l->bytes, l->byte_count);
    s->listing_next += l->byte_count;
    bool goes_on = l->text == l->end && last && last->out.kind != TACHO_STATEMENT_LABEL &&
                   last->end.section == start.section && last->end.at == start.at &&
                   last->start.frag == start.frag;
    if (goes_on)
        last->end = as_here(s);
    else
        as_record_at(s, l->text, l->end, TACHO_STATEMENT_DATA, start);
    if (s->failed)
        return;
    last = &s->records[s->record_count - 1];
    size_t length = as_section_now(s)->size - last->start.at;
    const uint8_t *bytes = as_section_now(s)->bytes + last->start.at;
    bool is_one = !tacho_decode(&insn, bytes, length, NULL) && insn.length == length;
    last->out.kind = is_one ? TACHO_STATEMENT_INSTRUCTION : TACHO_STATEMENT_DATA;
}

static void take_heading(as_state *s, const listed *l)
{
    uint32_t symbol = as_symbol_named(s, l->name, l->name_length);
    if (symbol == AS_NONE || s->symbols[symbol].kind == AS_SYMBOL_PLACE)
        return; /* another piece of that name */
    as_define_here(s, symbol, l->name, l->name_length);
    s->symbols[symbol].function = true;
    if (!s->failed)
        as_record_at(s, l->name, l->name + l->name_length, TACHO_STATEMENT_LABEL, as_here(s));
}

bool as_listing_line(as_state *s, const char *at, const char *end)
{
    listed l;
    if (!read_line(at, end, &l)) { /* a marker's label is a statement of its own */
        if (as_begins(at, end, "Disassembly of section"))
            s->listing_next = UINT64_MAX; /* what lies between two sections is not known */
        return !as_begins(at, end, INPUT_LABEL);
    }
    if (l.name) {
        s->listing_function = l.address;
        go_to(s, l.address);
        take_heading(s, &l);
        return true;
    }
    if (as_begins(l.text, l.end, "R_X86_64_"))
        return true;
    if (l.address <
        s->listing_function) { /* perf annotate --stdio2: only places that are jumped to have addresses */
        as_problem(s, TACHO_ERR_INPUT, at, 1,
                   "an address before that of its function: perf annotate --stdio and objdump -d write them "
                   "on each line");
        return true;
    }
    if (l.unread) {
        s->unread_line = s->unread_line ? s->unread_line : s->line;
        s->unread_count++;
        return true;
    }
    s->listing_function = 0;
    go_to(s, l.address);
    if (l.byte_count)
        take_bytes(s, &l);
    else
        take_text(s, &l);
    return true;
}
