/** Upstream: cmd/kube-apiserver/app/options/validation.go, pkg/controlplane/apiserver/options. */
import { headerErrors } from "#/component/validate-server-flags.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import type { ApiServerFlags } from "./index.ts";

/** Networks and ports of Services, and the server's own port. */
export function addressErrors(flags: ApiServerFlags): string[] {
  const port = flags["secure-port"];
  return [
    ...serviceRangeErrors(flags),
    ...nodePortErrors(flags),
    // 0 is any free port here; upstream refuses that, too.
    ...(port < 0 || port > 65_535
      ? [
          `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
        ]
      : []),
    ...headerErrors(flags),
  ];
}

/** Minimum number of addresses for Services. */
const leastAddresses = 8;

function serviceRangeErrors(flags: ApiServerFlags): string[] {
  const text = flags["service-cluster-ip-range"];
  if (text === "") return [];
  const texts = text.split(",");
  const bad = texts.findIndex((each) => !parseCidr(each));
  if (bad >= 0) return [`service-cluster-ip-range[${bad}] is not a valid cidr`];
  const isIPv6 = texts.map((each) => each.includes(":"));
  const advertised = flags["advertise-address"];
  const small = texts.findIndex((each) => addressCount(each) < leastAddresses);
  const which = small === 0 ? "primary" : "secondary";
  return [
    ...(texts.length > 2
      ? ["--service-cluster-ip-range must not contain more than two entries"]
      : []),
    ...(texts.length === 2 && isIPv6[0] === isIPv6[1]
      ? [
          "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
        ]
      : []),
    ...(small >= 0
      ? [
          `error determining service IP ranges for ${which} service cidr: the service cluster IP range must be at least ${leastAddresses} IP addresses`,
        ]
      : []),
    ...(advertised && advertised.includes(":") !== isIPv6[0]
      ? [`service IP family "${texts[0]}" must match public address family "${advertised}"`]
      : []),
  ];
}

function addressCount(cidr: string): number {
  const bits = (cidr.includes(":") ? 128 : 32) - Number(cidr.split("/")[1]);
  return 2 ** bits;
}

function nodePortErrors(flags: ApiServerFlags): string[] {
  const port = flags["kubernetes-service-node-port"];
  const range = flags["service-node-port-range"];
  const [first = 0, last = 0] = range.split("-").map(Number);
  return [
    ...(port < 0 || port > 65_535
      ? [
          `--kubernetes-service-node-port ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
        ]
      : []),
    ...(port > 0 && (port < first || port > last)
      ? [`kubernetes service node port range ${range} doesn't contain ${port}`]
      : []),
  ];
}
