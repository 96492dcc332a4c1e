package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A program in Java and one in C find the same node when they name none. */
@Tag("system")
class NodeSearchTest {
    private static final String SEVERAL = "there are ";
    private static final String NONE = "none";

    /**
     * Of each line, a folder and names of sockets, makes the sockets, those with ! as of a node
     * that has died, and prints what {@code hxb_attach(NULL)} chooses. The search connects to a
     * socket once, and attaching connects again.
     */
    private static final String PROGRAM =
            """
            import ctypes, os, socket, sys, threading
            hxb = ctypes.CDLL(sys.argv[1])
            hxb.hxb_last_error.restype = ctypes.c_char_p
            accepted = {}
            def accept_all(server, path):
                while True:
                    connection = server.accept()[0]
                    accepted[path] += 1
                    connection.close()
            def make(path):
                server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                server.bind(path.removesuffix('!'))
                if path.endswith('!'):
                    server.close()
                    return
                server.listen()
                accepted[path] = 0
                threading.Thread(target=accept_all, args=(server, path), daemon=True).start()
            for line in sys.stdin:
                folder, *names = line.split()
                os.environ['HXB_RUN'] = folder
                for name in names:
                    make(folder + '/' + name)
                hxb.hxb_attach(None, ctypes.byref(ctypes.c_void_p()))
                error = hxb.hxb_last_error().decode()
                chosen = [path for path in accepted if path.startswith(folder) and accepted[path] > 1]
                several = error.find('there are ')
                if several >= 0:
                    print(error[several:], flush=True)
                else:
                    print('none' if 'no node runs here' in error else ' '.join(chosen), flush=True)
            """;

    private static final Map<String, List<String>> CASES =
            Map.of(
                    "a", List.of(),
                    "b", List.of("x-0.sock"),
                    "c", List.of("x-1.sock", "x-0.sock", "y-0.sock"),
                    "d", List.of("x.observe.sock", "manager.sock", "x-7.sock"),
                    "e", List.of("x-0.sock!", "x-1.sock"),
                    "f", List.of("x-0.sock!", "x.observe.sock"),
                    "g", List.of("x-0.sock!", "labs/l/l-0.sock", "labs/m/m.observe.sock"),
                    "h", List.of("a-b-12.sock", ".x-0.sock", "x-.sock", "x-1.sock.old"),
                    "i", List.of("x-1a.sock", "x1.sock", "-3.sock"));

    @TempDir private Path root;

    private String chosenByJava(final String folder) {
        try {
            return NodeSockets.find(Map.of(), List.of(root.resolve(folder))).toString();
        } catch (final PmException e) {
            final int at = e.getMessage().indexOf(SEVERAL);
            return at < 0 ? NONE : e.getMessage().substring(at);
        }
    }

    @Test
    void shouldFindTheSameNodeInJavaAndInC() throws Exception {
        // given
        LibHxb.assumePresent("python3", "python3");
        LibHxb.build(Build.PLAIN, "libhxb.so");
        final String library = Build.PLAIN.file("libhxb.so").toString();
        final Map<String, String> byC = new TreeMap<>();
        final Map<String, String> byJava = new TreeMap<>();
        try (LibHxb programs = new LibHxb()) {
            // an empty variable names no socket
            final Process python =
                    programs.start(Map.of("HXB_SOCKET", ""), "python3", "-c", PROGRAM, library);
            try (Writer lines = python.outputWriter()) {
                for (final Map.Entry<String, List<String>> each : CASES.entrySet()) {
                    final Path folder = Files.createDirectories(root.resolve(each.getKey()));
                    lines.write(folder + " " + String.join(" ", each.getValue()) + "\n");
                    lines.flush();
                    // when
                    byC.put(each.getKey(), LibHxb.line(python));
                    byJava.put(each.getKey(), chosenByJava(each.getKey()));
                }
            }
        }
        // then
        assertEquals(byJava, byC);
        assertEquals(NONE, byC.get("a"));
        assertEquals(NONE, byC.get("f"));
        assertEquals(root.resolve("d/x-7.sock").toString(), byC.get("d"));
        assertEquals(root.resolve("g/labs/l/l-0.sock").toString(), byC.get("g"));
        assertTrue(byC.get("c").contains("c/x-0.sock, "), byC::toString);
    }
}
