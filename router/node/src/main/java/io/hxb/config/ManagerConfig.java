package io.hxb.config;

import java.util.Arrays;

/**
 * The network manager of each node's host, where plain switches carry other traffic along planned
 * VLANs. Immutable.
 *
 * @param plan file of the plan, as {@code hxb plan vlan --save} writes it; empty for no manager.
 * @param nic NIC on the planned network; several, with commas between, where the hosts of the plan
 *     have several.
 * @param listen TCP address besides the Unix socket, as {@code ADDRESS:PORT}; empty for none.
 * @param state file of committed paths; empty for none.
 * @param keep folder in a BPF file system by which frames stay tagged when the node ends; empty for
 *     none.
 * @param tagger who tags the frames.
 * @param spinForNs how long its thread looks for requests before it sleeps.
 */
public record ManagerConfig(
        String plan,
        String nic,
        String listen,
        String state,
        String keep,
        TaggerChoice tagger,
        long spinForNs) {
    /** What holds when the file says nothing: no manager. */
    public static final ManagerConfig DEFAULT =
            new ManagerConfig("", "", "", "", "", TaggerChoice.AUTO, 50_000);

    private static final String ADDRESS = "([^\\s:\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}";
    private static final int MAX_NIC_NAME = 15;

    /** Checks the values. */
    public ManagerConfig {
        new Check()
                .that(
                        plan.isEmpty() == nic.isEmpty(),
                        plan.isEmpty() ? "plan" : "nic",
                        "must be given, too: a manager needs a plan and a NIC")
                .that(
                        Arrays.stream(nic.split(",")).allMatch(n -> n.length() <= MAX_NIC_NAME),
                        "nic",
                        "must have at most 15 characters each: " + nic)
                .that(
                        listen.isEmpty() || listen.matches(ADDRESS),
                        "listen",
                        "must be ADDRESS:PORT, such as 10.0.0.1:7070: '" + listen + "'")
                .that(
                        !plan.isEmpty() || (listen.isEmpty() && state.isEmpty() && keep.isEmpty()),
                        "plan",
                        "must be given where there are other keys of the manager")
                .that(
                        keep.isEmpty() || tagger != TaggerChoice.TAP,
                        "keep",
                        "must not be given with tagger tap: a TAP device goes with the node")
                .duration("spinFor", spinForNs, 0, 1_000_000_000)
                .done();
    }

    /** True if there is one. */
    public boolean isWanted() {
        return !plan.isEmpty();
    }
}
