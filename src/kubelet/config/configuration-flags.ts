/** Flags that stand for fields of the KubeletConfiguration. Upstream: cmd/kubelet/app/options/options.go. */
import type { FlagType } from "#/std/flags/flag-types.ts";
import type { FlagSet } from "#/std/flags/flags.ts";

/** `memory.available<100Mi,nodefs.available<10%`. */
const thresholds: FlagType<Readonly<Record<string, string>>> = {
  label: "mapStringString",
  zero: {},
  parse(text, previous = {}) {
    const pairs = text.split(",").filter((pair) => pair !== "");
    const entries = pairs.map((pair) => {
      const at = pair.indexOf("<");
      if (at < 0) throw new SyntaxError(`malformed pair, expect string<string`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
    });
    return { ...previous, ...Object.fromEntries(entries) };
  },
  format: (map) =>
    Object.entries(map)
      .map(([key, value]) => `${key}<${value}`)
      .sort()
      .join(","),
};

/** `name:value,name:value`; a name may occur several times. */
const headers: FlagType<Readonly<Record<string, readonly string[]>>> = {
  label: "colonSeparatedMultimapStringString",
  zero: {},
  parse(text, previous = {}) {
    const found: Record<string, readonly string[]> = { ...previous };
    for (const pair of text.split(",").filter((one) => one !== "")) {
      const [name = "", ...rest] = pair.split(":");
      if (rest.length === 0) throw new SyntaxError("malformed pair, expect string:string");
      found[name.trim()] = [...(found[name.trim()] ?? []), rest.join(":").trim()];
    }
    return found;
  },
  format: (map) =>
    Object.entries(map)
      .flatMap(([name, values]) => values.map((value) => `${name}:${value}`))
      .sort()
      .join(","),
};

const flag = <Type extends string>(type: Type, config: string) =>
  ({ type, config, help: `The field ${config} of the KubeletConfiguration.` }) as const;

export const configurationFlags = {
  "enable-server": flag("bool", "enableServer"),
  "fail-swap-on": flag("bool", "failSwapOn"),
  "pod-manifest-path": flag("string", "staticPodPath"),
  "sync-frequency": flag("duration", "syncFrequency"),
  "file-check-frequency": flag("duration", "fileCheckFrequency"),
  "http-check-frequency": flag("duration", "httpCheckFrequency"),
  "manifest-url": flag("string", "staticPodURL"),
  "manifest-url-header": { ...flag("string", "staticPodURLHeader"), type: headers },
  address: flag("string", "address"),
  port: flag("int32", "port"),
  "read-only-port": flag("int32", "readOnlyPort"),
  "fail-cgroupv1": flag("bool", "failCgroupV1"),
  "container-runtime-endpoint": flag("string", "containerRuntimeEndpoint"),
  "image-service-endpoint": flag("string", "imageServiceEndpoint"),
  "anonymous-auth": flag("bool", "authentication.anonymous.enabled"),
  "authentication-token-webhook": flag("bool", "authentication.webhook.enabled"),
  "authentication-token-webhook-cache-ttl": flag("duration", "authentication.webhook.cacheTTL"),
  "client-ca-file": flag("string", "authentication.x509.clientCAFile"),
  "authorization-mode": flag("string", "authorization.mode"),
  "authorization-webhook-cache-authorized-ttl": flag(
    "duration",
    "authorization.webhook.cacheAuthorizedTTL",
  ),
  "authorization-webhook-cache-unauthorized-ttl": flag(
    "duration",
    "authorization.webhook.cacheUnauthorizedTTL",
  ),
  "tls-cert-file": flag("string", "tlsCertFile"),
  "tls-private-key-file": flag("string", "tlsPrivateKeyFile"),
  "rotate-server-certificates": flag("bool", "serverTLSBootstrap"),
  "rotate-certificates": flag("bool", "rotateCertificates"),
  "tls-cipher-suites": flag("stringSlice", "tlsCipherSuites"),
  "tls-min-version": flag("string", "tlsMinVersion"),
  "registry-qps": flag("int32", "registryPullQPS"),
  "registry-burst": flag("int32", "registryBurst"),
  "event-qps": flag("int32", "eventRecordQPS"),
  "event-burst": flag("int32", "eventBurst"),
  "enable-debugging-handlers": flag("bool", "enableDebuggingHandlers"),
  "healthz-port": flag("int32", "healthzPort"),
  "healthz-bind-address": flag("string", "healthzBindAddress"),
  "oom-score-adj": flag("int32", "oomScoreAdj"),
  "cluster-domain": flag("string", "clusterDomain"),
  "volume-plugin-dir": flag("string", "volumePluginDir"),
  "cluster-dns": flag("stringSlice", "clusterDNS"),
  "streaming-connection-idle-timeout": flag("duration", "streamingConnectionIdleTimeout"),
  "node-status-update-frequency": flag("duration", "nodeStatusUpdateFrequency"),
  "minimum-image-ttl-duration": flag("duration", "imageMinimumGCAge"),
  "image-gc-high-threshold": flag("int32", "imageGCHighThresholdPercent"),
  "image-gc-low-threshold": flag("int32", "imageGCLowThresholdPercent"),
  "volume-stats-agg-period": flag("duration", "volumeStatsAggPeriod"),
  "feature-gates": flag("mapStringBool", "featureGates"),
  "kubelet-cgroups": flag("string", "kubeletCgroups"),
  "system-cgroups": flag("string", "systemCgroups"),
  "provider-id": flag("string", "providerID"),
  "cgroups-per-qos": flag("bool", "cgroupsPerQOS"),
  "cgroup-driver": flag("string", "cgroupDriver"),
  "cgroup-root": flag("string", "cgroupRoot"),
  "cpu-manager-policy": flag("string", "cpuManagerPolicy"),
  "cpu-manager-reconcile-period": flag("duration", "cpuManagerReconcilePeriod"),
  "topology-manager-policy": flag("string", "topologyManagerPolicy"),
  "topology-manager-scope": flag("string", "topologyManagerScope"),
  "runtime-request-timeout": flag("duration", "runtimeRequestTimeout"),
  "hairpin-mode": flag("string", "hairpinMode"),
  "max-pods": flag("int32", "maxPods"),
  "pod-cidr": flag("string", "podCIDR"),
  "pod-max-pids": flag("int", "podPidsLimit"),
  "resolv-conf": flag("string", "resolvConf"),
  runonce: flag("bool", "runOnce"),
  "cpu-cfs-quota": flag("bool", "cpuCFSQuota"),
  "cpu-cfs-quota-period": flag("duration", "cpuCFSQuotaPeriod"),
  "enable-controller-attach-detach": flag("bool", "enableControllerAttachDetach"),
  "make-iptables-util-chains": flag("bool", "makeIPTablesUtilChains"),
  "container-log-max-size": flag("string", "containerLogMaxSize"),
  "container-log-max-files": flag("int32", "containerLogMaxFiles"),
  "allowed-unsafe-sysctls": flag("stringSlice", "allowedUnsafeSysctls"),
  "node-status-max-images": flag("int32", "nodeStatusMaxImages"),
  "kernel-memcg-notification": flag("bool", "kernelMemcgNotification"),
  "local-storage-capacity-isolation": flag("bool", "localStorageCapacityIsolation"),
  "max-open-files": flag("int", "maxOpenFiles"),
  "kube-api-content-type": flag("string", "contentType"),
  "kube-api-qps": flag("int32", "kubeAPIQPS"),
  "kube-api-burst": flag("int32", "kubeAPIBurst"),
  "serialize-image-pulls": flag("bool", "serializeImagePulls"),
  "eviction-hard": { ...flag("string", "evictionHard"), type: thresholds },
  "eviction-soft": { ...flag("string", "evictionSoft"), type: thresholds },
  "eviction-soft-grace-period": flag("mapStringString", "evictionSoftGracePeriod"),
  "eviction-pressure-transition-period": flag("duration", "evictionPressureTransitionPeriod"),
  "eviction-max-pod-grace-period": flag("int32", "evictionMaxPodGracePeriod"),
  "eviction-minimum-reclaim": flag("mapStringString", "evictionMinimumReclaim"),
  "pods-per-core": flag("int32", "podsPerCore"),
  "protect-kernel-defaults": flag("bool", "protectKernelDefaults"),
  "qos-reserved": flag("mapStringString", "qosReserved"),
  "reserved-cpus": flag("string", "reservedSystemCPUs"),
  "system-reserved": flag("mapStringString", "systemReserved"),
  "kube-reserved": flag("mapStringString", "kubeReserved"),
  "enforce-node-allocatable": flag("stringSlice", "enforceNodeAllocatable"),
  "system-reserved-cgroup": flag("string", "systemReservedCgroup"),
  "kube-reserved-cgroup": flag("string", "kubeReservedCgroup"),
  "memory-manager-policy": flag("string", "memoryManagerPolicy"),
  "register-node": flag("bool", "registerNode"),
  "seccomp-default": flag("bool", "seccompDefault"),
} satisfies FlagSet;
