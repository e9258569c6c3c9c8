/* length.c - advice on length-changing prefixes, for which the predecoder stops (uiCA paper, section 4.1.1).
 */
#include <stdio.h>

#include "model/explain/explain_internal.h"

static void find_lcp(subject *s, variant_list *out)
{
    tacho_arch *arch;
    variant *v = explain_add_arch(s, out, &arch);
    if (!v)
        return;
    arch->lcp_penalty_cycles = 0;
    explain_set_noted(s, v, TACHO_NOTE_LCP);
    if (!v->insn_count)
        out->count--;
}

static void say_lcp(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    (void)s;
    snprintf(out, size,
             "no length-changing prefix in %s (a 16-bit immediate; put it in a register, or use a 32-bit "
             "operation)",
             explain_insns_text(v, insns, sizeof insns));
}

const advice_kind explain_lcp = {
    .name = "lcp", .requires = TACHO_WHAT_FRONT_END, .find = find_lcp, .say = say_lcp};
