/**
 * Output selection functions: which of several free lanes a header takes. Source: Koibuchi 2002,
 * chapter 4.
 */
package io.hxb.sim.select;
