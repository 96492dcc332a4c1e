/** What members of groups and nodes say to each other: the layout of their messages. */
package io.hxb.pm.collective.wire;
