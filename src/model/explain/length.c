/* length.c - advice on length-changing prefixes, for which the predecoder stops (uiCA paper, section 4.1.1).
 */
#include "model/explain/explain_internal.h"

static void find_lcp(subject *s, variant_list *out)
{
    tacho_arch *arch;
    if (explain_add_noted(s, out, TACHO_NOTE_LCP, &arch))
        arch->lcp_penalty_cycles = 0;
}

const advice_kind explain_lcp = {
    .name = "lcp",
    .requires = TACHO_WHAT_FRONT_END,
    .find = find_lcp,
    .words = {"no length-changing prefix in ",
              " (a 16-bit immediate; put it in a register, or use a 32-bit operation)"}};
