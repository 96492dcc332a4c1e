/**
 * The catalogue of routing algorithms by name, with the options that they accept and the checks of
 * their requirements.
 */
package io.hxb.fabric.plan;
