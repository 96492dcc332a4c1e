/** How a thread waits that has nothing to do, of a node or of an application. */
package io.hxb.pm.idle;
