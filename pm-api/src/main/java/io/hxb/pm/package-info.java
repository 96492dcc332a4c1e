/**
 * What an application links against: device, context, send buffers and messages, after PMv2. The
 * same classes serve an application inside the node's process and one that attaches from outside.
 *
 * <p>Begin with {@link io.hxb.pm.PmDevice#attach()}. Calls that a program makes per message return
 * a {@link io.hxb.pm.PmStatus} and throw only for mistakes of the programmer; calls that open or
 * attach throw an {@link java.io.IOException} whose message says what to do.
 */
package io.hxb.pm;
