/**
 * {@code hxb chaos}: lets links and nodes of a lab fail by a script or at random while messages
 * flow, and tells what that did to them.
 */
package io.hxb.tool.chaos;
