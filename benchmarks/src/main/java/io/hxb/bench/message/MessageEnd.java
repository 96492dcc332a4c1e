package io.hxb.bench.message;

import io.hxb.linux.Threads;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;

/** One end of a message benchmark, as a program; prints lines of JSON. One thread. */
@Command(name = "message-end", mixinStandardHelpOptions = true)
public final class MessageEnd implements Callable<Integer> {
    private static final JsonMapper JSON = new JsonMapper();

    @Mixin private final HxbEndOptions hxb = new HxbEndOptions();

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            required = true,
            description = "act as ping, pong, send or sink")
    private String role;

    @Option(
            names = "--aeron",
            paramLabel = "ADDRESS:PORT",
            arity = "2",
            description = "send by Aeron from the first to the second address")
    private String[] aeron;

    @Option(
            names = "--aeron-driver",
            paramLabel = "FOLDER",
            description =
                    "use the driver of this folder in a process of its own; with --aeron \"\""
                            + " \"\" over its shared memory")
    private String aeronDriver;

    @Option(names = "--raw", paramLabel = "NIC", description = "send bare frames by this NIC")
    private String nic;

    @Option(
            names = "--overhead",
            paramLabel = "BYTES",
            description = "add this many bytes to a message in bare frames")
    private int overheadBytes;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "32",
            description = "send messages of this size (default: ${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = "--whole",
            description = "copy every byte of messages of up to a frame, at both ends")
    private boolean isWhole;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "send this many messages a second; 0: as many as possible (default: "
                            + "${DEFAULT-VALUE})")
    private double rate;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "8960",
            description = "set Aeron's MTU (default: ${DEFAULT-VALUE})")
    private int mtu;

    @Option(
            names = "--window",
            paramLabel = "BYTES",
            defaultValue = "131072",
            description = "set Aeron's window (default: ${DEFAULT-VALUE})")
    private int window;

    @Option(
            names = "--cpu",
            paramLabel = "N",
            defaultValue = "-1",
            description =
                    "pin this end's thread to this CPU; -1: to none (default: "
                            + "${DEFAULT-VALUE})")
    private int cpu;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "send for this long before measuring (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "measure for this long (default: ${DEFAULT-VALUE})")
    private double seconds;

    private MessageEnd() {}

    /** Runs one end. */
    public static void main(final String[] arguments) {
        System.exit(
                new CommandLine(new MessageEnd())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        if (cpu >= 0) {
            Threads.pin(cpu);
        }
        print(Map.of("ready", true));
        try (Transport transport = open()) {
            final Loops loops =
                    new Loops(transport, size, (long) (warmUp * 1e9), (long) (seconds * 1e9));
            switch (role) {
                case "ping" -> print(loops.ping());
                case "pong" -> loops.pong();
                case "send" -> print(loops.send(rate));
                case "sink" -> {
                    print(loops.sink());
                    loops.drain();
                }
                default -> throw new IllegalArgumentException("no such role: " + role);
            }
        }
        return 0;
    }

    private Transport open() throws IOException {
        final boolean isServer = role.equals("pong") || role.equals("sink");
        final Contents contents = isWhole ? Contents.whole(size) : Contents.untouched();
        if (aeronDriver != null) {
            return AeronTransport.attached(aeronDriver, aeron[0], aeron[1], isServer, contents);
        }
        if (aeron != null) {
            return AeronTransport.embedded(aeron[0], aeron[1], isServer, mtu, window);
        }
        if (nic != null) {
            return new RawTransport(nic, overheadBytes);
        }
        return hxb.open(size, isServer, contents);
    }

    private static void print(final Map<String, ?> figures) {
        System.out.println(JSON.writeValueAsString(figures));
        System.out.flush();
    }
}
