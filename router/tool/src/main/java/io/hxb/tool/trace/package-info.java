/** {@code hxb trace}: where frames go, by which links, and where they spend their time. */
package io.hxb.tool.trace;
