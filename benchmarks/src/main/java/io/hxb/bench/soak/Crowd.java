package io.hxb.bench.soak;

import io.hxb.bench.harness.Child;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The programs at the nodes of a long run: one that talks to all others at each node, and from time
 * to time one that takes all it gets. They are killed and started again, except for the one at node
 * 0. Owned by one thread.
 */
final class Crowd implements AutoCloseable {
    /** Figures that are added up over all processes there have been. */
    static final List<String> TOTALS =
            List.of(
                    "sent_messages",
                    "sent_bytes",
                    "received_messages",
                    "received_bytes",
                    "failed_messages",
                    "corrupt_messages",
                    "repeated_messages",
                    "lost_messages",
                    "attached");

    private static final long SECOND = 1_000_000_000L;
    private static final List<String> FLAGS = List.of("-Xmx64m", "-XX:TieredStopAtLevel=1");

    private final ProcessLab lab;
    private final Path folder;
    private final SplittableRandom random;
    private final int messagesPerSecond;
    private final Child[] talkers;
    private final List<Child> hogs = new ArrayList<>();
    private final Map<String, Long> ended = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private long killNs;
    private long hogNs;
    private int kills;
    private int hogCount;

    Crowd(
            final ProcessLab lab,
            final Path folder,
            final SplittableRandom random,
            final int messagesPerSecond)
            throws IOException {
        this.lab = lab;
        this.folder = folder;
        this.random = random;
        this.messagesPerSecond = messagesPerSecond;
        talkers = new Child[lab.nodes()];
        for (int node = 0; node < talkers.length; node++) {
            talkers[node] = startTalker(node);
        }
        killNs = System.nanoTime() + 10 * SECOND;
        hogNs = killNs;
    }

    private Child startTalker(final int node) throws IOException {
        return Child.start(
                Peers.java(
                        FLAGS,
                        SoakApplication.class,
                        lab.config().socketPath(node).toString(),
                        Integer.toString(lab.nodes()),
                        Integer.toString(messagesPerSecond)),
                folder.resolve("application-" + node + ".log"));
    }

    /** Kills and starts what is due; finds those that have ended by themselves. */
    void turn(final long nowNs) throws IOException {
        for (int node = 0; node < talkers.length; node++) {
            if (!talkers[node].isAlive()) {
                problems.add("the program at node " + node + " ended: " + talkers[node].end());
                replace(node);
            }
        }
        if (nowNs - killNs >= 0) {
            killNs = nowNs + SECOND * random.nextInt(4, 12);
            final int node = 1 + random.nextInt(talkers.length - 1);
            kills++;
            talkers[node].kill();
            talkers[node].close();
            replace(node);
        }
        if (nowNs - hogNs >= 0) {
            hogNs = nowNs + SECOND * random.nextInt(6, 20);
            killHogs();
            hogCount++;
            hogs.add(
                    Child.start(
                            Peers.java(
                                    FLAGS,
                                    SoakHog.class,
                                    lab.config().socketPath(random.nextInt(lab.nodes())).toString(),
                                    Integer.toString(lab.nodes())),
                            folder.resolve("hog.log")));
        }
    }

    private void replace(final int node) throws IOException {
        final JsonNode last = talkers[node].last();
        TOTALS.forEach(name -> ended.merge(name, last.path(name).asLong(), Long::sum));
        talkers[node] = startTalker(node);
    }

    private void killHogs() {
        hogs.forEach(Child::close);
        hogs.clear();
    }

    /**
     * Has all programs finish what is under way and be quiet; {@link #isQuiet} returns whether they
     * have.
     */
    void rest() {
        killHogs();
        notifyAllParts("pause");
    }

    boolean isQuiet() {
        for (final Child talker : talkers) {
            if (!talker.last().path("quiet").asBoolean(false)) {
                return false;
            }
        }
        return true;
    }

    /** The programs that are not quiet, and what each reports. */
    String restless() {
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < talkers.length; node++) {
            if (!talkers[node].last().path("quiet").asBoolean(false)) {
                text.append(" node ").append(node).append(": ").append(talkers[node].last());
            }
        }
        return text.toString();
    }

    void goOn() {
        killNs = System.nanoTime() + 3 * SECOND;
        hogNs = killNs;
        notifyAllParts("go");
    }

    private void notifyAllParts(final String order) {
        for (final Child talker : talkers) {
            talker.send(order);
        }
    }

    /** Process of the program at node 0, which is never killed. */
    long steadyPid() {
        return talkers[0].pid();
    }

    /** A figure of all programs so far. */
    long total(final String name) {
        long sum = ended.getOrDefault(name, 0L);
        for (final Child talker : talkers) {
            sum += talker.last().path(name).asLong();
        }
        return sum;
    }

    /** A figure of the programs that run now. */
    long now(final String name) {
        long sum = 0;
        for (final Child talker : talkers) {
            sum += talker.last().path(name).asLong();
        }
        return sum;
    }

    int kills() {
        return kills;
    }

    int hogCount() {
        return hogCount;
    }

    /** What went wrong with them; cleared by asking. */
    List<String> takeProblems() {
        final List<String> all = List.copyOf(problems);
        problems.clear();
        return all;
    }

    @Override
    public void close() {
        notifyAllParts("end");
        killHogs();
        for (final Child talker : talkers) {
            talker.close();
        }
    }
}
