/**
 * {@code hxb report}: one archive for a report of a fault, with what is known of the nodes of this
 * machine and without secrets.
 *
 * <p>The archive is a zip file, because the JDK writes those. Nothing goes into it that has not
 * passed the {@link io.hxb.tool.bugreport.Redactor}. A part that cannot be had is no reason to
 * fail: the list of contents names it, and why.
 */
package io.hxb.tool.bugreport;
