/**
 * Remote memory: what contexts do with memory that others share, and what is done with theirs. One
 * end initiates operations, the other performs them on arrival and answers; neither wakes an
 * application for it.
 */
package io.hxb.remote;
