/* fuzz_forms.c - names of instruction forms ("ADD (R64, M64)") and of microarchitectures. What a name is read
 * as must have a name that is read as the same. */
#include "fuzz.h"
#include "given.h"
#include "tacho/tools.h"
#include "x86/insndb/key.h"

enum {
    NAME_BYTES = 300
};

static void check(int ok)
{
    if (!ok)
        abort();
}

static void read_key(const char *text)
{
    form_key key, again;
    char name[NAME_BYTES], why[200] = "";
    if (!tacho_key_parse(&key, text, why, sizeof why)) {
        check(why[0]);
        return;
    }
    uint64_t packed = tacho_key_pack(&key);
    check(tacho_key_name(&key, name, sizeof name) >= 0);
    check(tacho_key_parse(&again, name, why, sizeof why) && tacho_key_pack(&again) == packed);
}

static void find_form(const char *text)
{
    uint32_t id, again;
    char name[NAME_BYTES];
    tacho_error err = {.message = ""};
    if (tacho_form_find(text, &id, &err)) {
        check(err.message[0]);
        return;
    }
    check(id < tacho_form_count() && tacho_form_name(id, name, sizeof name) >= 0);
    check(!tacho_form_find(name, &again, &err) && again == id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    given in = given_start(data, size);
    char *text = given_piece(&in, &size);
    tacho_error err = {.message = ""};
    read_key(text);
    find_form(text);
    const tacho_arch *arch = tacho_arch_find(text, &err);
    check(arch ? tacho_arch_find(tacho_arch_name(arch), NULL) == arch : err.message[0]);
    tacho_mem_free(text);
    return 0;
}
