/* elsewhere.c - on processors that are not x86-64 there is nothing that tacho could measure. */
#include "tacho/doctor.h"

int tacho_doctor_examine(tacho_doctor_report **out, const tacho_doctor_options *options, tacho_error *err)
{
    *out = NULL;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                           "measuring needs an x86-64 processor; this is another");
}

int tacho_doctor_record_host(char **out, tacho_error *err)
{
    *out = NULL;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "only x86-64 processors have CPUID; this is another");
}

void tacho_doctor_text_free(char *text)
{
    (void)text;
}
