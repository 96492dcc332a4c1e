/**
 * The node's side of its applications: attaching them, the memory and rings of their contexts, and
 * the books that say which buffer belongs to whom. What an application writes is checked against
 * these books; a context that breaks the rules is closed and nothing else is touched.
 */
package io.hxb.context;
