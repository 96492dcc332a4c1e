/**
 * The links of one dimension used as one: each link's place and its state towards each neighbour,
 * and the sender that chooses the link that the next frame takes.
 *
 * <p>Links take turns. Every 16 frames a link, the sender asks each socket how much its NIC has not
 * sent (SIOCOUTQ). A link whose queue is 64 KiB longer than the shortest is skipped every second
 * time. Turns alone preserve a difference once it exists. The shortest queue alone would give all
 * frames to a link that swallows them, until its failure is detected.
 *
 * <p>The send buffers of raw links follow what the fastest link sends in 2 ms, between 128 KiB and
 * {@code socket.sendBuffer}. More gains nothing, and every other frame waits after it: with 1 MiB,
 * six links of 1 Gbit/s held 12 ms. A loop that refills a buffer may pause for 0.5 ms, and links
 * ran empty with 1 ms. One limit holds for all links of a trunk, because a link with a shorter
 * queue runs empty first and then looks dead.
 *
 * <p>Short frames of sparse flows, and those of flows themselves such as acknowledgements, do not
 * wait for their link's turn while bulk data waits: they are sent at once, on the link where the
 * least waits, also if it is full. Otherwise bulk flows, which wait for the same links, would take
 * whatever room there is. They may be an eighth of what is sent.
 */
package io.hxb.trunk;
