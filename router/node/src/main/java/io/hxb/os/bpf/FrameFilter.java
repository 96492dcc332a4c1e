package io.hxb.os.bpf;

import static io.hxb.os.bpf.BpfCode.BYTE;
import static io.hxb.os.bpf.BpfCode.DOUBLE;
import static io.hxb.os.bpf.BpfCode.R0;
import static io.hxb.os.bpf.BpfCode.R1;
import static io.hxb.os.bpf.BpfCode.R10;
import static io.hxb.os.bpf.BpfCode.R2;
import static io.hxb.os.bpf.BpfCode.R3;
import static io.hxb.os.bpf.BpfCode.R4;
import static io.hxb.os.bpf.BpfCode.R5;
import static io.hxb.os.bpf.BpfCode.R6;
import static io.hxb.os.bpf.BpfCode.R7;
import static io.hxb.os.bpf.BpfCode.R8;
import static io.hxb.os.bpf.BpfCode.R9;
import static io.hxb.os.bpf.BpfCode.WORD;

import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

/**
 * Takes a share of the frames that pass a NIC in one direction away, and changes a byte in a share
 * of the rest, in the kernel; the NIC itself, its carrier and its sender notice nothing. In force
 * until {@link #close}, or until the process ends. Any thread may call it.
 *
 * <p>What the program and this class share, 32 bytes:
 *
 * <pre>
 * offset length order  meaning
 * 0      8      native drops a frame if 32 random bits are less than this
 * 8      8      native changes a byte if 32 random bits are less than this
 * 16     8      native frames dropped
 * 24     8      native frames changed
 * </pre>
 */
public final class FrameFilter implements AutoCloseable {
    private static final int DROP_SHARE_OFFSET = 0;
    private static final int CHANGE_SHARE_OFFSET = 8;
    private static final int DROPPED_OFFSET = 16;
    private static final int CHANGED_OFFSET = 24;
    private static final int VALUE_BYTES = 32;
    private static final long ALWAYS = 1L << 32;

    private static final int ETHERNET_HEADER_BYTES = 14;
    private static final int FLIPPED_BIT = 0x20;

    private final BpfArray shared;
    private final BpfProgram program;
    private final BpfProgram.Attachment attachment;
    private boolean isClosed;

    private FrameFilter(
            final BpfArray shared,
            final BpfProgram program,
            final BpfProgram.Attachment attachment) {
        this.shared = shared;
        this.program = program;
        this.attachment = attachment;
    }

    /**
     * Puts a filter on a NIC of this thread's network namespace.
     *
     * @param ifindex number of the NIC.
     * @param isIngress for the frames that it receives, otherwise for those that are sent on it.
     * @param dropShare share of the frames to drop, 0 to 1.
     * @param changeShare share of the others in which one byte after the Ethernet header is
     *     changed, 0 to 1.
     * @throws LinuxException if the kernel refuses: older than {@link BpfProgram#KERNEL}, or no
     *     CAP_BPF and CAP_NET_ADMIN.
     */
    public static FrameFilter attach(
            final int ifindex,
            final boolean isIngress,
            final double dropShare,
            final double changeShare)
            throws LinuxException {
        final BpfProgram.Hook hook = isIngress ? BpfProgram.Hook.INGRESS : BpfProgram.Hook.EGRESS;
        final long dropThreshold = threshold(dropShare);
        final long changeThreshold = threshold(changeShare);
        final BpfArray shared = BpfArray.create(1, VALUE_BYTES);
        BpfProgram program = null;
        try {
            Memory.putLong(shared.address(0) + DROP_SHARE_OFFSET, dropThreshold);
            Memory.putLong(shared.address(0) + CHANGE_SHARE_OFFSET, changeThreshold);
            program = BpfProgram.load(code(shared), hook);
            return new FrameFilter(shared, program, program.attach(ifindex));
        } catch (final LinuxException e) {
            shared.close();
            if (program != null) {
                program.close();
            }
            throw e;
        }
    }

    private static long threshold(final double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share must be 0..1: " + share);
        }
        return Math.round(share * ALWAYS);
    }

    private static BpfCode code(final BpfArray shared) {
        return new BpfCode()
                .move(R6, R1)
                .storeValue(WORD, R10, -4, 0)
                .move(R2, R10)
                .plus(R2, -4)
                .map(R1, shared)
                .call(BpfCode.MAP_LOOKUP_ELEM)
                .jumpIfZero(R0, "pass")
                .move(R7, R0)
                .call(BpfCode.GET_PRANDOM_U32)
                .load(DOUBLE, R1, R7, DROP_SHARE_OFFSET)
                .jumpIfLess(R0, R1, "drop")
                .call(BpfCode.GET_PRANDOM_U32)
                .load(DOUBLE, R1, R7, CHANGE_SHARE_OFFSET)
                .jumpIfNotLess(R0, R1, "pass")
                // Where: anywhere after the Ethernet header, so that it still arrives.
                .load(WORD, R8, R6, 0)
                .jumpIfLessValue(R8, ETHERNET_HEADER_BYTES + 1, "pass")
                .plus(R8, -ETHERNET_HEADER_BYTES)
                .call(BpfCode.GET_PRANDOM_U32)
                .modulo(R0, R8)
                .plus(R0, ETHERNET_HEADER_BYTES)
                .move(R9, R0)
                .move(R1, R6)
                .move(R2, R9)
                .move(R3, R10)
                .plus(R3, -8)
                .set(R4, 1)
                .call(BpfCode.SKB_LOAD_BYTES)
                .jumpIfNotZero(R0, "pass")
                .load(BYTE, R1, R10, -8)
                .xor(R1, FLIPPED_BIT)
                .store(BYTE, R10, -8, R1)
                .move(R1, R6)
                .move(R2, R9)
                .move(R3, R10)
                .plus(R3, -8)
                .set(R4, 1)
                .set(R5, 0)
                .call(BpfCode.SKB_STORE_BYTES)
                .jumpIfNotZero(R0, "pass")
                .set(R1, 1)
                .addAtomically(DOUBLE, R7, CHANGED_OFFSET, R1)
                .label("pass")
                .set(R0, BpfCode.TCX_NEXT)
                .exit()
                .label("drop")
                .set(R1, 1)
                .addAtomically(DOUBLE, R7, DROPPED_OFFSET, R1)
                .set(R0, BpfCode.TCX_DROP)
                .exit();
    }

    /** Frames that were dropped so far. */
    public long dropped() {
        return value(DROPPED_OFFSET);
    }

    /** Frames in which a byte was changed so far. */
    public long changed() {
        return value(CHANGED_OFFSET);
    }

    private synchronized long value(final int offset) {
        if (isClosed) {
            throw new IllegalStateException("the filter has been taken away");
        }
        return Memory.getLongVolatile(shared.address(0) + offset);
    }

    /** Takes the filter away; the second call does nothing. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            attachment.close();
            program.close();
            shared.close();
        }
    }
}
