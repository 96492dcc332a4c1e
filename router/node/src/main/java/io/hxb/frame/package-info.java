/** Flyweights over the bytes of frames; each layout is drawn once, above its flyweight. */
package io.hxb.frame;
