/**
 * The links of one dimension used as one: each link's place and its state towards each neighbour,
 * and the sender that chooses the link that the next frame takes.
 */
package io.hxb.trunk;
