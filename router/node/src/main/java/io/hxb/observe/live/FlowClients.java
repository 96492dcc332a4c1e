package io.hxb.observe.live;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.attach.FlowClient;
import io.hxb.pm.attach.FlowListing;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Connections to the nodes of this machine that are asked for their flows again and again. Owned by
 * one thread.
 */
public final class FlowClients implements AutoCloseable {
    private final ClusterConfig config;
    private final Map<Integer, FlowClient> clients = new HashMap<>();

    /** None yet, to nodes of a cluster. */
    public FlowClients(final ClusterConfig config) {
        this.config = config;
    }

    /**
     * What a node lists; connects to it if need be. Blocks, at most some seconds.
     *
     * @param view {@link FlowListing#OWN_VIEW} or {@link FlowListing#viewOf}.
     * @throws IOException if there is no answer; the message gives the reason.
     */
    public FlowListing list(final int node, final long view) throws IOException {
        FlowClient client = clients.remove(node);
        if (client == null) {
            client = new FlowClient(config.socketPath(node));
        }
        try {
            final FlowListing listing = client.list(view);
            clients.put(node, client);
            return listing;
        } finally {
            if (!clients.containsKey(node)) {
                client.close();
            }
        }
    }

    /** Closes the connections; the next question makes new ones. */
    @Override
    public void close() {
        clients.values().forEach(FlowClient::close);
        clients.clear();
    }
}
