package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Frames that borrowers share. */
@Tag("unit")
class CreditPoolTest {
    @Test
    void shouldLetOneAloneHaveNearlyAllAndManyEqualParts() {
        for (final int borrowers : new int[] {1, 2, 5, 60}) {
            // given
            final CreditPool pool = new CreditPool(2_000);
            final int[] lent = new int[borrowers];
            // when: all want as much as they can get, frame by frame
            boolean isMore = true;
            while (isMore) {
                isMore = false;
                for (int i = 0; i < borrowers; i++) {
                    if (pool.allowance(lent[i]) > 0) {
                        lent[i] += pool.lend(1);
                        isMore = true;
                    }
                }
            }
            // then
            final int each = 4 * 2_000 / (4 * borrowers + 1);
            for (final int frames : lent) {
                assertEquals(each, frames, 5, borrowers + " borrowers");
            }
        }
    }

    @Test
    void shouldTakeFromOneThatHasMuchWhenOthersWant() {
        // given
        final CreditPool pool = new CreditPool(1_000);
        int greedy = pool.lend(pool.allowance(0));
        assertEquals(800, greedy);
        int modest = 0;
        // when: the greedy one releases, and borrows only what it may
        for (int turn = 0; turn < 1_000; turn++) {
            modest += pool.lend(Math.max(0, pool.allowance(modest)));
            pool.giveBack(1);
            greedy--;
            greedy += pool.lend(Math.max(0, Math.min(1, pool.allowance(greedy))));
        }
        // then
        assertEquals(greedy, modest, 10);
        assertTrue(pool.lentFrames() < 1_000, "something is always free");
    }

    @Test
    void shouldNeverLendMoreThanThereIs() {
        final CreditPool pool = new CreditPool(10);
        assertEquals(10, pool.lend(11));
        assertEquals(0, pool.lend(1));
        pool.giveBack(10);
        assertEquals(0, pool.lentFrames());
    }

    @Test
    void shouldLendNoMoreThanThePoolHasOfWhichItIsAPart() {
        // given: two users of a tenant
        final CreditPool tenant = new CreditPool(100);
        final CreditPool one = new CreditPool(80, tenant);
        final CreditPool other = new CreditPool(80, tenant);
        // when
        assertEquals(80, one.lend(1_000));
        // then
        assertEquals(20, other.lend(1_000));
        assertEquals(0, other.lend(1), "the tenant has no more");
        assertEquals(80, one.lentFrames());
        assertEquals(20, other.lentFrames());
        assertEquals(100, tenant.lentFrames());
        // when
        one.giveBack(80);
        // then
        assertEquals(60, other.lend(1_000), "no more than this user may have");
        other.giveBack(80);
        assertEquals(0, tenant.lentFrames());
    }

    @Test
    void shouldAllowWhatTheScarcerPoolAllows() {
        final CreditPool tenant = new CreditPool(100);
        final CreditPool one = new CreditPool(1_000, tenant);
        assertEquals(80, one.allowance(0), "four parts of five of the tenant's");
        assertEquals(100, one.lend(100));
        assertTrue(one.allowance(100) < 0, "too many, now that the tenant has none left");
        final CreditPool small = new CreditPool(10, new CreditPool(1_000));
        assertEquals(8, small.allowance(0));
    }
}
