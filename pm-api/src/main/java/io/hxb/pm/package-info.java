/**
 * What an application links against: device, context, send buffers and messages, after PMv2. The
 * same classes serve an application inside the node's process and one that attaches from outside.
 */
package io.hxb.pm;
