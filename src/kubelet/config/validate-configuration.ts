/** Upstream: pkg/kubelet/apis/config/validation/validation.go. */
import type { Taint } from "#/api/core/v1.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { isLabelValue, isQualifiedName } from "#/machinery/meta/names.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";
import { validateLogs } from "./validate-logs.ts";
import { validateNumbers } from "./validate-numbers.ts";
import { validateReserved } from "./validate-reserved.ts";
import { validateShutdown } from "./validate-shutdown.ts";

/** Errors of a configuration that upstream's kubelet refuses, in its order. Throws for unknown feature gates. */
export function validateConfiguration(config: KubeletConfiguration): string[] {
  const enabled = enabledFeatures(config.featureGates);
  const errors = [
    ...validateNumbers(config, enabled),
    ...sysctls(Object.keys(config.defaultPodSysctls ?? {}), enabled),
    ...taints(config.registerWithTaints ?? []),
    ...topology(config),
    ...validateShutdown(config, enabled),
    ...swap(config),
    ...crashBackoff(config, enabled),
    ...validateReserved(config),
    ...pullVerification(config, enabled),
    ...reservedCpus(config),
    ...userNamespaces(config),
    ...hiddenMetrics(config.showHiddenMetricsForVersion ?? ""),
    ...tracing(config.tracing),
    ...memory(config, enabled),
    ...validateLogs(config, enabled),
  ];
  return [...new Set(errors)].map((error) =>
    unprefixed.test(error) ? error : `invalid configuration: ${error}`,
  );
}

