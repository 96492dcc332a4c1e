package io.hxb.context;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.FlowClient;
import io.hxb.pm.attach.ListedFlow;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A process of another user for tests, which follows orders in lines: attaches, opens contexts,
 * sends and receives, looks through its memory, and answers each with a line. Starting one needs
 * root.
 */
public final class OtherUser implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final PrintStream orders;

    private OtherUser(final Process process) {
        this.process = process;
        answers = process.inputReader(StandardCharsets.UTF_8);
        orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Starts one.
     *
     * @param groups supplementary groups.
     */
    public static OtherUser start(
            final Path socket, final int uid, final int gid, final List<Integer> groups)
            throws IOException {
        final List<String> command =
                new ArrayList<>(List.of("setpriv", "--reuid", "" + uid, "--regid", "" + gid));
        if (groups.isEmpty()) {
            command.add("--clear-groups");
        } else {
            command.add("--groups");
            command.add(String.join(",", groups.stream().map(String::valueOf).toList()));
        }
        // The files of the build may be readable for root only.
        command.addAll(
                List.of(
                        "--inh-caps=-all,+dac_read_search",
                        "--ambient-caps=-all,+dac_read_search",
                        "--bounding-set=-all,+dac_read_search"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherUser.class.getName(),
                        socket.toString()));
        return new OtherUser(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Gives an order, without waiting for what comes of it. */
    public void order(final String order) {
        orders.println(order);
    }

    /** The answer to the order that was given longest ago. */
    public String answer() throws IOException {
        return answers.readLine();
    }

    /** Gives an order: what comes of it. */
    public String request(final String order) throws IOException {
        order(order);
        return answer();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs one; see {@link #start}. */
    public static void main(final String[] arguments) throws IOException {
        final Child child = new Child(Path.of(arguments[0]));
        final BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = child.run(line.split(" ", -1));
            } catch (final IOException | RuntimeException e) {
                answer = "failed: " + e.getMessage();
            }
            System.out.println(answer);
        }
    }

    private static final class Child {
        private static final long LIMIT_NS = 60_000_000_000L;
        private static final long MILLISECOND_NS = 1_000_000L;
        private static final long FLOOD_NS = 1_000_000_000L;
        private static final PmContextOptions SMALL =
                PmContextOptions.DEFAULT.withSendBuffers(16).withPeerWaitNs(0);

        private final Path socket;
        private final List<PmDevice> devices = new ArrayList<>();
        private final List<PmContext> contexts = new ArrayList<>();
        private final PmMessage message = new PmMessage();
        private final PmEvent event = new PmEvent();

        Child(final Path socket) {
            this.socket = socket;
        }

        String run(final String[] words) throws IOException {
            return switch (words[0]) {
                case "attach" -> {
                    devices.add(PmDevice.attach(socket));
                    yield "attached";
                }
                case "open" -> {
                    contexts.add(devices.getFirst().openContext(number(words, 1), SMALL));
                    yield "opened";
                }
                case "send" -> send(contexts.getFirst(), number(words, 1), number(words, 2));
                case "flood" -> flood(contexts.getFirst(), number(words, 1), number(words, 2));
                case "burst" ->
                        burst(
                                contexts.getFirst(),
                                number(words, 1),
                                number(words, 2),
                                number(words, 3));
                case "flows" -> flows(Long.parseLong(words[1]));
                case "receive" -> receive(contexts.getFirst());
                case "drain" -> drain(contexts.getFirst());
                case "scan" -> MemoryScan.places(Long.parseUnsignedLong(words[1], 16)).toString();
                default -> throw new IllegalArgumentException(words[0]);
            };
        }

        private static int number(final String[] words, final int index) {
            return Integer.parseInt(words[index]);
        }

        /** The flows that a view shows: own context and peer of each. */
        private String flows(final long view) throws IOException {
            try (FlowClient client = new FlowClient(socket)) {
                return client.list(view).flows().stream()
                        .map(ListedFlow::ends)
                        .map(
                                ends ->
                                        ends.context()
                                                + " to "
                                                + ends.peerNode()
                                                + ":"
                                                + ends.peerContext())
                        .sorted()
                        .collect(Collectors.joining(", "));
            }
        }

        private String send(final PmContext context, final int node, final int peer) {
            forgetEvents(context);
            final long untilNs = System.nanoTime() + LIMIT_NS;
            int slot = context.claim(node, peer, 8);
            while (slot < 0 && System.nanoTime() < untilNs) {
                // Messages that were held back have all slots.
                context.awaitSends(100 * MILLISECOND_NS);
                slot = context.claim(node, peer, 8);
            }
            context.send(slot, 8, 42);
            while (context.unfinishedSends() > 0 && System.nanoTime() < untilNs) {
                context.awaitSends(100 * MILLISECOND_NS);
            }
            // What has failed is done, too, and an event has the reason.
            if (context.pollEvent(event) == PmStatus.OK) {
                return event.toString();
            }
            return context.unfinishedSends() == 0 ? "sent" : "nothing happened";
        }

        /** A message that fails causes an event and, a little later, one of its flow. */
        private void forgetEvents(final PmContext context) {
            int earlier = context.pollEvent(event);
            while (earlier == PmStatus.OK) {
                earlier = context.pollEvent(event);
            }
        }

        /** Sends empty messages for a second: how many were sent. */
        private static String flood(final PmContext context, final int node, final int peer) {
            final long startNs = System.nanoTime();
            int sent = 0;
            while (System.nanoTime() - startNs < FLOOD_NS) {
                final int slot = context.claim(node, peer, 0);
                if (slot >= 0) {
                    context.send(slot, 0, sent);
                    sent++;
                } else {
                    context.awaitSends(MILLISECOND_NS);
                }
            }
            return sent + " in " + (System.nanoTime() - startNs);
        }

        /** Sends empty messages until all are acknowledged. */
        private static String burst(
                final PmContext context, final int node, final int peer, final int count) {
            int sent = 0;
            final long untilNs = System.nanoTime() + LIMIT_NS;
            while ((sent < count || context.unfinishedSends() > 0) && System.nanoTime() < untilNs) {
                final int slot = sent < count ? context.claim(node, peer, 0) : -1;
                if (slot >= 0) {
                    context.send(slot, 0, sent);
                    sent++;
                } else {
                    context.awaitSends(10 * MILLISECOND_NS);
                }
            }
            return context.unfinishedSends() == 0 ? "sent" : sent + " sent";
        }

        private String drain(final PmContext context) {
            while (context.receive(message) == PmStatus.OK) {
                context.release(message);
            }
            return "received";
        }

        private String receive(final PmContext context) {
            final long untilNs = System.nanoTime() + LIMIT_NS;
            int status = context.await(LIMIT_NS);
            while (status == PmStatus.EVENT && System.nanoTime() < untilNs) {
                forgetEvents(context);
                status = context.await(LIMIT_NS);
            }
            if (status != PmStatus.OK) {
                return PmStatus.name(status);
            }
            context.receive(message);
            final String from = "from " + message.sourceNode() + ":" + message.sourceContext();
            context.release(message);
            return from;
        }
    }
}
