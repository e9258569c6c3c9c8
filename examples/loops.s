	.file	"loops.c"
	.text
.Ltext0:
	.cfi_sections	.debug_frame
	.file 0 "." "loops.c"
	.p2align 4
	.globl	matrix_add_product
	.type	matrix_add_product, @function
matrix_add_product:
.LFB0:
	.file 1 "loops.c"
	.loc 1 6 1
	.cfi_startproc
	.loc 1 6 1
	movq	%rsi, %r8
	movq	%rdx, %r9
.LBB4:
	.loc 1 7 23
	testl	%ecx, %ecx
	jle	.L9
	movq	%rdi, %rdx
	movslq	%ecx, %rdi
	salq	$10, %rdi
	leaq	(%rsi,%rdi), %r10
	addq	%r9, %rdi
.L3:
.LBB5:
.LBB6:
	.loc 1 10 36
	movq	%r9, %rcx
	movq	%r8, %rsi
	.p2align 4,,10
	.p2align 3
.L6:
	vbroadcastss	(%rsi), %ymm1
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L4:
	.loc 1 10 32 discriminator 3
	vmovups	(%rcx,%rax), %ymm0
	vfmadd213ps	(%rdx,%rax), %ymm1, %ymm0
	vmovups	%ymm0, (%rdx,%rax)
	addq	$32, %rax
	cmpq	$1024, %rax
	jne	.L4
.LBE6:
	.loc 1 8 27 discriminator 2
	addq	$1024, %rcx
	addq	$4, %rsi
	cmpq	%rdi, %rcx
	jne	.L6
.LBE5:
	.loc 1 7 23 discriminator 2
	addq	$1024, %r8
	addq	$1024, %rdx
	cmpq	%r10, %r8
	jne	.L3
	vzeroupper
.L9:
.LBE4:
	.loc 1 11 1
	ret
	.cfi_endproc
.LFE0:
	.size	matrix_add_product, .-matrix_add_product
	.p2align 4
	.globl	count_words
	.type	count_words, @function
count_words:
.LFB2:
	.loc 1 19 1
	.cfi_startproc
	.loc 1 21 12
	movzbl	(%rdi), %eax
	testb	%al, %al
	je	.L15
	.loc 1 20 20
	xorl	%edx, %edx
	.loc 1 20 9
	xorl	%ecx, %ecx
	jmp	.L14
	.p2align 4,,10
	.p2align 3
.L18:
	.loc 1 24 17
	testl	%edx, %edx
	jne	.L13
	.loc 1 25 30
	addl	$1, %ecx
	.loc 1 25 20
	movl	$1, %edx
.L13:
	.loc 1 21 12
	movzbl	1(%rdi), %eax
	.loc 1 21 23
	addq	$1, %rdi
	.loc 1 21 12
	testb	%al, %al
	je	.L11
.L14:
	.loc 1 22 12
	cmpb	$32, %al
	je	.L16
	cmpb	$10, %al
	jne	.L18
.L16:
	.loc 1 21 12
	movzbl	1(%rdi), %eax
	.loc 1 21 23
	addq	$1, %rdi
	.loc 1 23 20
	xorl	%edx, %edx
	.loc 1 21 12
	testb	%al, %al
	jne	.L14
.L11:
	.loc 1 28 1
	movl	%ecx, %eax
	ret
	.p2align 4,,10
	.p2align 3
.L15:
	.loc 1 20 9
	xorl	%ecx, %ecx
	.loc 1 28 1
	movl	%ecx, %eax
	ret
	.cfi_endproc
.LFE2:
	.size	count_words, .-count_words
	.p2align 4
	.globl	sum_of_positive
	.type	sum_of_positive, @function
sum_of_positive:
.LFB3:
	.loc 1 33 1
	.cfi_startproc
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset 13, -16
	pushq	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset 12, -24
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset 6, -32
	pushq	%rbx
	.cfi_def_cfa_offset 40
	.cfi_offset 3, -40
	subq	$8, %rsp
	.cfi_def_cfa_offset 48
.LBB7:
	.loc 1 35 24
	testq	%rsi, %rsi
	jle	.L23
	movq	%rdi, %r13
	movq	%rsi, %r12
	.loc 1 35 15
	xorl	%ebx, %ebx
.LBE7:
	.loc 1 34 10
	xorl	%ebp, %ebp
	.p2align 4,,10
	.p2align 3
.L22:
.LBB8:
	.loc 1 36 36
	movslq	0(%r13,%rbx,4), %rdi
	.loc 1 36 12
	testl	%edi, %edi
	js	.L26
.L21:
	.loc 1 35 30 discriminator 2
	addq	$1, %rbx
	.loc 1 38 13 discriminator 2
	addq	%rdi, %rbp
	.loc 1 35 24 discriminator 2
	cmpq	%rbx, %r12
	jne	.L22
.LBE8:
	.loc 1 41 1
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	movq	%rbp, %rax
	popq	%rbx
	.cfi_def_cfa_offset 32
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L26:
	.cfi_restore_state
.LBB9:
	.loc 1 37 13
	call	complain@PLT
	.loc 1 38 22
	movslq	0(%r13,%rbx,4), %rdi
	jmp	.L21
	.p2align 4,,10
	.p2align 3
.L23:
.LBE9:
	.loc 1 41 1
	addq	$8, %rsp
	.cfi_def_cfa_offset 40
	.loc 1 34 10
	xorl	%ebp, %ebp
	.loc 1 41 1
	popq	%rbx
	.cfi_def_cfa_offset 32
	movq	%rbp, %rax
	popq	%rbp
	.cfi_def_cfa_offset 24
	popq	%r12
	.cfi_def_cfa_offset 16
	popq	%r13
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE3:
	.size	sum_of_positive, .-sum_of_positive
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x86
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x2
	.long	.LASF5
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x3
	.long	.LASF6
	.byte	0x1
	.byte	0x1e
	.byte	0xd
	.uleb128 0x1
	.long	.LASF2
	.byte	0x20
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.uleb128 0x4
	.long	.LASF3
	.byte	0x1
	.byte	0x12
	.byte	0x5
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.uleb128 0x5
	.long	.LASF7
	.byte	0x1
	.byte	0xd
	.byte	0xc
	.byte	0x1
	.uleb128 0x1
	.long	.LASF4
	.byte	0x5
	.quad	.LFB0
	.quad	.LFE0-.LFB0
	.uleb128 0x1
	.byte	0x9c
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x2e
	.byte	0
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 6
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7c
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x2e
	.byte	0
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x3c
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x2e
	.byte	0
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x2e
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x20
	.uleb128 0xb
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF5:
	.string	"GNU C17 12.2.0 -mavx2 -mfma -mtune=generic -march=x86-64 -g1 -O2 -ftree-vectorize -fno-asynchronous-unwind-tables"
.LASF2:
	.string	"sum_of_positive"
.LASF7:
	.string	"is_space"
.LASF3:
	.string	"count_words"
.LASF6:
	.string	"complain"
.LASF4:
	.string	"matrix_add_product"
	.section	.debug_line_str,"MS",@progbits,1
.LASF0:
	.string	"loops.c"
.LASF1:
	.string	"."
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
