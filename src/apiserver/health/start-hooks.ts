import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Clock } from "#/std/time/clock.ts";

/** What of flags decides which hooks there are. */
interface HookOptions {
  /** It chooses leaders for others (the gate CoordinatedLeaderElection). */
  readonly elections: boolean;
  readonly priorityAndFairness: boolean;
  /** With other servers that have other versions of APIs (the gate UnknownVersionInteroperabilityProxy). */
  readonly peers: boolean;
  /** It shows a certificate to other API servers (--proxy-client-cert-file). */
  readonly proxyCertificate: boolean;
}

/**
 * One check for each thing that upstream's server does after it has begun to serve; here all of it is done by then.
 *
 * Upstream: apiserver/pkg/server/hooks.go, and whoever calls AddPostStartHook.
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

/** The same check, which counts only once so much time has passed (--livez-grace-period). */
export function afterGrace(check: HealthCheck, clock: Clock, graceMs: number): HealthCheck {
  const from = clock.monotonicMs() + graceMs;
  return {
    name: check.name,
    async check() {
      if (clock.monotonicMs() >= from) await check.check();
    },
  };
}
