package io.hxb.bench.vlan;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.Callable;

/**
 * One of the 16 processes of a conjugate gradient solver laid out as NPB CG lays it out: process
 * (row, column) has a block of the matrix and the column's part of the vectors. A product of matrix
 * and vector is summed along the row in two exchanges, and then exchanged with the transposed
 * process. Owned by one thread. Source: Bailey et al., The NAS Parallel Benchmarks, 1994, CG.
 */
final class CgRank implements Callable<Double> {
    static final int SIDE = 4;
    static final int RANKS = SIDE * SIDE;

    private final int row;
    private final int column;
    private final int length;
    private final int innerCount;
    private final HostConnection[] alongRow;
    private final HostConnection transposed;
    private final double[] p;
    private final double[] q;
    private final double[] r;
    private final double[] z;
    private final double[] x;
    private final double[] received;
    private final ByteBuffer out;
    private final ByteBuffer in;

    /**
     * One process.
     *
     * @param length of its part of a vector.
     * @param innerCount iterations of the solver.
     * @param alongRow connections with {@code rank ^ 1} and {@code rank ^ 2}; null to compute
     *     without a network, see {@link #alone}.
     * @param transposed connection with the process of the transposed block; null on the diagonal.
     */
    CgRank(
            final int rank,
            final int length,
            final int innerCount,
            final HostConnection[] alongRow,
            final HostConnection transposed) {
        row = rank / SIDE;
        column = rank % SIDE;
        this.length = length;
        this.innerCount = innerCount;
        this.alongRow = alongRow;
        this.transposed = transposed;
        p = new double[length];
        q = new double[length];
        r = new double[length];
        z = new double[length];
        x = new double[length];
        received = new double[length];
        out = ByteBuffer.allocateDirect(length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        in = ByteBuffer.allocateDirect(length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int transposeOf(final int rank) {
        return rank % SIDE * SIDE + rank / SIDE;
    }

    /** Where each element is in another block; symmetric, and small beside the diagonal. */
    private static double coefficient(final int a, final int b, final int i) {
        return a == b ? 7 + i % 97 / 97.0 : -1.0 / (1 + (a + b + i) % 5);
    }

    /** q := A p of one block, where neighbours within a diagonal block are coupled too. */
    private static void multiply(
            final int a, final int b, final double[] p, final double[] q, final boolean isAdded) {
        final int n = p.length;
        for (int i = 0; i < n; i++) {
            double sum = coefficient(a, b, i) * p[i];
            if (a == b) {
                sum -= (i > 0 ? p[i - 1] : 0) + (i + 1 < n ? p[i + 1] : 0);
            }
            q[i] = isAdded ? q[i] + sum : sum;
        }
    }

    /** Solves A z = 1 as NPB does with its vectors; returns x times z. */
    @Override
    public Double call() throws IOException {
        for (int i = 0; i < length; i++) {
            x[i] = 1;
            z[i] = 0;
            r[i] = x[i];
            p[i] = r[i];
        }
        double rho = rowSum(dot(r, r));
        for (int iteration = 0; iteration < innerCount; iteration++) {
            multiply(row, column, p, q, false);
            for (final HostConnection partner : alongRow) {
                swap(partner);
                for (int i = 0; i < length; i++) {
                    q[i] += received[i];
                }
            }
            if (transposed != null) {
                swap(transposed);
                System.arraycopy(received, 0, q, 0, length);
            }
            final double alpha = rho / rowSum(dot(p, q));
            final double before = rho;
            for (int i = 0; i < length; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            rho = rowSum(dot(r, r));
            for (int i = 0; i < length; i++) {
                p[i] = r[i] + rho / before * p[i];
            }
        }
        return rowSum(dot(x, z));
    }

    private static double dot(final double[] a, final double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    /** Sends q, and receives that of the partner. */
    private void swap(final HostConnection partner) throws IOException {
        out.clear().asDoubleBuffer().put(q);
        in.clear();
        partner.exchange(out, in);
        in.flip().asDoubleBuffer().get(received);
    }

    /** The sum over the columns, which the processes of a row have among them. */
    private double rowSum(final double own) throws IOException {
        double sum = own;
        for (final HostConnection partner : alongRow) {
            out.clear().putDouble(sum).flip();
            in.clear().limit(Double.BYTES);
            partner.exchange(out, in);
            sum += in.flip().getDouble();
        }
        return sum;
    }

    /** The same by one process without a network. */
    static double alone(final int length, final int innerCount) {
        final double[][] p = new double[SIDE][length];
        final double[][] q = new double[SIDE][length];
        final double[][] r = new double[SIDE][length];
        final double[][] z = new double[SIDE][length];
        for (int part = 0; part < SIDE; part++) {
            java.util.Arrays.fill(r[part], 1);
            java.util.Arrays.fill(p[part], 1);
        }
        double rho = dot(r, r);
        for (int iteration = 0; iteration < innerCount; iteration++) {
            for (int a = 0; a < SIDE; a++) {
                for (int b = 0; b < SIDE; b++) {
                    multiply(a, b, p[b], q[a], b > 0);
                }
            }
            final double alpha = rho / dot(p, q);
            final double before = rho;
            for (int part = 0; part < SIDE; part++) {
                for (int i = 0; i < length; i++) {
                    z[part][i] += alpha * p[part][i];
                    r[part][i] -= alpha * q[part][i];
                }
            }
            rho = dot(r, r);
            for (int part = 0; part < SIDE; part++) {
                for (int i = 0; i < length; i++) {
                    p[part][i] = r[part][i] + rho / before * p[part][i];
                }
            }
        }
        double sum = 0;
        for (final double[] part : z) {
            for (final double value : part) {
                sum += value;
            }
        }
        return sum;
    }

    private static double dot(final double[][] a, final double[][] b) {
        double sum = 0;
        for (int part = 0; part < SIDE; part++) {
            sum += dot(a[part], b[part]);
        }
        return sum;
    }
}
