/**
 * A link carries frames between this node and its neighbours on one segment; the receive pool holds
 * the buffers that frames arrive in. Sub-packages have one kind of link each: its {@link
 * io.hxb.link.LinkProvider} is all that a node knows of the kind.
 */
package io.hxb.link;
