package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;

import java.util.random.RandomGenerator;

/**
 * What the health of all neighbours of a node shares. Guarded by the lock of {@link TrunkHealth}.
 *
 * @param config when a link counts as failed and when as healed.
 * @param unheardNs time after which a link on which nothing at all arrives has failed.
 * @param silenceThreshold how long a silence may last.
 * @param traffic what the loops have sent and received.
 * @param kernel knows of frames that wait in the kernel.
 * @param publisher notifies listeners of changes.
 * @param random of the numbers in the first status frames to a neighbour.
 */
record HealthParts(
        TrunkConfig config,
        long unheardNs,
        SilenceThreshold silenceThreshold,
        NodeTraffic traffic,
        KernelBacklog kernel,
        LinkPublisher publisher,
        RandomGenerator random) {}
