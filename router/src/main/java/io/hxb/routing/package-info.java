/** Dimension order and its variants: the next hop as a pure function of two coordinate vectors. */
package io.hxb.routing;
