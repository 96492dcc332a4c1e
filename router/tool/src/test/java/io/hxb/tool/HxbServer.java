package io.hxb.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that runs one short command after another, as {@link Hxb} would run each in a process
 * of its own. Starting a JVM takes longer than most of them. Used by one test at a time.
 */
final class HxbServer implements AutoCloseable {
    private final Path folder;
    private final Process process;
    private final DataOutputStream requests;
    private final DataInputStream replies;

    private HxbServer(final Path folder, final Process process) {
        this.folder = folder;
        this.process = process;
        requests = new DataOutputStream(process.getOutputStream());
        replies = new DataInputStream(process.getInputStream());
    }

    /** Starts one whose commands remember labs in {@code folder}, as those of HxbProcess do. */
    static HxbServer start(final Path folder) throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder(FastStart.command(HxbServer.class, List.of()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        HxbProcess.prepare(builder.environment(), folder);
        return new HxbServer(folder, builder.start());
    }

    /** Runs a command to its end; returns its exit status. */
    int run(final Path output, final Path errors, final List<String> arguments) throws IOException {
        requests.writeUTF(output.toString());
        requests.writeUTF(errors.toString());
        requests.writeInt(arguments.size());
        for (final String argument : arguments) {
            requests.writeUTF(argument);
        }
        requests.flush();
        return replies.readInt();
    }

    /** Whether its commands remember labs in this folder. */
    boolean serves(final Path other) {
        return process.isAlive() && folder.equals(other);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs what its standard input names, until that ends. */
    public static void main(final String[] arguments) throws IOException {
        try (DataInputStream requests = new DataInputStream(System.in);
                DataOutputStream replies =
                        new DataOutputStream(new FileOutputStream(FileDescriptor.out))) {
            while (true) {
                final String output = requests.readUTF();
                final String errors = requests.readUTF();
                final List<String> command = new ArrayList<>();
                for (int left = requests.readInt(); left > 0; left--) {
                    command.add(requests.readUTF());
                }
                replies.writeInt(run(output, errors, command.toArray(String[]::new)));
                replies.flush();
            }
        } catch (final EOFException e) {
            // The test has ended.
            System.exit(0);
        }
    }

    private static int run(final String output, final String errors, final String[] command)
            throws IOException {
        try (PrintStream text = new PrintStream(output, UTF_8);
                PrintStream messages = new PrintStream(errors, UTF_8)) {
            System.setOut(text);
            return Hxb.run(command, messages);
        }
    }
}
