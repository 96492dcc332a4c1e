package io.hxb.context;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Another process for tests: an application that echoes, holds, lends or sends, or a node. */
public final class ChildProcess {
    /** What an application lends that only lends. */
    static final long LENT_BYTES = 1L << 30;

    /** What one lends that sends it too. */
    static final long SENT_BYTES = 400L << 20;

    private ChildProcess() {}

    /** Starts one: {@code role socket contextId}; it prints "ready" when it is. */
    public static Process start(final String role, final Path socket, final int contextId)
            throws IOException {
        return start(role, socket, contextId, ProcessBuilder.Redirect.INHERIT);
    }

    /** Starts a node whose log goes to a file. */
    static Process startNode(final Path socket, final File log) throws IOException {
        return start("node", socket, 0, ProcessBuilder.Redirect.to(log));
    }

    private static Process start(
            final String role,
            final Path socket,
            final int contextId,
            final ProcessBuilder.Redirect log)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ChildProcess.class.getName(),
                        role,
                        socket.toString(),
                        Integer.toString(contextId)));
        final Process process = new ProcessBuilder(command).redirectError(log).start();
        final StringBuilder line = new StringBuilder();
        int read = process.getInputStream().read();
        while (read >= 0 && read != '\n') {
            line.append((char) read);
            read = process.getInputStream().read();
        }
        if (!line.toString().equals("ready")) {
            process.destroyForcibly().onExit().join();
            throw new IOException("the child process printed '" + line + "'");
        }
        return process;
    }

    /** Runs one; see {@link #start}. */
    public static void main(final String[] arguments) throws Exception {
        final Path socket = Path.of(arguments[1]);
        if (arguments[0].equals("node")) {
            node(socket);
        } else if (arguments[0].equals("lend") || arguments[0].equals("send")) {
            lend(socket, Integer.parseInt(arguments[2]), arguments[0].equals("send"));
        } else {
            application(socket, Integer.parseInt(arguments[2]), arguments[0].equals("hold"));
        }
    }

    private static void node(final Path socket) throws Exception {
        final int incarnation = (int) ProcessHandle.current().pid();
        try (TestNode node = new TestNode(256, incarnation).start();
                AttachServer server =
                        new AttachServer(node.manager, socket, AttachAccess.ownUser()).start()) {
            System.out.println("ready");
            while (server.refused() >= 0) {
                LockSupport.parkNanos(1_000_000_000L);
            }
        }
    }

    /** Lends a region and perhaps sends all of it, though it has never touched a page of it. */
    private static void lend(final Path socket, final int contextId, final boolean isSent)
            throws Exception {
        try (PmDevice device = PmDevice.attach(socket);
                PmContext context = device.openContext(contextId);
                PmRegion region = device.openRegion(isSent ? SENT_BYTES : LENT_BYTES)) {
            if (isSent) {
                sendAll(context, region);
            }
            System.out.println("ready");
            while (device.isNodeAlive()) {
                LockSupport.parkNanos(1_000_000_000L);
            }
        }
    }

    private static void sendAll(final PmContext context, final PmRegion region) throws IOException {
        final PmMessage message = new PmMessage();
        final long end = region.lengthBytes();
        long offset = 0;
        while (offset < end || context.unfinishedSends() > 0) {
            final int length = (int) Math.min(context.maxLengthBytes(), end - offset);
            final int slot =
                    offset < end ? context.claim(0, context.contextId(), 0) : unfinished(context);
            if (slot >= 0) {
                context.sendFrom(slot, region, offset, length, 0);
                offset += length;
            } else if (slot != PmStatus.NO_BUFFERS) {
                throw new IOException("cannot send: " + PmStatus.name(slot));
            }
            while (context.receive(message) == PmStatus.OK) {
                context.release(message);
            }
        }
    }

    private static int unfinished(final PmContext context) {
        return context.await(1_000) == PmStatus.NODE_GONE
                ? PmStatus.NODE_GONE
                : PmStatus.NO_BUFFERS;
    }

    private static void application(final Path socket, final int contextId, final boolean isHolding)
            throws Exception {
        try (PmDevice device = PmDevice.attach(socket);
                PmContext context = device.openContext(contextId)) {
            System.out.println("ready");
            final PmMessage message = new PmMessage();
            int status = PmStatus.OK;
            while (status == PmStatus.OK || status == PmStatus.TIMED_OUT) {
                status = context.await(1_000_000_000L);
                while (context.receive(message) == PmStatus.OK) {
                    if (!isHolding) {
                        echo(context, message);
                    }
                }
            }
            System.out.println(PmStatus.name(status));
        }
    }

    private static void echo(final PmContext context, final PmMessage message) {
        final int length = message.lengthBytes();
        int slot = PmStatus.NO_BUFFERS;
        while (slot == PmStatus.NO_BUFFERS) {
            slot = context.claim(message.sourceNode(), message.sourceContext(), length);
        }
        context.sendBuffer(slot).putBytes(0, message.buffer(), 0, length);
        context.send(slot, length, message.tag());
        context.release(message);
    }
}
