/* kernels_run.c - the process in which a kernel runs, seen from outside. */
#include <ctype.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"

extern const char kernels_loader_image[];
extern const unsigned long kernels_loader_image_size;

#define LOADER_NAME "tacho-kernel-loader"

enum {
    OUTPUT_BYTES = 16 << 20 /* also of what callgrind writes */
};

void kernels_loader_path(const tacho_kernels *k, char out[KERNELS_PATH_SIZE])
{
    snprintf(out, KERNELS_PATH_SIZE, "%.4000s/" LOADER_NAME, k->work);
}

int kernels_write_loader(const tacho_kernels *k, tacho_error *err)
{
    char path[KERNELS_PATH_SIZE];
    kernels_loader_path(k, path);
    if (tacho_scratch_write(k->work, LOADER_NAME, kernels_loader_image, kernels_loader_image_size) ||
        chmod(path, 0700))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be written: %s", path, strerror(errno));
    return 0;
}

int kernels_run_open(kernels_run *r, const tacho_kernels *k, const cpu_set_t *cpus, tacho_error *err)
{
    *r = (kernels_run){k, cpus, NULL, memfd_create("tacho-kernel", MFD_CLOEXEC)};
    void *p = r->fd < 0 || ftruncate(r->fd, sizeof *r->control)
                  ? MAP_FAILED
                  : mmap(NULL, sizeof *r->control, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    r->control = p == MAP_FAILED ? NULL : p;
    return r->control ? 0
                      : tacho_error_set(err, TACHO_ERR_SYSTEM, "no memory for the kernels' loader: %s",
                                        strerror(errno));
}

void kernels_run_close(kernels_run *r)
{
    if (r->control)
        munmap(r->control, sizeof *r->control);
    if (r->fd >= 0)
        close(r->fd);
    r->control = NULL;
    r->fd = -1;
}

static const char *place(uint32_t stage)
{
    return stage == LOADER_STAGE_REGION    ? "in its region"
           : stage == LOADER_STAGE_OUTSIDE ? "outside its region"
           : stage == LOADER_STAGE_LOADING ? "while it was loaded"
                                           : "before it was loaded";
}

/* The loader's message, if it can be shown: the kernel may have written over it. */
static void said(const loader_control *c, char message[KERNELS_MESSAGE_SIZE])
{
    size_t i = 0;
    for (; i < LOADER_MESSAGE_SIZE - 1 && c->message[i]; i++)
        message[i] = isprint((unsigned char)c->message[i]) ? c->message[i] : '?';
    message[i] = '\0';
}

/* The first line that is no warning of valgrind's; "" */
static const char *first_complaint(const char *text, int *length)
{
    for (const char *p = text; *p; p += *length, p += *p == '\n') {
        *length = (int)strcspn(p, "\n");
        if (*length && !memmem(p, (size_t)*length, "-- warning:", 11))
            return p;
    }
    *length = 0;
    return "";
}

/* What it died of, in words; "" for none. */
static void explain(const loader_control *c, const tacho_process_end *end, const tacho_str *errors,
                    double seconds, tacho_kernel_status *status, char message[KERNELS_MESSAGE_SIZE])
{
    const uint32_t stage = c->stage;
    int length;
    const char *text = first_complaint(errors->data, &length);
    if (end->timed_out || end->signal == SIGXCPU) {
        *status = TACHO_KERNEL_TIMEOUT;
        snprintf(message, KERNELS_MESSAGE_SIZE, "did not end in %g s; it was %s", seconds, place(stage));
    } else if (stage == LOADER_STAGE_FAILED) {
        *status = TACHO_KERNEL_FAILED;
        said(c, message);
    } else if (end->signal) {
        *status = TACHO_KERNEL_CRASHED;
        snprintf(message, KERNELS_MESSAGE_SIZE, "crashed by signal %d (%s) %s", end->signal,
                 strsignal(end->signal), place(stage));
    } else if (stage != LOADER_STAGE_DONE) {
        *status = TACHO_KERNEL_FAILED;
        snprintf(message, KERNELS_MESSAGE_SIZE, "ended by itself (exit status %d) %s%s%.*s", end->exit_status,
                 place(stage), *text ? ": " : "", length, text);
    }
}

int kernels_run_program(const tacho_kernels *k, tacho_process *p, tacho_str *errors, tacho_process_end *end,
                        tacho_error *err)
{
    TACHO_FREED tacho_str out = {0};
    p->env = k->environment;
    p->stop = kernels_is_stopped;
    p->payload = (void *)k;
    int rc =
        tacho_process_run_text(p, "", 0, &out, errors, end)
            ? tacho_error_set(err, TACHO_ERR_SYSTEM, "%.200s: cannot be run: %s", p->path, strerror(errno))
            : 0;
    return !rc && end->stopped ? kernels_cancelled(err) : rc;
}

int kernels_run_loader(kernels_run *r, const char *const *argv, double seconds, tacho_kernel_status *status,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    tacho_process p = {.path = argv[0],
                       .argv = argv,
                       .file = r->fd,
                       .seconds = seconds,
                       .cpu_seconds = (unsigned)seconds + 2,
                       .cpus = r->cpus,
                       .same_addresses = r->cpus,
                       .file_bytes = OUTPUT_BYTES,
                       .look = r->cpus ? 0 : KERNELS_LOOK_SECONDS};
    tacho_process_end end;
    TACHO_FREED tacho_str errors = {0};
    if (p.same_addresses && !tacho_process_can_fix_addresses())
        return tacho_error_set(
            err, TACHO_ERR_SYSTEM,
            "kernels cannot be run at the same addresses each time, as personality() is not "
            "allowed here (a container's seccomp profile)");
    int rc = kernels_run_program(r->k, &p, &errors, &end, err);
    if (!rc)
        explain(r->control, &end, &errors, seconds, status, message);
    return rc;
}
