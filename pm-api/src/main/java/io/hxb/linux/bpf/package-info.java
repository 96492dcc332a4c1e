/**
 * Small programs in the kernel that drop or damage frames of a NIC. They are written as
 * instructions, need no compiler, and go when the process that loaded them ends, however it ends.
 */
package io.hxb.linux.bpf;
