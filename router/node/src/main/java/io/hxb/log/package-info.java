/**
 * The log: printable characters, a limited number of lines of each kind, written by a thread of its
 * own, and the errors that loops survive.
 *
 * <p>Kinds of lines are limited where they arise: five at once, then one and a count every 10 s. A
 * budget of bytes bounds what was forgotten. A line for each foreign frame once made 2.5 MB of
 * 15,580 frames, written within the loop, which waited for the disk. Logging libraries with
 * asynchronous appenders do not limit by kind.
 */
package io.hxb.log;
