package io.hxb.context;

/**
 * Whether a process may attach, and as a member of which tenant. Immutable.
 *
 * @param tenant number of the tenant, see TenantPlan; meaningless with a refusal.
 * @param refusal tells its user why it may not; null if it may.
 */
record Admission(int tenant, String refusal) {
    static Admission of(final int tenant) {
        return new Admission(tenant, null);
    }

    static Admission refused(final String why) {
        return new Admission(0, why);
    }

    boolean isRefused() {
        return refusal != null;
    }
}
