/**
 * Long runs: a cluster of real nodes to which everything happens at once, while every byte is
 * checked and everything that could grow is watched.
 */
package io.hxb.bench.soak;
