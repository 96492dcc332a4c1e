package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class ForwardCheckTest {
    private static final String SUBJECT = "ip hxb0";
    private static final String DOCKER =
            """
            table ip nat {
                chain POSTROUTING {
                    type nat hook postrouting priority srcnat; policy accept;
                    oifname != "docker0" ip saddr 172.17.0.0/16 counter packets 0 bytes 0 masquerade
                }
            }
            table ip filter {
                chain DOCKER-USER {
                    return
                }

                chain FORWARD {
                    type filter hook forward priority filter; policy drop;
                    counter packets 12 bytes 720 jump DOCKER-USER
                    oifname "docker0" ct state related,established counter packets 0 bytes 0 accept
                }
            }
            """;

    private static Finding judge(final ForwardCheck.Rules... rules) {
        return ForwardCheck.judge(List.of(rules), "hxb0", SUBJECT);
    }

    private static ForwardCheck.Rules rules(final String program, final String text) {
        return new ForwardCheck.Rules(program, true, text);
    }

    @Test
    void shouldWarnOfAChainOfNftablesThatDrops() {
        // when
        final Finding finding = judge(rules("nft", DOCKER));
        // then
        assertEquals(Finding.Level.WARN, finding.level(), finding::toString);
        assertTrue(
                finding.text().contains("the policy of ip filter FORWARD is drop"), finding.text());
        assertEquals(
                "nft insert rule ip filter FORWARD iifname hxb0 accept; nft insert rule ip filter"
                        + " FORWARD oifname hxb0 accept",
                finding.fix());
    }

    @Test
    void shouldBeContentWithARuleForTheDevice() {
        final String accepted =
                DOCKER.replace(
                        "        return\n",
                        "\t\tiifname \"hxb0\" counter packets 0 bytes 0 accept\n");
        final String otherNic =
                DOCKER.replace("        return\n", "\t\tiifname \"hxb01\" accept\n");
        final String otherTable =
                DOCKER + "table ip other {\n\tchain x {\n\t\tiifname \"hxb0\" accept\n\t}\n}\n";

        assertEquals(Finding.Level.OK, judge(rules("nft", accepted)).level());
        assertEquals(Finding.Level.WARN, judge(rules("nft", otherNic)).level());
        assertEquals(Finding.Level.WARN, judge(rules("nft", otherTable)).level());
    }

    @Test
    void shouldWarnOfThePolicyOfIptables() {
        // given
        final String policy =
                "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n-N DOCKER-USER\n";
        // when
        final Finding finding = judge(rules("nft", ""), rules("iptables", policy));
        // then
        assertEquals(Finding.Level.WARN, finding.level(), finding::toString);
        assertEquals(
                "iptables -I FORWARD -i hxb0 -j ACCEPT; iptables -I FORWARD -o hxb0 -j ACCEPT",
                finding.fix());
        assertEquals(
                Finding.Level.OK,
                judge(rules("iptables", policy + "-A DOCKER-USER -i hxb0 -j ACCEPT\n")).level());
        assertEquals(
                Finding.Level.OK,
                judge(rules("iptables", policy.replace("FORWARD DROP", "FORWARD ACCEPT"))).level());
    }

    @Test
    void shouldNotGuessWhatItCannotSee() {
        // when
        final Finding noProgram = judge();
        final Finding noRights =
                judge(new ForwardCheck.Rules("nft", false, "Operation not permitted"));
        // then
        assertEquals(Finding.Level.OK, noProgram.level());
        assertTrue(noProgram.text().endsWith("there is neither nft nor iptables"));
        assertEquals(Finding.Level.OK, noRights.level());
        assertTrue(noRights.text().endsWith("nft needs root to look"), noRights.text());
    }
}
