package io.hxb.node;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;

/**
 * Another process for tests: a program that shares memory, sends its key to a context, and sleeps
 * until it gets a message; then it puts to that context's memory for ever.
 */
final class RemoteProcess {
    static final int CONTEXT = 7;
    static final long REGION_BYTES = 16 << 20;
    private static final long FOREVER_NS = Long.MAX_VALUE / 2;

    private RemoteProcess() {}

    /** Starts one at a node's socket that sends its key to {@code context} of node 0. */
    static Process start(final Path socket, final int context) throws IOException {
        final List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RemoteProcess.class.getName(),
                        socket.toString(),
                        Integer.toString(context));
        return new ProcessBuilder(command).inheritIO().start();
    }

    /** Runs one; see {@link #start}. */
    public static void main(final String[] arguments) throws IOException {
        final int peer = Integer.parseInt(arguments[1]);
        try (PmDevice device = PmDevice.attach(Path.of(arguments[0]));
                PmContext context = device.openContext(CONTEXT)) {
            final PmRemoteMemory memory = PmRemoteMemory.open(context);
            final PmRegion region = device.openWritableRegion(REGION_BYTES);
            final long key = memory.share(region, PmAccess.ALL);
            context.send(0, peer, bytes(key), 0, FOREVER_NS);
            final PmMessage message = new PmMessage();
            if (context.receive(message, FOREVER_NS) != PmStatus.OK) {
                throw new IOException("no message comes: " + context.closeReason());
            }
            putForever(memory, region, new PmRemoteRegion(0, peer, message.buffer().getLong(0)));
        }
    }

    private static void putForever(
            final PmRemoteMemory memory, final PmRegion region, final PmRemoteRegion to) {
        int status = PmStatus.OK;
        while (status == PmStatus.OK) {
            memory.put(region, 0, to, 0, REGION_BYTES);
            memory.putAndNotify(region, 0, to, 0, 8, 1);
            status = memory.finish(FOREVER_NS);
        }
    }

    static byte[] bytes(final long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }
}