/** Errors that contain the name of their field already. */
const unprefixed = /^(invalid taint: |invalid showHiddenMetricsForVersion: |tracing\.)/;

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const namespacedSysctl =
  /^(kernel\.(domainname|sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$|net\.|fs\.mqueue\.|user\.)/;
const maxSysctlLength = 253;

function sysctls(names: readonly string[], enabled: (gate: string) => boolean): string[] {
  if (names.length > 0 && !enabled("DefaultPodSysctls")) {
    return [
      "DefaultPodSysctls feature gate is required for Kubelet configuration option defaultPodSysctls",
    ];
  }
  const seen = new Set<string>();
  return names.flatMap((name) => {
    if (name.length > maxSysctlLength || !sysctlName.test(name)) {
      return [`${goQuote(name)} is not a valid sysctl name for defaultPodSysctls`];
    }
    const dotted = withDots(name);
    const errors = namespacedSysctl.test(dotted)
      ? []
      : [`${goQuote(name)} is not known to be namespaced for defaultPodSysctls`];
    if (seen.has(dotted)) {
      errors.push(`duplicate sysctl ${goQuote(dotted)} found in defaultPodSysctls`);
    }
    seen.add(dotted);
    return errors;
  });
}

/** The first separator decides which one a name uses: `net/ipv4/conf.x` is `net.ipv4.conf/x`. */
function withDots(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taints(given: readonly Taint[]): string[] {
  return given.flatMap(({ key, value = "", effect = "", timeAdded }) => {
    const isBad =
      isQualifiedName(key).length > 0 ||
      isLabelValue(value).length > 0 ||
      (effect !== "" && !effects.includes(effect));
    return [
      ...(isBad ? [`invalid taint: {${key} ${value} ${effect} ${timeAdded ?? "<nil>"}}`] : []),
      ...(timeAdded ? ["taint.TimeAdded is not nil"] : []),
    ];
  });
}

const policies = ["none", "best-effort", "restricted", "single-numa-node"];

function topology(config: KubeletConfiguration): string[] {
  const { topologyManagerPolicy: policy, topologyManagerScope: scope } = config;
  return [
    ...(policies.includes(policy)
      ? []
      : [
          `topologyManagerPolicy (--topology-manager-policy) ${goQuote(policy)} must be one of: [${policies.map(goQuote).join(" ")}]`,
        ]),
    ...(["container", "pod"].includes(scope)
      ? []
      : [
          `topologyManagerScope (--topology-manager-scope) ${goQuote(scope)} must be one of: "container", or "pod"`,
        ]),
  ];
}

function swap({ memorySwap }: KubeletConfiguration): string[] {
  const behaviour = memorySwap?.swapBehavior ?? "";
  if (["", "NoSwap", "LimitedSwap"].includes(behaviour)) return [];
  return [
    `memorySwap.swapBehavior ${goQuote(behaviour)} must be one of: "", "LimitedSwap" or "NoSwap"`,
  ];
}

function crashBackoff(
  { crashLoopBackOff }: KubeletConfiguration,
  enabled: (gate: string) => boolean,
): string[] {
  if (!enabled("KubeletCrashLoopBackOffMax")) return [];
  const ms = parseDuration(crashLoopBackOff.maxContainerRestartPeriod);
  if (Math.trunc(ms) >= 1000 && Math.trunc(ms) <= 300_000) return [];
  return [
    `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${ms / 1000} seconds) must be set between 1s and 300s`,
  ];
}

const verifications = [
  "NeverVerify",
  "NeverVerifyPreloadedImages",
  "NeverVerifyAllowlistedImages",
  "AlwaysVerify",
];

function pullVerification(
  config: KubeletConfiguration,
  enabled: (gate: string) => boolean,
): string[] {
  const { imagePullCredentialsVerificationPolicy: policy = "" } = config;
  const allowlist = config.preloadedImagesVerificationAllowlist ?? [];
  if (!enabled("KubeletEnsureSecretPulledImages")) {
    const off = "must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled";
    return [
      ...(policy === "" ? [] : [`\`imagePullCredentialsVerificationPolicy\` ${off}`]),
      ...(allowlist.length === 0 ? [] : [`\`preloadedImagesVerificationAllowlist\` ${off}`]),
    ];
  }
  const errors: string[] = [];
  if (policy !== "" && !verifications.includes(policy)) {
    const [a, b, c, d] = verifications.map(goQuote);
    errors.push(
      `option ${goQuote(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are ${a}, ${b}, ${c} or ${d}`,
    );
  }
  if (allowlist.length > 0 && policy !== "NeverVerifyAllowlistedImages") {
    errors.push(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
    );
    return errors;
  }
  const problem = allowlist.map(patternProblem).find((text) => text !== undefined);
  if (problem === undefined) return errors;
  return [
    ...errors,
    `invalid image pattern in \`preloadedImagesVerificationAllowlist\`: ${problem}`,
  ];
}

function patternProblem(pattern: string): string | undefined {
  if (pattern !== pattern.trim()) return `leading/trailing spaces are not allowed: ${pattern}`;
  const isWildcard = pattern.endsWith("/*");
  const rest = isWildcard ? pattern.slice(0, -1) : pattern;
  if (rest === "") return `the supplied pattern is too short: ${pattern}`;
  if (rest.includes("*")) {
    return `not a valid wildcard pattern, only patterns ending with '/*' are allowed: ${pattern}`;
  }
  if (isWildcard) return rest.length === 1 ? "at least registry hostname is required" : undefined;
  const last = rest.slice(rest.lastIndexOf("/") + 1);
  if (!/[:@]/.test(last)) return undefined;
  return `neither tag nor digest is accepted in an image reference: ${pattern}`;
}

function reservedCpus(config: KubeletConfiguration): string[] {
  const { reservedSystemCPUs: cpus = "", systemReservedCgroup, kubeReservedCgroup } = config;
  if (cpus === "") return [];
  const clash =
    "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)";
  const problem = cpus
    .split(",")
    .map(rangeProblem)
    .find((text) => text !== undefined);
  return [
    ...(systemReservedCgroup || kubeReservedCgroup ? [clash] : []),
    ...(problem === undefined
      ? []
      : [`unable to parse reservedSystemCPUs (--reserved-cpus) ${cpus}, error: ${problem}`]),
  ];
}

function rangeProblem(range: string): string | undefined {
  const [first = "", ...rest] = range.split("-");
  const bounds = rest.length === 0 ? [first] : [first, rest.join("-")];
  const bad = bounds.find((text) => !/^[+-]?\d+$/.test(text));
  if (bad !== undefined) return `strconv.Atoi: parsing ${goQuote(bad)}: invalid syntax`;
  const [start, end = start] = bounds.map(Number);
  if (Number(start) <= Number(end)) return undefined;
  return `invalid range ${goQuote(range)} (${start} > ${end})`;
}

/** IDs are allocated in blocks of this size. */
const idBlock = 65_536;

function userNamespaces({ userNamespaces: given }: KubeletConfiguration): string[] {
  const ids = given?.idsPerPod ?? idBlock;
  const name = "userNamespaces.idsPerPod";
  if (ids < idBlock) return [`${name} must not be less than ${idBlock}`];
  if (ids % idBlock !== 0) return [`${name} must be a multiple of ${idBlock}`];
  return ids > 0xffffffff ? [`${name} must not be more than ${0xffffffff}`] : [];
}

const previousVersion = "1.36";

function hiddenMetrics(version: string): string[] {
  if (version === "" || version === previousVersion) return [];
  return [
    `invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: Invalid value: ${goQuote(version)}: must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`,
  ];
}

function tracing(given: KubeletConfiguration["tracing"]): string[] {
  const { samplingRatePerMillion: rate = 0, endpoint = "" } = given ?? {};
  const path = "tracing.samplingRatePerMillion: Invalid value";
  const url = endpoint.includes("//") ? endpoint : `dns://${endpoint}`;
  const scheme = url.slice(0, url.indexOf(":"));
  return [
    ...(rate < 0 ? [`${path}: ${rate}: sampling rate must be positive`] : []),
    ...(rate > 1_000_000
      ? [`${path}: ${rate}: sampling rate per million must be less than or equal to one million`]
      : []),
    ...(["dns", "unix", "unix-abstract"].includes(scheme)
      ? []
      : [
          `tracing.endpoint: Invalid value: ${goQuote(url)}: unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
        ]),
  ];
}

/** The former default of memoryThrottlingFactor, which old files may contain without its gate. */
const formerThrottlingFactor = 0.9;

function memory(config: KubeletConfiguration, enabled: (gate: string) => boolean): string[] {
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy } = config;
  const isOn = enabled("MemoryQoS");
  const errors: string[] = [];
  if (!isOn && factor !== undefined && factor !== formerThrottlingFactor) {
    errors.push("memoryThrottlingFactor must not be set when MemoryQoS feature gate is disabled");
  }
  if (factor !== undefined && (factor <= 0 || factor > 1)) {
    errors.push(
      `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`,
    );
  }
  if (!isOn && policy === "TieredReservation") {
    errors.push(
      `memoryReservationPolicy ${goQuote(policy)} requires MemoryQoS feature gate to be enabled`,
    );
  }
  if (!["None", "TieredReservation"].includes(policy)) {
    errors.push(
      `option ${goQuote(policy)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
    );
  }
  return errors;
}
