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

    @Option(names = "--role", required = true, description = "ping, pong, send or sink")
    private String role;

    @Option(names = "--aeron", arity = "2", description = "own and peer's address:port")
    private String[] aeron;

    @Option(
            names = "--aeron-driver",
            description =
                    "folder of a driver in a process of its own; with --aeron \"\" \"\" over its"
                            + " shared memory")
    private String aeronDriver;

    @Option(names = "--raw", description = "NIC for bare frames")
    private String nic;

    @Option(names = "--overhead", description = "bytes that bare frames add to a message")
    private int overheadBytes;

    @Option(names = "--size", defaultValue = "32", description = "bytes of a message")
    private int size;

    @Option(
            names = "--whole",
            description = "copy every byte of messages of up to a frame, at both ends")
    private boolean isWhole;

    @Option(names = "--rate", defaultValue = "0", description = "messages a second, 0 = full speed")
    private double rate;

    @Option(names = "--mtu", defaultValue = "8960", description = "Aeron's MTU")
    private int mtu;

    @Option(names = "--window", defaultValue = "131072", description = "Aeron's window in bytes")
    private int window;

    @Option(
            names = "--cpu",
            defaultValue = "-1",
            description = "of this end's thread; the JIT's threads go where there is room")
    private int cpu;

    @Option(names = "--warmup", defaultValue = "3", description = "seconds")
    private double warmUp;

    @Option(names = "--seconds", defaultValue = "2", description = "of measuring")
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
        say(Map.of("ready", true));
        try (Transport transport = open()) {
            final Loops loops =
                    new Loops(transport, size, (long) (warmUp * 1e9), (long) (seconds * 1e9));
            switch (role) {
                case "ping" -> say(loops.ping());
                case "pong" -> loops.pong();
                case "send" -> say(loops.send(rate));
                case "sink" -> {
                    say(loops.sink());
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

    private static void say(final Map<String, ?> figures) {
        System.out.println(JSON.writeValueAsString(figures));
        System.out.flush();
    }
}
