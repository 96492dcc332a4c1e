package io.hxb.manager.control;

/**
 * What a host has sent to another in the last interval. Immutable.
 *
 * @param peer the other host.
 * @param vid of the frames now.
 * @param tableVid that the host's table has for the pair.
 * @param bytesPerSecond Ethernet headers included.
 * @param isClaimed whether others than this server have set the path.
 * @param isHalf whether frames of the peer come in another VID.
 */
record SentTraffic(
        int peer,
        int vid,
        int tableVid,
        double bytesPerSecond,
        boolean isClaimed,
        boolean isHalf) {}
