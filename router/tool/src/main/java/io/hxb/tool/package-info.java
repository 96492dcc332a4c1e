/**
 * The command line: {@link io.hxb.tool.Hxb}, its help, and the handling of commands that fail.
 *
 * <p>A command lives in {@code io.hxb.tool.WORD}, where {@code hxb WORD} is what users type, or
 * below that, together with what only it needs; one that consists of a single class is here. What
 * several commands share is in packages that have no commands: {@code option} and {@code report}
 * (their options and their output), {@code cluster}, {@code live} and {@code measure} (what nodes
 * are, do now, and can do), {@code lab}, {@code graph}, {@code chart} and {@code machine}.
 */
package io.hxb.tool;
