/* other.c - code that takes room. */
int other(int n)
{
    int a = 1;
    while (n > 1) {
        a += n & 1;
        n >>= 1;
    }
    return -a;
}
