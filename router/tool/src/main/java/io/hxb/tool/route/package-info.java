/** {@code hxb route}: reads and changes the paths of hosts through their network managers. */
package io.hxb.tool.route;
