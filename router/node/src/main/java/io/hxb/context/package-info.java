/**
 * The node's side of its applications: attaching them, the memory and rings of their contexts, and
 * the ledgers of which buffer belongs to whom. What an application writes is checked against these
 * books; a context that breaks the rules is closed and nothing else is touched.
 *
 * <p>One thread gives memory of applications back in pieces of 4 MiB, with pauses of 1 ms, and
 * takes another memory's piece in turn. Unmapping holds the lock of the address space, so it is
 * done in short steps and at normal priority: a thread of low priority could hold that lock, or a
 * safepoint, while it gets no CPU. 8 GiB take about 4 s and count for their user until then.
 */
package io.hxb.context;
