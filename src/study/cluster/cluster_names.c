/* cluster_names.c - what categories are called: as in the BHive paper's Table II, but by a rule. */
#include <stdio.h>
#include <string.h>

#include "study/cluster/model.h"
#include "x86/arch/port_digits.h"

static const struct {
    const char *name, *description;
} classes[CATEGORY_CLASSES] = {
    [CATEGORY_SCALAR] = {"Scalar", "mostly scalar arithmetic and control"},
    [CATEGORY_VECTOR] = {"Vec", "mostly vector and floating-point arithmetic"},
    [CATEGORY_SCALAR_VECTOR] = {"Scalar/Vec", "scalar and vector arithmetic"},
    [CATEGORY_LOAD] = {"Ld", "mostly loads"},
    [CATEGORY_STORE] = {"St", "mostly stores"},
    [CATEGORY_LOAD_STORE] = {"Ld/St", "loads and stores"},
    [CATEGORY_EMPTY] = {"Empty", "no block with weight is in it"},
};

category_class category_class_of(const tacho_cluster_tally *t)
{
    double loads = t->uops[TACHO_UOP_LOAD];
    double stores = (t->uops[TACHO_UOP_STORE_ADDRESS] + t->uops[TACHO_UOP_STORE_DATA]) / 2;
    double scalar = t->uops[TACHO_UOP_SCALAR], vector = t->uops[TACHO_UOP_VECTOR];
    double accesses = loads + stores, computing = scalar + vector;
    if (!(accesses + computing > 0))
        return CATEGORY_EMPTY;
    if (computing >= accesses)
        return 3 * vector >= 2 * computing   ? CATEGORY_VECTOR
               : 3 * scalar >= 2 * computing ? CATEGORY_SCALAR
                                             : CATEGORY_SCALAR_VECTOR;
    return 3 * loads >= 2 * accesses    ? CATEGORY_LOAD
           : 3 * stores >= 2 * accesses ? CATEGORY_STORE
                                        : CATEGORY_LOAD_STORE;
}

static bool comes_before(const tacho_cluster_tally *a, const tacho_cluster_tally *b)
{
    category_class x = category_class_of(a), y = category_class_of(b);
    return x != y ? x < y : a->weight > b->weight;
}

void category_order(const tacho_cluster_tally *tallies, uint32_t topics, uint32_t *order)
{
    for (uint32_t k = 0; k < topics; k++) {
        uint32_t at = k;
        for (; at && comes_before(&tallies[k], &tallies[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

void category_name_all(tacho_cluster_topic *topics, uint32_t count)
{
    uint32_t of_class[CATEGORY_CLASSES] = {0}, numbered[CATEGORY_CLASSES] = {0};
    for (uint32_t k = 0; k < count; k++)
        of_class[category_class_of(&topics[k].training)]++;
    for (uint32_t k = 0; k < count; k++) {
        category_class class = category_class_of(&topics[k].training);
        char *name = topics[k].name;
        if (of_class[class] > 1)
            snprintf(name, TACHO_CLUSTER_NAME_SIZE, "%s-%u", classes[class].name, ++numbered[class]);
        else
            snprintf(name, TACHO_CLUSTER_NAME_SIZE, "%s", classes[class].name);
        topics[k].description = classes[class].description;
    }
}

const char *tacho_ports_text(uint16_t ports, char *out, size_t size)
{
    char text[18] = "p";
    size_t used = 1;
    for (unsigned p = 0; p < TACHO_MAX_PORTS; p++)
        if (ports >> p & 1)
            text[used++] = port_digit(p);
    text[used] = '\0';
    snprintf(out, size, "%s", text);
    return out;
}
