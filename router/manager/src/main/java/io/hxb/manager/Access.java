package io.hxb.manager;

/** What a connection may do before it shows a key. */
enum Access {
    /** Read and change paths. */
    CHANGE,
    /** Read them; with the key of the cluster also change them. */
    READ,
    /** Nothing without the key of the cluster. */
    KEY
}
