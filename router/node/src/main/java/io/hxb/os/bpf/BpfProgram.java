package io.hxb.os.bpf;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program in the kernel that sees the frames of NICs, in force where it is attached until it is
 * taken away or the process ends, however it ends. Any thread may call it; its loader closes it.
 * Source: linux/bpf.h, BPF_PROG_TYPE_SCHED_CLS at TCX hooks.
 */
public final class BpfProgram implements AutoCloseable {
    /** First kernel that has the hooks (TCX). */
    public static final String KERNEL = "6.6";

    private final int descriptor;
    private final Hook hook;
    private boolean isClosed;

    private BpfProgram(final int descriptor, final Hook hook) {
        this.descriptor = descriptor;
        this.hook = hook;
    }

    /** Where a program sees frames. */
    public enum Hook {
        /** What a NIC has received, before sockets of single EtherTypes. BPF_TCX_INGRESS. */
        INGRESS(46),
        /** What is sent on a NIC, before its queueing discipline. BPF_TCX_EGRESS. */
        EGRESS(47);

        private final int number;

        Hook(final int number) {
            this.number = number;
        }
    }

    /**
     * Loads a program.
     *
     * @throws LinuxException if the kernel refuses, with the output of its verifier: older than
     *     {@link #KERNEL}, or no CAP_BPF and CAP_NET_ADMIN.
     */
    public static BpfProgram load(final BpfCode code, final Hook hook) throws LinuxException {
        return new BpfProgram(Bpf.load(code.build(), hook.number), hook);
    }

    /**
     * Attaches it to a NIC of this thread's network namespace.
     *
     * @param ifindex number of the NIC.
     * @return takes it away again; without effect when the NIC has gone.
     */
    public Attachment attach(final int ifindex) throws LinuxException {
        return new Attachment(Bpf.attach(descriptor, ifindex, hook.number));
    }

    /**
     * Attaches it to a NIC of this thread's network namespace so that it stays there when the
     * process ends. Where an earlier process has left one of its kind, this one takes its place
     * between two frames.
     *
     * @param pin a name in a BPF file system; it stays attached until that is deleted.
     */
    public Attachment attach(final int ifindex, final Path pin) throws LinuxException {
        if (Files.exists(pin)) {
            final Attachment left = replaced(ifindex, pin);
            if (left != null) {
                return left;
            }
            // Of a NIC that has gone, or is another one by now.
            delete(pin);
        }
        final Attachment made = attach(ifindex);
        try {
            Bpf.pin(made.descriptor, pin);
            return made;
        } catch (final LinuxException e) {
            made.close();
            throw e;
        }
    }

    /** What was left there, with this program in it; null if it is at another NIC. */
    private Attachment replaced(final int ifindex, final Path pin) throws LinuxException {
        final Attachment left = new Attachment(Bpf.open(pin));
        boolean isOurs = false;
        try {
            isOurs = Bpf.ifindex(left.descriptor) == ifindex;
            if (isOurs) {
                Bpf.update(left.descriptor, descriptor);
            }
            return isOurs ? left : null;
        } finally {
            if (!isOurs) {
                left.close();
            }
        }
    }

    private static void delete(final Path pin) throws LinuxException {
        if (!pin.toFile().delete()) {
            throw new LinuxException("deleting " + pin, Errno.EACCES);
        }
    }

    /** Programs at a hook of a NIC of this thread's network namespace, of all processes. */
    public static int count(final int ifindex, final Hook hook) throws LinuxException {
        return Bpf.count(ifindex, hook.number);
    }

    /**
     * Runs it on a frame that is on no NIC.
     *
     * @param frame an Ethernet frame; overwritten with what the program has made of it.
     * @return what the program returned.
     */
    public int run(final byte[] frame) throws LinuxException {
        return run(frame, 0);
    }

    /**
     * Runs it on what the kernel would cut into frames later.
     *
     * @param frame as in {@link #run(byte[])}.
     * @param segmentBytes bytes of payload of each frame that it would be cut into; 0 for none.
     * @return what the program returned.
     */
    public int run(final byte[] frame, final int segmentBytes) throws LinuxException {
        return Bpf.run(descriptor, frame, segmentBytes);
    }

    /** Unloads it; where it is attached it stays until that is closed, too. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
        }
    }

    /** One NIC that a program is attached to; pinned, it stays so when this is closed. */
    public static final class Attachment implements AutoCloseable {
        private final int descriptor;
        private boolean isClosed;

        private Attachment(final int descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public synchronized void close() {
            if (!isClosed) {
                isClosed = true;
                Descriptors.close(descriptor);
            }
        }
    }
}
