package io.hxb.manager;

import io.hxb.fabric.vlan.VlanPlan;

import java.io.IOException;

/**
 * Where the plan of a network is read whenever it is needed: a manager keeps nothing of it but the
 * table, which is a small part of it. May be asked by any thread.
 */
@FunctionalInterface
public interface PlanSource {
    /** The plan as it was when the manager started. */
    VlanPlan read() throws IOException;
}
