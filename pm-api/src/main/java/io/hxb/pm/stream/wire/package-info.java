/**
 * What stands in the messages of streams, each layout drawn once, and where their bytes wait until
 * they are read.
 */
package io.hxb.pm.stream.wire;
