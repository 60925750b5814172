import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

const system = ["system-reserved", "system-reserved-compressible"] as const;
const kube = ["kube-reserved", "kube-reserved-compressible"] as const;
const names = ["pods", ...system, ...kube, "none"];

/** What is kept back for the node, and how pods meet on its network. Upstream: pkg/kubelet/apis/config/validation. */
export function validateReserved(config: KubeletConfiguration): string[] {
  const { enforceNodeAllocatable: given } = config;
  const exclusive = [system, kube].filter((pair) => pair.every((name) => given.includes(name)));
  return [
    ...exclusive.map(
      (pair) =>
        `both ${pair.map(goQuote).join(" and ")} cannot be specified together in enforceNodeAllocatable (--enforce-node-allocatable)`,
    ),
    ...given.flatMap((name, index) =>
      given.indexOf(name) < index
        ? [
            `duplicated enforcements ${goQuote(name)} in enforceNodeAllocatable (--enforce-node-allocatable)`,
          ]
        : enforcement(name, config),
    ),
    ...hairpin(config.hairpinMode),
    ...reservedMemory(config.reservedMemory ?? []),
  ];
}

function enforcement(name: string, config: KubeletConfiguration): string[] {
  const enforce = "enforceNodeAllocatable (--enforce-node-allocatable)";
  if (name === "none") {
    if (config.enforceNodeAllocatable.length === 1) return [];
    return [`${enforce} may not contain additional enforcements when "none" is specified`];
  }
  if (!names.includes(name)) {
    const list = names.map(goQuote);
    const valid = `${list.slice(0, -1).join(", ")} or ${list.at(-1)}`;
    return [`option ${goQuote(name)} specified for ${enforce}. Valid options are ${valid}`];
  }
  const cgroup = (pair: readonly string[], field: string, flag: string): string[] => [
    `${field} (--${flag}) must be specified when ${pair.map(goQuote).join(" or ")} included in ${enforce}`,
  ];
  return [
    ...((system as readonly string[]).includes(name) && !config.systemReservedCgroup
      ? cgroup(system, "systemReservedCgroup", "system-reserved-cgroup")
      : []),
    ...((kube as readonly string[]).includes(name) && !config.kubeReservedCgroup
      ? cgroup(kube, "kubeReservedCgroup", "kube-reserved-cgroup")
      : []),
    ...(config.cgroupsPerQOS
      ? []
      : [
          `cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${goQuote(name)} contained in ${enforce}`,
        ]),
  ];
}

function hairpin(mode: string): string[] {
  if (["none", "hairpin-veth", "promiscuous-bridge"].includes(mode)) return [];
  return [
    `option ${goQuote(mode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
  ];
}

function reservedMemory(list: NonNullable<KubeletConfiguration["reservedMemory"]>): string[] {
  const seen = new Set<string>();
  return list.flatMap(({ numaNode = 0, limits = {} }) =>
    Object.entries(limits).flatMap(([name, amount]) => {
      const errors: string[] = [];
      if (name !== "memory" && !name.startsWith("hugepages-")) {
        errors.push(
          `the limit type ${goQuote(name)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
        );
      }
      const of = `for NUMA node ${numaNode} and resource ${goQuote(name)}`;
      if (parseQuantity(String(amount)).value() === 0) {
        errors.push(`reserved memory may not be zero ${of}`);
      }
      if (seen.has(of)) errors.push(`the reserved memory has a duplicate value ${of}`);
      seen.add(of);
      return errors;
    }),
  );
}
