/* Markers around a loop that a compiler must keep as it is. */
float sum(const float *a, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) {
        __asm__ volatile("# LLVM-MCA-BEGIN sum");
        s += a[i];
    }
    __asm__ volatile("# LLVM-MCA-END");
    return s;
}
