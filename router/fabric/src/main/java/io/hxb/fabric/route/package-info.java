/**
 * Routing as a relation and as paths: which virtual channel may follow which ({@link
 * io.hxb.fabric.route.TurnRelation}), shortest legal paths over channel states, the choice of one
 * of them for each pair ({@link io.hxb.fabric.route.PathSelection}), and {@link
 * io.hxb.fabric.route.Routing}, which every algorithm returns.
 */
package io.hxb.fabric.route;
