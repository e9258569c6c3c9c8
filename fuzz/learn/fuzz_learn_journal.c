/* fuzz_learn_journal.c - any bytes as the journal of tacho learn: what is taken over are answers that a
 * processor can have given, each found by its key; another processor's are refused with a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "learn/subject.h"

static void check(int ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    answers a = {0};
    tacho_error err = {.message = ""};
    char *text = malloc(size + 1);
    check(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    int rc = answers_parse(&a, text, "me", "journal", &err);
    check(!rc || (rc == TACHO_ERR_INPUT && err.message[0] && !a.count));
    for (size_t i = 0; i < a.count; i++) {
        const answer *x = &a.items[i];
        check(answers_find(&a, x->key) == x);
        check(x->status == TACHO_MEASURED_OK ? isfinite(x->cycles) && x->cycles > 0 : isnan(x->cycles));
    }
    answers_free(&a);
    free(text);
    return 0;
}
