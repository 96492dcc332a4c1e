package io.hxb.linux;

/**
 * Numbers of the system calls for which the C library has no function. Source: asm/unistd_64.h of
 * x86-64; asm-generic/unistd.h, which aarch64, RISC-V and all newer architectures have.
 */
public final class SystemCall {
    /** True on x86-64, the only 64-bit architecture here with numbers of its own. */
    public static final boolean IS_X86 = System.getProperty("os.arch", "").equals("amd64");

    /** futex(2). */
    public static final long FUTEX = IS_X86 ? 202 : 98;

    /** futex_waitv, since Linux 5.16. */
    public static final long FUTEX_WAITV = 449;

    /** membarrier(2). */
    public static final long MEMBARRIER = IS_X86 ? 324 : 283;

    /** bpf(2). */
    public static final long BPF = IS_X86 ? 321 : 280;

    /** pidfd_open(2). */
    public static final long PIDFD_OPEN = 434;

    /** pidfd_getfd(2). */
    public static final long PIDFD_GETFD = 438;

    /** fsopen(2). */
    public static final long FSOPEN = 430;

    /** fsconfig(2). */
    public static final long FSCONFIG = 431;

    /** fsmount(2). */
    public static final long FSMOUNT = 432;

    private SystemCall() {}
}
