/**
 * The links of one dimension used as one: each link's place and what it is to each neighbour, and
 * the sender that chooses the link that the next frame takes.
 */
package io.hxb.trunk;
