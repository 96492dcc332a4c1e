package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.described;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.text;

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
    private static final String ADDRESS = "([^\\s:\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}";
    private static final int MAX_NIC_NAME = 15;

    /** The keys. */
    public static final ConfigSection<ManagerConfig> KEYS =
            ConfigSection.<ManagerConfig>of(
                    "manager",
                    v ->
                            new ManagerConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next()),
                    basic(
                            "plan",
                            text("file"),
                            "",
                            ManagerConfig::plan,
                            described("written by `hxb plan vlan --save`"),
                            "The host-tagged plan of the [network manager](../howto/vlan.md) that"
                                    + " the node runs on its host."),
                    basic(
                            "nic",
                            text("NIC"),
                            "",
                            ManagerConfig::nic,
                            described("with `manager.plan`"),
                            "NIC on the planned network;"
                                + " [several](../howto/vlan.md#several-nics-a-host) are separated"
                                + " by commas."),
                    basic(
                            "listen",
                            text("address such as `10.0.0.1:7070`"),
                            "",
                            ManagerConfig::listen,
                            described("`ADDRESS:PORT`"),
                            "The manager listens on TCP, too; beyond this machine it needs"
                                    + " `security.keys`."),
                    basic(
                            "state",
                            text("file"),
                            "",
                            ManagerConfig::state,
                            any(),
                            "Paths committed by `hxb route`, which the manager keeps over"
                                    + " restarts."),
                    advanced(
                            "keep",
                            text("folder in a BPF file system"),
                            "",
                            ManagerConfig::keep,
                            any(),
                            "Frames stay tagged when the node ends, until the files in this folder"
                                    + " are removed."),
                    advanced(
                            "tagger",
                            choice(TaggerChoice.class),
                            TaggerChoice.AUTO,
                            ManagerConfig::tagger,
                            described("`tap` only without `manager.keep`"),
                            "Tags the frames of `manager.nic`: BPF programs in the kernel, or a"
                                    + " thread with a [TAP device](../howto/vlan.md#without-bpf)."),
                    advanced(
                            "spinFor",
                            DURATION,
                            50_000L,
                            ManagerConfig::spinForNs,
                            range(0, 1_000_000_000),
                            "Time for which the manager looks for requests before it sleeps."),
                    new ConfigSection.Rule<>(
                            "nic",
                            manager -> manager.plan.isEmpty() || !manager.nic.isEmpty(),
                            manager -> "must be given, too: a manager needs a plan and a NIC"),
                    new ConfigSection.Rule<>(
                            "plan",
                            manager -> manager.nic.isEmpty() || !manager.plan.isEmpty(),
                            manager -> "must be given, too: a manager needs a plan and a NIC"),
                    new ConfigSection.Rule<>(
                            "nic",
                            manager ->
                                    Arrays.stream(manager.nic.split(","))
                                            .allMatch(name -> name.length() <= MAX_NIC_NAME),
                            manager -> "must have at most 15 characters each: " + manager.nic),
                    new ConfigSection.Rule<>(
                            "listen",
                            manager -> manager.listen.isEmpty() || manager.listen.matches(ADDRESS),
                            manager ->
                                    "must be ADDRESS:PORT, such as 10.0.0.1:7070: '"
                                            + manager.listen
                                            + "'"),
                    new ConfigSection.Rule<>(
                            "plan",
                            manager ->
                                    !manager.plan.isEmpty()
                                            || (manager.listen.isEmpty()
                                                    && manager.state.isEmpty()
                                                    && manager.keep.isEmpty()),
                            manager -> "must be given where there are other keys of the manager"),
                    new ConfigSection.Rule<>(
                            "keep",
                            manager -> manager.keep.isEmpty() || manager.tagger != TaggerChoice.TAP,
                            manager ->
                                    "must not be given with tagger tap: a TAP device goes with the"
                                            + " node"));

    /** The default: no manager. */
    public static final ManagerConfig DEFAULT = KEYS.defaults();

    /** True if there is one. */
    public boolean isWanted() {
        return !plan.isEmpty();
    }
}
