/* resources.c - sets of ports. */
#include "study/learn/resources.h"

#include "base/mem.h"

int learn_resources(lab *l, tacho_error *err)
{
    (void)l;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "sets of ports are not found yet");
}

void resources_free(resources *r)
{
    tacho_mem_free(r);
}
