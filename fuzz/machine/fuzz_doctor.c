/* fuzz_doctor.c - files of /proc and /sys as the doctor reads them: two bytes of what the host is, then one
 * file after the other in the order in which they are asked for; an empty one is not there. Each finding must
 * have its words. */
#include <errno.h>

#include "base/file.h"
#include "fuzz.h"
#include "given.h"
#include "machine/doctor/doctor_internal.h"

static given files;

int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size);
int __wrap_tacho_file_read(const char *path, size_t limit, char **data, size_t *size)
{
    *data = given_piece(&files, size);
    if (*size)
        return 0;
    tacho_mem_free(*data);
    *data = NULL;
    errno = ENOENT;
    return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_doctor_report *r;
    tacho_error err;
    doctor_host host = {.cpu_count = 4};
    files = given_start(data, size);
    host.cpu = given_byte(&files);
    host.cpuid.hypervisor = host.cpu & 2;
    host.seconds = given_byte(&files);
    doctor_read_usage("/fuzz", host.cpu, &host.before);
    doctor_read_usage("/fuzz", host.cpu, &host.after);
    if (doctor_judge(&r, "/fuzz", &host, &err))
        abort();
    for (size_t i = 0; i < r->finding_count; i++)
        if (!*r->findings[i].id || !*r->findings[i].title || !r->findings[i].value)
            abort();
    tacho_doctor_free(r);
    return 0;
}
