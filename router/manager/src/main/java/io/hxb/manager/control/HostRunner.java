package io.hxb.manager.control;

import java.util.List;
import java.util.function.Consumer;

/** Does something with many hosts, each of which may take its time. */
@FunctionalInterface
public interface HostRunner {
    /** One host after the other, in the thread of the caller. */
    HostRunner IN_TURN =
            (hosts, action) -> {
                hosts.forEach(action);
                return hosts;
            };

    /**
     * Does it, and waits for a limited time.
     *
     * @return the hosts with which it is done; others must be left alone until a later call returns
     *     them.
     */
    List<ManagedHost> run(List<ManagedHost> hosts, Consumer<ManagedHost> action);
}
