package io.hxb.tool.lab;

import io.hxb.tool.machine.Shell;

import java.util.List;

/**
 * Pulls the cables of a lab out and plugs them in again: both NICs lose their carrier, as those of
 * real machines do. Stateless but for the lab; any thread may call it.
 */
public final class LabCables {
    private final LabSpec spec;

    /** Takes the cables of a lab that is up and has some of its own. */
    public LabCables(final LabSpec spec) {
        this.spec = spec;
    }

    /**
     * Pulls a cable out.
     *
     * @throws io.hxb.tool.report.ToolException if the lab is gone.
     */
    public void pull(final LabCabling.Cable cable) {
        set(cable, "down");
    }

    /** Plugs a cable in. */
    public void plug(final LabCabling.Cable cable) {
        set(cable, "up");
    }

    private void set(final LabCabling.Cable cable, final String state) {
        Shell.check(
                LabScripts.setCable(spec, cable, state),
                List.of("ip", "-n", LabScripts.cableNamespace(spec, cable), "-batch", "-"));
    }
}
