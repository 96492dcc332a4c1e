package io.hxb.tool;

import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.concurrent.Callable;

/** {@code hxb lab up}: makes a lab that stays. Picocli makes it. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Makes a lab and starts its nodes.")
final class LabUpCommand implements Callable<Integer> {
    @Mixin private LabOptions options;

    /** Picocli makes it. */
    LabUpCommand() {}

    @Override
    public Integer call() {
        final LabSpec spec = options.spec();
        final Lab lab = Lab.up(LabRegistry.ofUser(), spec);
        System.out.println("lab " + lab.spec().name());
        return Hxb.OK;
    }
}
