/* Truth: four threads write to one log, and hold `log_lock` in log_write() until a device has answered, which
 * takes it a millisecond (here: another process, at the other end of two pipes). */
#include "truth.h"

#include <unistd.h>

enum {
    THREADS = 4
};
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int to_device[2], from_device[2];
static double end;

static __attribute__((noinline)) void be_the_device(void)
{
    char request;
    close(to_device[1]);
    while (read(to_device[0], &request, 1) == 1) {
        usleep(1000);
        if (write(from_device[1], &request, 1) != 1)
            break;
    }
    _exit(0);
}

static __attribute__((noinline)) void log_write(char line)
{
    TRULY(pthread_mutex_lock(&log_lock));
    if (write(to_device[1], &line, 1) != 1 || read(from_device[0], &line, 1) != 1)
        abort();
    pthread_mutex_unlock(&log_lock);
}

static void *run(void *mine)
{
    unsigned x = *(unsigned *)mine;
    while (now() < end) {
        WORK(x, 100 * MICROSECOND)
        log_write((char)x);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (pipe(to_device) || pipe(from_device))
        return 1;
    if (fork() == 0)
        be_the_device();
    end = now() + seconds_of(argc, argv);
    run_threads(THREADS, run);
    SAY_TRUTH("log_lock");
    return 0;
}
