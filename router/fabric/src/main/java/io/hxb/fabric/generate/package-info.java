/**
 * Generators of switch graphs: lattices and their relatives, trees of several roots, random graphs,
 * and {@link io.hxb.fabric.generate.GraphSpec}, which reads them from words such as {@code
 * torus:8x8}.
 */
package io.hxb.fabric.generate;
