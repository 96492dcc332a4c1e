package io.hxb.tool.trace;

/**
 * One way of traced frames between two nodes. Immutable; the JSON fields are the components.
 *
 * @param path nodes and the links between them in turn: {@code 0,0 x.0 1,0 y.1 1,1}.
 * @param frames frames that went by it.
 * @param percent share of the frames, rounded.
 */
public record TracedPath(String path, int frames, long percent) {}
