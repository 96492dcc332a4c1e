/**
 * How destinations share what a context has of something: send buffers, operations.
 *
 * <p>A destination may have eight times as many as are free, divided by the destinations that have
 * any. An eighth of all does not count as free and is kept for destinations with fewer than four.
 * The first one is always granted. A destination of which nothing was completed, while twice as
 * many as there are were completed of others, may have an eighth. One destination alone has 200 of
 * 256 send buffers.
 *
 * <p>Fixed parts would give one destination a fraction, and the number of destinations is not
 * known. A threshold that follows what is free adapts by itself. Without it one receiver of eight
 * that did not read held all 256 buffers, and its sender could send to nobody. Contexts of fewer
 * than 8 buffers have no reserve.
 *
 * <p>Source: Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches, 1998; division by busy destinations: Addanki et al., ABM, 2022.
 */
package io.hxb.pm.share;
