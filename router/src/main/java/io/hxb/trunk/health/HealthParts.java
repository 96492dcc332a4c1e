package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;

/**
 * What the health of all neighbours of a node shares. Guarded by the lock of {@link TrunkHealth}.
 *
 * @param config when a link counts as failed and when as healed.
 * @param unheardNs time after which a link on which nothing at all arrives has failed.
 * @param patience how long a silence may last.
 * @param traffic what the loops have sent and received.
 * @param publisher tells everybody else of changes.
 */
record HealthParts(
        TrunkConfig config,
        long unheardNs,
        Patience patience,
        NodeTraffic traffic,
        LinkPublisher publisher) {}
