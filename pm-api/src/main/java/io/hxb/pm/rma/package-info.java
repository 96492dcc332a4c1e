/**
 * Remote memory: reading, writing and changing memory of other applications, without their doing
 * anything. Begin with {@link io.hxb.pm.rma.PmRemoteMemory}.
 */
package io.hxb.pm.rma;
