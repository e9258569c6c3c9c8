/* loops.c - for `tacho predict --loops examples/loops.s`, which is what gcc 12 makes of it with
 *   gcc -O2 -ftree-vectorize -g1 -mavx2 -mfma -fno-asynchronous-unwind-tables -fdebug-prefix-map=$PWD=. -S
 * loops.c in this directory: a nest, a search with two ways through its loop, a loop with a rare call. */

void matrix_add_product(float *restrict c, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < 256; j++)
                c[256 * i + j] += a[256 * i + k] * b[256 * k + j];
}

static int is_space(char c)
{
    return c == ' ' || c == '\n';
}

int count_words(const char *text)
{
    int count = 0, inside = 0;
    for (; *text; text++) {
        if (is_space(*text))
            inside = 0;
        else if (!inside)
            inside = 1, count++;
    }
    return count;
}

extern void complain(int value);

long sum_of_positive(const int *values, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        if (__builtin_expect(values[i] < 0, 0))
            complain(values[i]);
        sum += values[i];
    }
    return sum;
}
