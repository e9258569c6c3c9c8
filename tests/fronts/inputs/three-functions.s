	.text
	.p2align 4
	.globl	dot
	.type	dot, @function
dot:
	testq	%rdx, %rdx
	jle	.L4
	xorl	%eax, %eax
	pxor	%xmm1, %xmm1
	.p2align 4,,10
	.p2align 3
.L3:
	movss	(%rdi,%rax,4), %xmm0
	mulss	(%rsi,%rax,4), %xmm0
	addq	$1, %rax
	addss	%xmm0, %xmm1
	cmpq	%rax, %rdx
	jne	.L3
	movaps	%xmm1, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	pxor	%xmm1, %xmm1
	movaps	%xmm1, %xmm0
	ret
	.size	dot, .-dot
	.p2align 4
	.globl	pw
	.type	pw, @function
pw:
	movapd	%xmm0, %xmm1
	leaq	-1(%rdi), %rax
	movsd	.LC1(%rip), %xmm0
	testq	%rdi, %rdi
	je	.L10
	.p2align 4,,10
	.p2align 3
.L9:
	mulsd	%xmm1, %xmm0
	subq	$1, %rax
	jnb	.L9
	ret
	.p2align 4,,10
	.p2align 3
.L10:
	ret
	.size	pw, .-pw
	.p2align 4
	.globl	none
	.type	none, @function
none:
	movabsq	$1234605616436508552, %rdx
	leaq	(%rdi,%rdi,2), %rax
	addq	%rdx, %rax
	ret
	.size	none, .-none
	.section	.text.unlikely,"ax",@progbits
.LCOLDB2:
	.text
.LHOTB2:
	.p2align 4
	.globl	chk
	.type	chk, @function
chk:
	testq	%rsi, %rsi
	jle	.L13
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L16:
	movq	(%rdi,%rax,8), %rdx
	testq	%rdx, %rdx
	js	.L18
	leaq	(%rdx,%rdx,2), %rdx
	movq	%rdx, (%rdi,%rax,8)
	addq	$1, %rax
	cmpq	%rax, %rsi
	jne	.L16
.L13:
	ret
	.section	.text.unlikely
	.type	chk.cold, @function
chk.cold:
.L18:
	pushq	%rax
	call	abort@PLT
	.text
	.size	chk, .-chk
	.section	.text.unlikely
	.size	chk.cold, .-chk.cold
.LCOLDE2:
	.text
.LHOTE2:
	.section	.text.startup,"ax",@progbits
	.p2align 4
	.globl	main
	.type	main, @function
main:
	movslq	%edi, %rdx
	testq	%rdx, %rdx
	jle	.L22
	leaq	(%rsi,%rdx,4), %rax
	pxor	%xmm1, %xmm1
	.p2align 4,,10
	.p2align 3
.L23:
	movss	(%rsi), %xmm0
	addq	$4, %rsi
	mulss	%xmm0, %xmm0
	addss	%xmm0, %xmm1
	cmpq	%rsi, %rax
	jne	.L23
	pxor	%xmm2, %xmm2
	leaq	-1(%rdx), %rax
	cvtss2sd	%xmm1, %xmm1
	cvtsi2sdl	%edi, %xmm2
.L27:
	movsd	.LC1(%rip), %xmm0
	.p2align 4,,10
	.p2align 3
.L26:
	mulsd	%xmm2, %xmm0
	subq	$1, %rax
	jnb	.L26
.L25:
	leaq	(%rdx,%rdx,2), %rax
	pxor	%xmm2, %xmm2
	addsd	%xmm0, %xmm1
	movabsq	$1234605616436508552, %rdx
	addq	%rdx, %rax
	cvtsi2sdq	%rax, %xmm2
	addsd	%xmm1, %xmm2
	cvttsd2sil	%xmm2, %eax
	ret
.L22:
	jne	.L33
	movsd	.LC1(%rip), %xmm0
	pxor	%xmm1, %xmm1
	jmp	.L25
.L33:
	pxor	%xmm2, %xmm2
	leaq	-1(%rdx), %rax
	pxor	%xmm1, %xmm1
	cvtsi2sdl	%edi, %xmm2
	jmp	.L27
	.size	main, .-main
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC1:
	.long	0
	.long	1072693248
	.section	.note.GNU-stack,"",@progbits
