package io.hxb.session;

import io.hxb.frame.Nonce;

/**
 * What a session was made of: who has it, and the numbers that both nodes have sent to one another
 * in the clear. Together with the key of the cluster it gives the keys of the session, and without
 * it nothing. Immutable.
 *
 * @param keyId id of the key of the cluster.
 * @param low the lower one of the two nodes.
 * @param high the other one.
 * @param lowNonce of the lower node.
 * @param highNonce of the other one.
 */
public record SessionOrigin(int keyId, int low, int high, Nonce lowNonce, Nonce highNonce) {}
