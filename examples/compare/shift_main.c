/* shift_main.c - calls the loop of shift_loop.s. */
#include <stdlib.h>

void count_down(unsigned long iterations);

int main(int argc, char **argv)
{
    count_down(argc > 1 ? strtoul(argv[1], NULL, 10) : 20000000);
    return 0;
}
