#!/usr/bin/env bash
# Guess: getMinValue() and getMaxValue() of a HdrHistogram return values that were recorded, and no percentile
#   lies above the maximum that was recorded; only what is between them is rounded.
# Seen: minimum, maximum and percentiles are limits of buckets. A histogram of three digits in which the one value
#   18,811,000 was recorded has the minimum 18,808,832 and the maximum and median 18,825,215. Javadoc: both are "the
#   lowest/highest value equivalent to" one recorded; toString, CSV and log writers print them as plain minimum and maximum.
# Met by: programs that print round trips from a histogram: one reply with three different values of itself.
# Version: org.hdrhistogram:HdrHistogram 2.2.2
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mvn -q -B dependency:copy -Dartifact=org.hdrhistogram:HdrHistogram:2.2.2 -DoutputDirectory="$folder"
cat >"$folder/Limits.java" <<'JAVA'
import org.HdrHistogram.Histogram;

public class Limits {
    public static void main(final String[] arguments) {
        final Histogram histogram = new Histogram(3);
        histogram.recordValue(18_811_000);
        System.out.println(histogram.getMinValue() + " " + histogram.getValueAtPercentile(50) + " " + histogram.getMaxValue());
    }
}
JAVA
seen=$(java -cp "$folder/HdrHistogram-2.2.2.jar" "$folder/Limits.java")
echo "HdrHistogram 2.2.2, 18811000 recorded once: minimum, median, maximum = $seen"
[ "$seen" = "18808832 18825215 18825215" ]
