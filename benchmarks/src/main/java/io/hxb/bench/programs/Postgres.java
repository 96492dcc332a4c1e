package io.hxb.bench.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Transactions of four clients of a database, whose sums have to agree afterwards. The server runs
 * as the user of its package. Stateless.
 */
final class Postgres implements NetworkProgram {
    private static final String PORT = "5432";
    private static final String USER = "postgres";
    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");

    /** Column of a transaction's microseconds. */
    private static final int TIME_COLUMN = 2;

    // Each transaction adds one number to one row of each table, and writes it down.
    private static final String CHECK =
            """
            SELECT count(*) || ' ' || (sum(delta) = (SELECT sum(abalance) FROM pgbench_accounts)
                AND sum(delta) = (SELECT sum(tbalance) FROM pgbench_tellers)
                AND sum(delta) = (SELECT sum(bbalance) FROM pgbench_branches))
            FROM pgbench_history
            """;

    @Override
    public String name() {
        return "PostgreSQL, pgbench";
    }

    @Override
    public Map<String, String> commands() {
        return Map.of(
                program("postgres"),
                "postgresql",
                program("pgbench"),
                "postgresql",
                "psql",
                "postgresql-client",
                "setpriv",
                "util-linux");
    }

    @Override
    public List<String> versionCommand() {
        return List.of(program("postgres"), "--version");
    }

    /** A program of the newest version. */
    private static String program(final String name) {
        try (Stream<Path> versions = Files.list(VERSIONS)) {
            return versions.max(Comparator.comparingDouble(Postgres::number))
                    .orElse(VERSIONS)
                    .resolve("bin")
                    .resolve(name)
                    .toString();
        } catch (final IOException e) {
            return VERSIONS.resolve(name).toString();
        }
    }

    private static double number(final Path version) {
        final String name = version.getFileName().toString();
        return name.matches("[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(name) : 0;
    }

    @Override
    public Outcome run(final Site site, final double seconds) throws Exception {
        final Path data = site.file("data");
        Files.setPosixFilePermissions(site.file(""), PosixFilePermissions.fromString("rwxrwxrwx"));
        site.check(
                asUser(
                        program("initdb"),
                        "-N",
                        "-A",
                        "trust",
                        "--locale=C",
                        "-D",
                        data.toString()));
        Files.writeString(
                data.resolve("pg_hba.conf"),
                "host all all 0.0.0.0/0 trust\n",
                StandardOpenOption.APPEND);
        try {
            site.serve(
                    Integer.parseInt(PORT),
                    asUser(
                            program("postgres"),
                            "-D",
                            data.toString(),
                            "-h",
                            site.address(),
                            "-p",
                            PORT,
                            "-k",
                            "",
                            "-F"));
            return transactions(site, seconds);
        } finally {
            // One that is killed would leave shared memory behind.
            site.check(asUser(program("pg_ctl"), "stop", "-m", "immediate", "-D", data.toString()));
        }
    }

    private static Outcome transactions(final Site site, final double seconds) throws Exception {
        site.check(pgbench(site, "-q", "-i"));
        final Site.Ended ended =
                site.client(
                        pgbench(
                                site,
                                "-c",
                                "4",
                                "-T",
                                Long.toString(Math.round(Math.ceil(seconds))),
                                "-l",
                                "--log-prefix=" + site.file("transactions")));
        if (!ended.problem().isEmpty()) {
            return Outcome.bad(ended.problem());
        }
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(site.file(""))) {
            for (final Path file : files.toList()) {
                if (file.getFileName().toString().startsWith("transactions")) {
                    lines.addAll(Files.readAllLines(file));
                }
            }
        }
        final String sums =
                site.check(
                        List.of(
                                "psql",
                                "-h",
                                site.address(),
                                "-p",
                                PORT,
                                "-U",
                                USER,
                                "-At",
                                "-c",
                                CHECK));
        return outcome(lines, sums.strip(), seconds);
    }

    private static List<String> asUser(final String... command) {
        final List<String> all =
                new ArrayList<>(
                        List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        all.addAll(List.of(command));
        return all;
    }

    private static List<String> pgbench(final Site site, final String... options) {
        final List<String> all =
                new ArrayList<>(
                        List.of(program("pgbench"), "-h", site.address(), "-p", PORT, "-U", USER));
        all.addAll(List.of(options));
        all.add(USER);
        return all;
    }

    /**
     * What its log says.
     *
     * @param lines a transaction each.
     * @param sums number of transactions that the database has, and whether its tables agree.
     */
    static Outcome outcome(final List<String> lines, final String sums, final double seconds) {
        if (lines.isEmpty()) {
            return Outcome.bad("no transaction has ended");
        }
        if (!sums.equals(lines.size() + " true")) {
            return Outcome.bad(lines.size() + " transactions ended, the database has " + sums);
        }
        final double longestUs =
                lines.stream()
                        .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[TIME_COLUMN]))
                        .max()
                        .getAsDouble();
        return Outcome.good(
                String.format(
                        Locale.ROOT,
                        "%.0f transactions a second, sums agree",
                        lines.size() / seconds),
                longestUs / 1e3);
    }
}
