package io.hxb.pm;

import io.hxb.linux.UnixSocket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Explains why a node that runs does not answer, and what helps. Stateless. */
final class StoppedNode {
    private StoppedNode() {}

    /** The half sentence for the process at the other end of the node's socket. */
    static String describe(final UnixSocket.Peer peer) {
        if (isStopped(peer.pid())) {
            return "process "
                    + peer.pid()
                    + " is stopped, by a signal or a debugger (kill -CONT "
                    + peer.pid()
                    + " lets it go on)";
        }
        return "it hangs, or its machine is overloaded";
    }

    private static boolean isStopped(final int pid) {
        try {
            final String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            final int state = stat.lastIndexOf(')') + 2;
            return state < stat.length() && "Tt".indexOf(stat.charAt(state)) >= 0;
        } catch (final IOException e) {
            // In another pid namespace, or gone meanwhile.
            return false;
        }
    }
}
