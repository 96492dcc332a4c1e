package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.pm.PmDevice;
import io.hxb.testing.LoadedClasses;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A node that is started with almost no descriptors left. */
@Tag("system")
class FewDescriptorsTest {
    private static final int RLIMIT_NOFILE = 7;
    private static final int MAX_LEFT = 48;
    private static final int PORT = TestPorts.take(4);
    private static final FunctionDescriptor LIMIT =
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
    private static final MethodHandle SETRLIMIT = Linux.bind("setrlimit", LIMIT);
    private static final MethodHandle GETRLIMIT = Linux.bind("getrlimit", LIMIT);

    private static long[] limit() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final long at = arena.allocate(16, 8).address();
            assertEquals(0, (int) GETRLIMIT.invokeExact(Linux.errnoSegment(), RLIMIT_NOFILE, at));
            return new long[] {Memory.getLong(at), Memory.getLong(at + 8)};
        }
    }

    private static void limit(final long soft, final long hard) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final long at = arena.allocate(16, 8).address();
            Memory.putLong(at, soft);
            Memory.putLong(at + 8, hard);
            assertEquals(0, (int) SETRLIMIT.invokeExact(Linux.errnoSegment(), RLIMIT_NOFILE, at));
        }
    }

    /** What is open: numbers and what they stand for, such as {@code 7 socket:[4711]}. */
    private static Set<String> open() {
        final Set<String> open = new TreeSet<>();
        for (final String number : new File("/proc/self/fd").list()) {
            try {
                open.add(number + " " + Files.readSymbolicLink(Path.of("/proc/self/fd", number)));
            } catch (final IOException e) {
                // Closed meanwhile, as that of this folder.
            }
        }
        return open;
    }

    /** What is open that was not before; others of this process may close theirs meanwhile. */
    private static Set<String> openSince(final Set<String> before) {
        final Set<String> since = open();
        since.removeAll(before);
        return since;
    }

    /** Takes all numbers below the limit but {@code left}. */
    private static List<Integer> take(final long soft, final int left) throws LinuxException {
        final List<Integer> taken = new ArrayList<>();
        while (taken.isEmpty() || taken.getLast() < soft - 1) {
            try {
                taken.add(Descriptors.duplicate(0));
            } catch (final LinuxException e) {
                break;
            }
        }
        for (int i = 0; i < left; i++) {
            Descriptors.close(taken.removeLast());
        }
        return taken;
    }

    @Test
    void shouldReportWhatToDoAndLeaveNothingOpen() throws Throwable {
        // given a node that starts when there are descriptors, and whose loops load no classes
        // later
        final ClusterConfig config =
                ClusterConfig.of("few", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, PORT));
        final NodeOptions options = NodeOptions.service(config, 0);
        for (final Class<?> member : List.of(Node.class, Shape.class, PmDevice.class)) {
            LoadedClasses.load(member);
        }
        Node.start(options).close();
        final Set<String> before = open();
        final long[] usual = limit();
        final long soft = before.size() + 100L;
        int failed = 0;
        boolean hasStarted = false;

        // when it is started with ever more of them
        limit(soft, usual[1]);
        try {
            for (int left = 0; left <= MAX_LEFT && !hasStarted; left++) {
                final List<Integer> taken = take(soft, left);
                Throwable thrown = null;
                try {
                    Node.start(options).close();
                    hasStarted = true;
                } catch (final IOException | RuntimeException | Error e) {
                    thrown = e;
                } finally {
                    taken.forEach(Descriptors::close);
                }
                if (thrown != null) {
                    failed++;
                    assertTrue(thrown.getMessage().contains("ulimit -n"), thrown::toString);
                    // Memory goes back on a thread of its own.
                    TestNamespaces.await(
                            () -> "nothing is left open: " + openSince(before),
                            () -> openSince(before).isEmpty());
                }
            }
        } finally {
            limit(usual[0], usual[1]);
        }
        assertTrue(hasStarted);
        assertTrue(failed > 5, "failed " + failed);
    }
}
