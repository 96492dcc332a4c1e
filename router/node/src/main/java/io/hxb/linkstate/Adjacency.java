package io.hxb.linkstate;

/**
 * What a node sees of one neighbour on one trunk. Immutable.
 *
 * @param neighbour node number.
 * @param links good links; an adjacency without any is none.
 * @param mtuBytes smallest MTU of these.
 * @param capacityMbps what they carry together: the sum of rate times weight.
 */
public record Adjacency(int neighbour, int links, int mtuBytes, long capacityMbps) {}
