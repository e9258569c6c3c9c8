/* chunks_loop.c - some 380 bytes of branches that are not needed: just under 12 chunks of 32 bytes, which is
 * what a loop stream detector that takes so many would hold if the loop began at a boundary of one. */
#define STEP(n)                                                                                              \
    do {                                                                                                     \
        if (!i)                                                                                              \
            b += i * i * n + 1;                                                                              \
    } while (0)

int loop(int rounds)
{
    volatile int i = 1;
    int b = 0;
    while (i < rounds) {
        STEP(1);
        STEP(2);
        STEP(3);
        STEP(4);
        STEP(5);
        STEP(6);
        STEP(7);
        STEP(8);
        STEP(9);
        STEP(10);
        STEP(11);
        STEP(12);
        STEP(13);
        STEP(14);
        i++;
    }
    return b;
}
