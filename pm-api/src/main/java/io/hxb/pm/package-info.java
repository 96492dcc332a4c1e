/**
 * What an application links against: device, context, send buffers and messages, after PMv2. The
 * same classes serve an application inside the node's process and one that attaches from outside.
 *
 * <p>Begin with {@link io.hxb.pm.PmDevice#attach()}. Calls that a program makes per message return
 * a {@link io.hxb.pm.PmStatus} and throw only for mistakes of the programmer; calls that open or
 * attach throw an {@link java.io.IOException} whose message explains what to do.
 *
 * <p>A wait for messages returns OK only if {@code receive} will return a message. With an event
 * alone it returns EVENT until {@code pollEvent} has taken the event. So a program that never polls
 * events does not mistake one for a message. Messages come before events.
 *
 * <p>A message to a context that is not open waits at the sender's node for {@code peerWaitNs}, 10
 * s by default. Then it fails with NO_SUCH_CONTEXT. Two programs cannot be started at the same
 * moment, and each first program would otherwise need a loop around its first message. A context
 * that closes acknowledges what has arrived for it first.
 *
 * <p>Buffers implement Agrona's {@code MutableDirectBuffer} over foreign memory, so generated
 * codecs work on them. Agrona's own {@code UnsafeBuffer} needs {@code --add-opens
 * java.base/jdk.internal.misc=ALL-UNNAMED} on every command line.
 */
package io.hxb.pm;
