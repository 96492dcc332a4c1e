/** Messages between members of groups and nodes: the layout of their messages. */
package io.hxb.pm.collective.wire;
