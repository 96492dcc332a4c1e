package io.hxb.config;

/** Who tags the frames of a managed NIC. */
public enum TaggerChoice {
    /** The kernel where it can, else this process. */
    AUTO,

    /** Programs in the kernel; the manager does not start without. */
    KERNEL,

    /** This process, by a TAP device. */
    TAP
}
