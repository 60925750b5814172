/**
 * Upstream: cmd/kube-controller-manager/app/options (each Validate),
 * staging/src/k8s.io/controller-manager/options/generic.go.
 */
import { headerErrors, portErrors } from "#/component/validate-server-flags.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { ManagerFlags } from "./flags.ts";

/**
 * Throws FlagError for flags that upstream refuses, with all errors. `known` decides whether a name
 * is that of a controller.
 */
export function validateFlags(flags: ManagerFlags, known: (name: string) => boolean): void {
  const errors = [...new Set(flagErrors(flags, known))];
  if (errors.length === 0) return;
  throw new FlagError(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
}

function flagErrors(flags: ManagerFlags, known: (name: string) => boolean): string[] {
  const isElected = flags["leader-elect"] && flags["leader-elect-resource-lock"] !== "leases";
  const reconcile = flags["attach-detach-reconcile-sync-period"] < 1000;
  return [
    ...(isElected ? ['resourceLock value must be "leases"'] : []),
    ...flags.controllers
      .map((wish) => wish.replace(/^-/, ""))
      .filter((name) => name !== "*" && !known(name))
      .map((name) => `${goQuote(name)} is not in the list of known controllers`),
    ...(reconcile
      ? [
          "duration time must be greater than one second as set via command line option reconcile-sync-loop-period",
        ]
      : []),
    ...signerErrors(flags),
    ...atLeastOne(flags, "concurrent-daemonset-syncs"),
    ...(flags["concurrent-device-taint-eviction-syncs"] <= 0
      ? [
          `concurrent-device-taint-eviction-syncs must be greater than zero, got ${flags["concurrent-device-taint-eviction-syncs"]}`,
        ]
      : []),
    ...(flags["concurrent-resourceclaim-syncs"] <= 0
      ? [
          `concurrent-resourceclaim-syncs must be larger than 0, got ${flags["concurrent-resourceclaim-syncs"]}`,
        ]
      : []),
    ...atLeastOne(flags, "concurrent-statefulset-syncs"),
    ...within(flags, "concurrent-service-endpoint-syncs", 50),
    ...within(flags, "max-endpoints-per-slice", 1000),
    ...within(flags, "mirroring-concurrent-service-endpoint-syncs", 50),
    ...within(flags, "mirroring-max-endpoints-per-subset", 1000),
    ...atLeastOne(flags, "concurrent-ephemeralvolume-syncs"),
    ...atLeastOne(flags, "concurrent-horizontal-pod-autoscaler-syncs"),
    ...atLeastOne(flags, "concurrent-job-syncs"),
    ...atLeastOne(flags, "concurrent-cron-job-syncs"),
    ...(flags["service-cluster-ip-range"].split(",").length > 2
      ? ["--service-cluster-ip-range can not contain more than two entries"]
      : []),
    ...portErrors(flags["secure-port"], { required: false }),
    ...headerErrors(flags),
    ...cloudErrors(flags),
  ];
}

type NumberFlag = {
  [Name in keyof ManagerFlags]: ManagerFlags[Name] extends number ? Name : never;
}[keyof ManagerFlags];

function atLeastOne(flags: ManagerFlags, name: NumberFlag): string[] {
  const value = flags[name];
  return value < 1 ? [`${name} must be greater than 0, but got ${value}`] : [];
}

function within(flags: ManagerFlags, name: NumberFlag, max: number): string[] {
  const value = flags[name];
  if (value < 1) return [`${name} must not be less than 1, but got ${value}`];
  return value > max ? [`${name} must not be more than ${max}, but got ${value}`] : [];
}

/** Flags of the signers' files, and the names that upstream's errors give them. */
const signers = [
  ["cluster-signing-kubelet-serving", "cluster-signing-kubelet-serving"],
  ["cluster-signing-kubelet-client", "cluster-signing-kube-apiserver-client"],
  ["cluster-signing-kube-apiserver-client", "cluster-signing-kube-apiserver"],
  ["cluster-signing-legacy-unknown", "cluster-signing-legacy-unknown"],
] as const;

function signerErrors(flags: ManagerFlags): string[] {
  const filesOf = (prefix: "cluster-signing" | (typeof signers)[number][0]) =>
    [flags[`${prefix}-cert-file`] !== "", flags[`${prefix}-key-file`] !== ""] as const;
  const halves = signers.flatMap(([prefix, title]) => {
    const [hasCert, hasKey] = filesOf(prefix);
    if (hasCert === hasKey) return [];
    const problem = hasKey ? "cannot specify key without cert" : "cannot specify cert without key";
    return [`${goQuote(title)}: ${problem}`];
  });
  const isMixed =
    filesOf("cluster-signing").includes(true) &&
    signers.some(([prefix]) => filesOf(prefix).includes(true));
  if (!isMixed) return halves;
  return [
    ...halves,
    "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
  ];
}

function cloudErrors(flags: ManagerFlags): string[] {
  const provider = flags["cloud-provider"];
  const allocator = flags["cidr-allocator-type"];
  return [
    ...(provider !== "" && provider !== "external"
      ? [
          `cloud provider ${goQuote(provider)} was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
        ]
      : []),
    ...(allocator !== "" && allocator !== "RangeAllocator"
      ? [`built-in cloud providers are disabled. The ipam ${allocator} is not available`]
      : []),
  ];
}
