/**
 * The catalogue of routing algorithms by name, with the options that they understand and the checks
 * of what they need.
 */
package io.hxb.fabric.plan;
