import assert from "node:assert/strict";
import { test } from "node:test";
import { planManagedRules } from "./network-groups.ts";
import type { NetworkPort } from "./network-ports.ts";

const port = (number: number, protocol: string): NetworkPort => ({
  name: "p",
  port: number,
  protocol,
  targetPort: 30_000 + number,
  targetProtocol: protocol,
  healthCheck: {
    port: "traffic-port",
    path: "",
    protocol: "TCP",
    intervalSeconds: 30,
    healthyThreshold: 3,
    unhealthyThreshold: 3,
  },
});

const cases = [
  {
    name: "TLS is TCP",
    ports: [port(443, "TLS")],
    ranges: ["10.0.0.0/8"],
    isDualStack: false,
    expected: ["tcp 443 10.0.0.0/8", "icmp 3 10.0.0.0/8"],
  },
  {
    name: "networks of IPv6 with both families",
    ports: [port(53, "UDP")],
    ranges: ["0.0.0.0/0", "2001:db8::/32"],
    isDualStack: true,
    expected: [
      "udp 53 0.0.0.0/0",
      "icmp 3 0.0.0.0/0",
      "udp 53 v6 2001:db8::/32",
      "icmp 3 v6 2001:db8::/32",
    ],
  },
];
for (const { name, ports, ranges, isDualStack, expected } of cases) {
  test(`planManagedRules(): ${name}`, () => {
    const [action] = planManagedRules({ id: "sg", permissions: [] }, ports, ranges, isDualStack);
    const { IpPermissions } = (action?.params ?? {}) as {
      IpPermissions: readonly {
        IpProtocol: string;
        FromPort: number;
        IpRanges?: readonly { CidrIp: string }[];
        Ipv6Ranges?: readonly { CidrIpv6: string }[];
      }[];
    };
    const shown = IpPermissions.map(({ IpProtocol, FromPort, IpRanges, Ipv6Ranges }) => {
      const range = IpRanges?.[0]?.CidrIp ?? `v6 ${Ipv6Ranges?.[0]?.CidrIpv6}`;
      return `${IpProtocol} ${FromPort} ${range}`;
    });
    assert.deepEqual(shown, expected);
  });
}
