/**
 * {@code hxb chaos}: makes links and nodes of a lab fail by a script or at random while messages
 * flow, and reports the effect.
 */
package io.hxb.tool.chaos;
