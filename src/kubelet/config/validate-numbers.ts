import { formatDuration, parseDuration } from "#/std/go/duration.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

type Enabled = (gate: string) => boolean;

/** Numbers and times out of their range. Upstream: pkg/kubelet/apis/config/validation/validation.go. */
export function validateNumbers(config: KubeletConfiguration, enabled: Enabled): string[] {
  const { readOnlyPort = 0, podsPerCore = 0, maxParallelImagePulls: pulls } = config;
  return [
    ...when(
      config.nodeLeaseDurationSeconds <= 0,
      "nodeLeaseDurationSeconds must be greater than 0",
    ),
    ...when(
      Boolean(config.systemCgroups) && !config.cgroupRoot,
      "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified",
    ),
    ...notNegative("eventBurst (--event-burst)", config.eventBurst),
    ...notNegative("eventRecordQPS (--event-qps)", config.eventRecordQPS),
    ...(config.healthzPort === 0 ? [] : port("healthzPort (--healthz-port)", config.healthzPort)),
    ...quotaPeriod(config, enabled),
    ...imageCollection(config),
    ...inRange("iptablesDropBit (--iptables-drop-bit)", config.iptablesDropBit, 0, 31),
    ...inRange(
      "iptablesMasqueradeBit (--iptables-masquerade-bit)",
      config.iptablesMasqueradeBit,
      0,
      31,
    ),
    ...notNegative("kubeAPIBurst (--kube-api-burst)", config.kubeAPIBurst),
    ...notNegative("kubeAPIQPS (--kube-api-qps)", config.kubeAPIQPS),
    ...when(
      config.nodeStatusMaxImages < -1,
      `nodeStatusMaxImages (--node-status-max-images) ${config.nodeStatusMaxImages} must be -1 or greater`,
    ),
    ...notNegative("maxOpenFiles (--max-open-files)", config.maxOpenFiles),
    ...notNegative("maxPods (--max-pods)", config.maxPods),
    ...inRange("oomScoreAdj (--oom-score-adj)", config.oomScoreAdj, -1000, 1000),
    ...notNegative("podsPerCore (--pods-per-core)", podsPerCore),
    ...port("port (--port)", config.port),
    ...(readOnlyPort === 0 ? [] : port("readOnlyPort (--read-only-port)", readOnlyPort, 0)),
    ...notNegative("registryBurst (--registry-burst)", config.registryBurst),
    ...notNegative("registryPullQPS (--registry-qps)", config.registryPullQPS),
    ...when(
      pulls !== undefined && pulls < 1,
      `maxParallelImagePulls ${pulls} must be a positive number`,
    ),
    ...when(
      config.serializeImagePulls && (pulls ?? 1) > 1,
      "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false",
    ),
    ...when(
      Boolean(config.serverTLSBootstrap) && !enabled("RotateKubeletServerCertificate"),
      "serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate",
    ),
    ...when(
      Boolean(config.runOnce),
      "runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set",
    ),
  ];
}

/** The default, which needs no gate. */
const defaultQuotaPeriodMs = 100;

function quotaPeriod({ cpuCFSQuotaPeriod }: KubeletConfiguration, enabled: Enabled): string[] {
  const ms = parseDuration(cpuCFSQuotaPeriod);
  const name = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${formatDuration(ms)}}`;
  if (enabled("CustomCPUCFSQuotaPeriod")) {
    return when(ms < 1 || ms > 1000, `${name} must be between 1ms and 1sec, inclusive`);
  }
  const gate = `${name} requires feature gate CustomCPUCFSQuotaPeriod`;
  return when(ms !== defaultQuotaPeriodMs, gate);
}

function imageCollection(config: KubeletConfiguration): string[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = config;
  const min = parseDuration(config.imageMinimumGCAge);
  const max = parseDuration(config.imageMaximumGCAge ?? "0s");
  const [minText, maxText] = [formatDuration(min), formatDuration(max)];
  const [highName, lowName] = [
    "imageGCHighThresholdPercent (--image-gc-high-threshold)",
    "imageGCLowThresholdPercent (--image-gc-low-threshold)",
  ];
  return [
    ...inRange(highName, high, 0, 100),
    ...inRange(lowName, low, 0, 100),
    ...when(low >= high, `${lowName} ${low} must be less than ${highName} ${high}`),
    ...when(min < 0, `imageMinimumGCAge ${minText} must not be negative`),
    ...when(max < 0, `imageMaximumGCAge ${maxText} must not be negative`),
    ...when(
      max > 0 && max <= min,
      `imageMaximumGCAge ${maxText} must be greater than imageMinimumGCAge ${minText}`,
    ),
  ];
}

function when(wrong: boolean, error: string): string[] {
  return wrong ? [error] : [];
}

function notNegative(name: string, value: number): string[] {
  return when(value < 0, `${name} ${value} must not be a negative number`);
}

function inRange(name: string, value: number, min: number, max: number): string[] {
  return when(
    value < min || value > max,
    `${name} ${value} must be between ${min} and ${max}, inclusive`,
  );
}

/** `least` is only the number in the error: 0 means "none" where that is allowed. */
function port(name: string, value: number, least = 1): string[] {
  return when(
    value < 1 || value > 65_535,
    `${name} ${value} must be between ${least} and 65535, inclusive`,
  );
}
