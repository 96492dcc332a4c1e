package io.hxb.tool.option;

import io.hxb.tool.lab.LabSpec;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that describe a lab. Picocli fills it. */
public final class LabOptions {
    @Option(
            names = "--shape",
            paramLabel = "SHAPE",
            defaultValue = "2x2x2",
            description =
                    "make a cluster of this shape, such as 3x3x3 (default: " + "${DEFAULT-VALUE})")
    private String shape;

    @Mixin private LabLinkOptions links;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            description = "give the lab this name (default: lab; hxb demo takes one of its own)")
    private String name;

    /** Picocli makes it. */
    public LabOptions() {}

    /** The lab that was asked for; wrong values end the command as wrong usage. */
    public LabSpec spec() {
        return spec("lab");
    }

    /** The same, with another name when none was given. */
    public LabSpec spec(final String defaultName) {
        return links.spec(name == null ? defaultName : name, shape);
    }

    /** The same for hosts that are joined by switches: a line of that many, with one NIC each. */
    public LabSpec hosts(final int count) {
        return links.hosts(name == null ? "lab" : name, count);
    }
}
