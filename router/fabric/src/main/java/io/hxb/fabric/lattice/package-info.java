/**
 * Routing on meshes and tori, where channels have a dimension and a sign: dimension order, the turn
 * model, doubled channels, dimension reversal and Duato's protocol.
 */
package io.hxb.fabric.lattice;
