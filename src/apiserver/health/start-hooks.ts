import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Settings that decide which hooks exist. */
interface HookOptions {
  /** Coordinated leader election is on (the gate CoordinatedLeaderElection). */
  readonly elections: boolean;
  readonly priorityAndFairness: boolean;
  /** Peer proxying to servers with other API versions is on (the gate UnknownVersionInteroperabilityProxy). */
  readonly peers: boolean;
  /** It has a client certificate for other API servers (--proxy-client-cert-file). */
  readonly proxyCertificate: boolean;
}

/**
 * One check for each post-start hook of upstream's server; here their work is complete when serving begins.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/hooks.go, and callers of AddPostStartHook.
 */
export function startHooks(options: HookOptions, isStarted: () => boolean): HealthCheck[] {
  const check = () => {
    if (!isStarted()) throw new Error("not finished");
  };
  return hookNames(options).map((name) => ({ name, check }));
}

function hookNames({
  elections,
  priorityAndFairness,
  peers,
  proxyCertificate,
}: HookOptions): string[] {
  const limits = priorityAndFairness
    ? ["priority-and-fairness-config-consumer", "priority-and-fairness-filter"]
    : ["max-in-flight-filter"];
  const hooks = [
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    ...limits,
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    ...(elections ? ["start-kube-apiserver-coordinated-leader-election-controller"] : []),
    ...(peers ? ["peer-endpoint-reconciler-controller"] : []),
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "storage-readiness",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    ...(proxyCertificate ? ["aggregator-reload-proxy-client-cert"] : []),
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
  ].map((name) => `poststarthook/${name}`);
  return [
    ...hooks,
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
  ];
}

/** The same check, which counts only after this time (--livez-grace-period). */
export function afterGrace(check: HealthCheck, clock: Clock, graceMs: number): HealthCheck {
  const from = clock.monotonicMs() + graceMs;
  return {
    name: check.name,
    async check() {
      if (clock.monotonicMs() >= from) await check.check();
    },
  };
}
