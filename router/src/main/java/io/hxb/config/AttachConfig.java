package io.hxb.config;

import java.nio.file.Path;
import java.util.List;

/**
 * How applications reach the node and the tools its counters. Immutable.
 *
 * @param directory folder of the Unix sockets, one {@code <cluster>-<node id>.sock} a node.
 * @param countersDirectory folder of the counter files.
 * @param allowedUids users that may attach; the node's own user and root always may.
 * @param allowedGids groups whose processes may attach.
 */
public record AttachConfig(
        Path directory,
        Path countersDirectory,
        List<Integer> allowedUids,
        List<Integer> allowedGids) {

    /** What holds when the file says nothing. */
    public static final AttachConfig DEFAULT =
            new AttachConfig(Path.of("/run/hxb"), Path.of("/dev/shm/hxb"), List.of(), List.of());

    /** Checks the values. */
    public AttachConfig {
        allowedUids = List.copyOf(allowedUids);
        allowedGids = List.copyOf(allowedGids);
        new Check()
                .that(
                        allowedUids.stream().allMatch(id -> id >= 0),
                        "allowedUids",
                        "must be user ids, 0 or more: " + allowedUids)
                .that(
                        allowedGids.stream().allMatch(id -> id >= 0),
                        "allowedGids",
                        "must be group ids, 0 or more: " + allowedGids)
                .done();
    }
}
