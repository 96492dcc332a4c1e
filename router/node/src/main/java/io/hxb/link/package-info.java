/**
 * A link carries frames between this node and its neighbours on one segment; the receive pool holds
 * the buffers that frames arrive in. Sub-packages have one kind of link each.
 */
package io.hxb.link;
