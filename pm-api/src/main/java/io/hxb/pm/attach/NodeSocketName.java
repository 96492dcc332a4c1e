package io.hxb.pm.attach;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Names of the sockets of nodes in a folder. Others in it are of those who look at nodes ({@code
 * CLUSTER.observe.sock}) and of managers. The same rule is in {@code wire/find.c}. Stateless.
 */
public final class NodeSocketName {
    /** CLUSTER-NODE.sock, not hidden. */
    private static final Pattern OF_NODE = Pattern.compile("(?!\\.)(?s:.*)-[0-9]+\\.sock");

    private NodeSocketName() {}

    /** True if a file with this name is the socket of a node. */
    public static boolean isOfNode(final Path file) {
        final Path name = file.getFileName();
        return name != null && OF_NODE.matcher(name.toString()).matches();
    }
}
