package io.hxb.tool.measure;

import io.hxb.node.service.ServiceProtocol;

import java.util.Optional;
import java.util.OptionalLong;

/** Which contexts take measured messages. Owned by the thread that measures. */
public interface Receivers extends AutoCloseable {
    /** The nodes' own contexts, which take messages that come as one. */
    Receivers NODES =
            new Receivers() {
                @Override
                public int context(final int node) {
                    return ServiceProtocol.CONTEXT;
                }

                @Override
                public OptionalLong cpuNs() {
                    return OptionalLong.empty();
                }

                @Override
                public Optional<String> problem() {
                    return Optional.empty();
                }

                @Override
                public void close() {
                    // Nothing was opened.
                }
            };

    /**
     * The context of a program that takes messages which come as one at a node, the next one being
     * for longer ones; 0, the node's own, if there is no such program.
     */
    int context(int node);

    /** CPU time that the receiving processes of this machine have used; empty if it is unknown. */
    OptionalLong cpuNs();

    /** Why they can receive no more; empty if they can. */
    Optional<String> problem();

    @Override
    void close();
}
