/**
 * VLAN plans: which links make up each VLAN and which VLAN each frame travels in, so that plain
 * switches carry frames along planned paths. {@link io.hxb.fabric.vlan.VlanPlan} is a plan, {@link
 * io.hxb.fabric.vlan.VlanPlanner} makes one from trees, {@link io.hxb.fabric.vlan.PlanQuality}
 * measures it.
 */
package io.hxb.fabric.vlan;
