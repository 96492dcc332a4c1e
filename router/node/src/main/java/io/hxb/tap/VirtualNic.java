package io.hxb.tap;

import io.hxb.linux.LinuxException;

import java.util.List;

/** A virtual NIC as the kernel has it now. Used by one thread. */
interface VirtualNic {
    /**
     * What it lacks or has otherwise.
     *
     * @param what a sentence's subject, such as {@code the address 10.77.0.1/16}.
     * @param remedy puts it back.
     */
    record Loss(String what, Remedy remedy) {}

    /** Puts something back. */
    @FunctionalInterface
    interface Remedy {
        /** Puts it back; EPERM without CAP_NET_ADMIN. */
        void apply() throws LinuxException;
    }

    /**
     * What a user has to do something about, in words, such as that somebody has set it down; empty
     * if nothing is.
     */
    String obstacle() throws LinuxException;

    /** What another program has taken from it; without meaning while there is an obstacle. */
    List<Loss> losses() throws LinuxException;
}
