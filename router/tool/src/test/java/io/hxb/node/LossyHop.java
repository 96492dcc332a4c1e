package io.hxb.node;

import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.BpfCode;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.testing.TestNamespaces;

import java.io.IOException;

/**
 * Loses at random what arrives at a NIC, as long as it is open: each frame of a wire that paces, or
 * what the kernel has joined or not yet cut.
 */
final class LossyHop implements AutoCloseable {
    /** Losses are given as parts of this. */
    static final int WHOLE = 100_000;

    // ETH_P_IP in network order, as the kernel holds it.
    private static final int IP_IN_MEMORY = 0x0008;

    private final BpfProgram program;
    private final BpfProgram.Attachment attachment;

    private LossyHop(final BpfProgram program, final BpfProgram.Attachment attachment) {
        this.program = program;
        this.attachment = attachment;
    }

    /** Loses {@code parts} of {@link #WHOLE} of all frames. */
    static LossyHop open(final String namespace, final String nic, final int parts)
            throws IOException {
        return open(namespace, nic, parts, false);
    }

    /** Loses all frames by IP and no others. */
    static LossyHop againstIp(final String namespace, final String nic) throws IOException {
        return open(namespace, nic, WHOLE, true);
    }

    private static LossyHop open(
            final String namespace, final String nic, final int parts, final boolean isOfIp)
            throws IOException {
        final int ifindex = TestNamespaces.info(namespace, nic).ifindex();
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final BpfProgram program =
                            BpfProgram.load(code(parts, isOfIp), BpfProgram.Hook.INGRESS);
                    try {
                        return new LossyHop(program, program.attach(ifindex));
                    } catch (final LinuxException e) {
                        program.close();
                        throw e;
                    }
                });
    }

    private static BpfCode code(final int parts, final boolean isOfIp) {
        final BpfCode code = new BpfCode();
        if (isOfIp) {
            code.load(BpfCode.WORD, BpfCode.R2, BpfCode.R1, BpfCode.SKB_PROTOCOL)
                    .jumpIfNotWord(BpfCode.R2, IP_IN_MEMORY, "pass");
        }
        return code.call(BpfCode.GET_PRANDOM_U32)
                .set(BpfCode.R1, WHOLE)
                .modulo(BpfCode.R0, BpfCode.R1)
                .jumpIfGreaterValue(BpfCode.R0, parts - 1, "pass")
                .set(BpfCode.R0, BpfCode.TCX_DROP)
                .exit()
                .label("pass")
                .set(BpfCode.R0, BpfCode.TCX_NEXT)
                .exit();
    }

    @Override
    public void close() {
        attachment.close();
        program.close();
    }
}
