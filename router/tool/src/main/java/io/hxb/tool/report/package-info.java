/**
 * How all commands report: errors for people, JSON for programs, aligned tables.
 *
 * <p>With {@code --json} a command prints one JSON object a line on standard output and nothing
 * else, usage errors included. {@code ok} of the last object is true exactly if the exit status is
 * 0. Status 2 means that trying again will not help: wrong options or a wrong cluster file, after
 * which systemd does not restart a node. A data file that cannot be used is status 1. Output that
 * cannot be written is status 1, but a reader that went away ends the command silently. sysexits.h
 * has more numbers, whose difference nobody would look for.
 */
package io.hxb.tool.report;
