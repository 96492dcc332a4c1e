/**
 * Real nodes under everything that may happen to them at once or for long, while every byte is
 * checked and everything that could grow is watched.
 */
package io.hxb.bench.soak;
