// examples.js - code to begin with. The first is what the README shows.
const EXAMPLES = [
  { name: "Two registers that wait for each other", cores: ["SKX"], code: [
    "# 2 cycles per iteration, however wide the machine\nl:      add     rax, rbx\n        add     rbx, rax\n        dec     r15\n        jnz     l\n"] },
  { name: "Dot product: one accumulator, or four", cores: ["SKX"], code: [
    "# for (i = 0; i < n; i++) s += a[i] * b[i];\n.L3:\n        vmovups (%rdi,%rax), %ymm1\n        vfmadd231ps (%rsi,%rax), %ymm1, %ymm0\n        addq    $32, %rax\n        cmpq    %rdx, %rax\n        jne     .L3\n",
    "# the same with four accumulators\n.L3:\n        vmovups (%rdi,%rax), %ymm4\n        vmovups 32(%rdi,%rax), %ymm5\n        vmovups 64(%rdi,%rax), %ymm6\n        vmovups 96(%rdi,%rax), %ymm7\n        vfmadd231ps (%rsi,%rax), %ymm4, %ymm0\n        vfmadd231ps 32(%rsi,%rax), %ymm5, %ymm1\n        vfmadd231ps 64(%rsi,%rax), %ymm6, %ymm2\n        vfmadd231ps 96(%rsi,%rax), %ymm7, %ymm3\n        subq    $-128, %rax\n        cmpq    %rdx, %rax\n        jne     .L3\n"] },
  { name: "A counter in memory: store forwarding", cores: ["SKX", "ICX", "ZEN5"], code: [
    "# count[c]++ where c is always the same\nagain:  inc     dword ptr [rdi]\n        dec     rcx\n        jnz     again\n"] },
  { name: "A division, of 64 bits or of 32", cores: ["SKL", "ICL"], code: [
    "l:      mov     rax, rsi\n        xor     edx, edx\n        div     rcx\n        add     rsi, rax\n        dec     r8\n        jnz     l\n",
    "l:      mov     eax, esi\n        xor     edx, edx\n        div     ecx\n        add     esi, eax\n        dec     r8\n        jnz     l\n"] },
  { name: "A false dependency: popcnt", cores: ["SKL", "ICL"], code: [
    "# popcnt waits for its destination on some cores\nl:      popcnt  rax, [rsi]\n        add     rdx, rax\n        popcnt  rax, [rsi + 8]\n        add     rdx, rax\n        add     rsi, 16\n        cmp     rsi, rdi\n        jne     l\n"] },
  { name: "Machine code in hexadecimal digits", cores: ["SKX"], syntax: "hex", code: ["4801d8 4801c3 49ffcf 75f5\n"] },
];
