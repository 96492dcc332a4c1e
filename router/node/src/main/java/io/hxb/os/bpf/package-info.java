/**
 * Small programs in the kernel that see the frames of NICs, and the memory they share with this
 * process. They are written as instructions, need no compiler, and the kernel removes them when the
 * process that loaded them ends.
 */
package io.hxb.os.bpf;
