/* report_listing.c - instructions in reports: what was typed, with the labels before it, or else
 * disassembled. */
#include <string.h>

#include "app/report/report.h"
#include "base/search.h"

void report_insn_text(const report_subject *s, const tacho_insn_report *r, char *out, size_t size)
{
    tacho_listing_write(s->listing, r->insn, r->code_offset, out, size);
}

void report_asm(const tacho_listing *l, const tacho_insn *insn, uint64_t code_offset, char *out, size_t size)
{
    tacho_listing plain = l ? *l : (tacho_listing){0};
    plain.as_typed = false;
    tacho_listing_write(l ? &plain : NULL, insn, code_offset, out, size);
}

static const tacho_typed *typed_of(const report_subject *s, const tacho_insn_report *r)
{
    return s->listing ? tacho_listing_typed(s->listing, r->code_offset) : NULL;
}

#define RECORD tacho_typed
static const report_field typed[] = {
    MEMBERS2(line, text, NULL, .none = REPORT_NO_TEXT),
    {MEMBER(comment, NULL, .none = REPORT_NO_TEXT)},
};
#undef RECORD

report_value report_source(const tacho_listing *l, uint64_t code_offset)
{
    const tacho_typed *t = l && l->as_typed ? tacho_listing_typed(l, code_offset) : NULL;
    return t ? report_object(report_record_json(ROWS(typed), t, NULL)) : report_null();
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_.$", c);
}

/* Whether a branch of the code names the label, which has a colon at its end. */
static bool is_target(const report_subject *s, const char *label)
{
    size_t n = strcspn(label, " :");
    for (size_t i = 0; i < s->prediction->instruction_count; i++) {
        const tacho_insn_report *r = s->prediction->instructions[i];
        const tacho_typed *t = r->insn->is_branch || r->insn->is_call ? typed_of(s, r) : NULL;
        const char *operand = t && t->text ? strrchr(t->text, ' ') : NULL;
        if (operand && !strncmp(operand + 1, label, n) && !(operand[1 + n] && is_word(operand[1 + n])))
            return true;
    }
    return false;
}

/* Compilers have labels for much that is no code's target (debug information, exceptions): these start with
 * ".L" and are left out unless a branch goes there. */
void report_labels(tacho_str *out, const report_subject *s, const tacho_insn_report *r)
{
    const tacho_listing *l = s->listing;
    if (!l || !l->as_typed)
        return;
    uint64_t address = tacho_listing_address(l, r->code_offset);
    size_t i = tacho_count_below(l->typed, l->typed_count, sizeof *l->typed, address);
    for (; i < l->typed_count && l->typed[i].address == address; i++) {
        const tacho_typed *t = &l->typed[i];
        if (t->label && t->text && (strncmp(t->text, ".L", 2) || is_target(s, t->text)))
            tacho_str_printf(out, "%s\n", t->text);
    }
}
