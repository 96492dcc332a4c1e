package io.hxb.context;

/**
 * Whether a process may attach, and as a member of which tenant. Immutable.
 *
 * @param tenant number of the tenant, see TenantPlan; meaningless with a refusal.
 * @param refusal reason for the user; null if it may attach.
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
