import { whenSettled } from "#/std/base/maybe-promise.ts";
import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import { exponentialBuckets, type Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Authorizer, Decision } from "../../model/authorizer.ts";
import type { Filter, UserInfo } from "../../model/exchange.ts";

/**
 * Metrics of authentication, authorization and filters.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/metrics.go.
 */
const authBuckets = exponentialBuckets(0.001, 2, 15);

/** Observes the outcome of each authentication: a user, no user, or an invalid credential. */
export type AuthenticationObserver = (user: UserInfo | undefined, startMs: number) => void;

/** Counts and times authentications. */
export function authenticationMetrics(metrics: Metrics, clock: Clock): AuthenticationObserver {
  const attempts = metrics.counter({
    name: "authentication_attempts",
    help: "Attempts to be known, by how they ended.",
    stability: "ALPHA",
    labels: ["result"],
  });
  const users = metrics.counter({
    name: "authenticated_user_requests",
    help: "Requests of users that are known, by sort of user.",
    stability: "ALPHA",
    labels: ["username"],
  });
  const duration = metrics.histogram({
    name: "authentication_duration_seconds",
    help: "How long it took to know who somebody is, by how that ended.",
    stability: "ALPHA",
    labels: ["result"],
    buckets: authBuckets,
  });
  const series = (result: string) => ({
    count: attempts.with({ result }),
    time: duration.with({ result }),
  });
  const known = series("success");
  const unknown = series("failure");
  const sorts = new Map<string, Counter>();
  return (user, startMs) => {
    const { count, time } = user ? known : unknown;
    count.inc();
    time.observe((clock.monotonicMs() - startMs) / 1000);
    if (!user) return;
    const username = sortOfUser(user.name);
    let counter = sorts.get(username);
    if (!counter) {
      counter = users.with({ username });
      sorts.set(username, counter);
    }
    counter.inc();
  };
}

const namedUsers = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

/** Names with a label of their own, and two labels for all others. */
function sortOfUser(name: string): string {
  if (namedUsers.has(name)) return name;
  return name.includes("@") ? "email_id" : "other";
}

const decisionNames: Readonly<Record<Decision["decision"], string>> = {
  allow: "allowed",
  deny: "denied",
  "no-opinion": "no-opinion",
};

/** The same authorizer, counted and timed. */
export function measuredAuthorizer(
  authorizer: Authorizer,
  metrics: Metrics,
  clock: Clock,
): Authorizer {
  const attempts = metrics.counter({
    name: "authorization_attempts_total",
    help: "Questions whether somebody may do something, by the answer.",
    stability: "ALPHA",
    labels: ["result"],
  });
  const duration = metrics.histogram({
    name: "authorization_duration_seconds",
    help: "How long it took to find out whether somebody may do something, by the answer.",
    stability: "ALPHA",
    labels: ["result"],
    buckets: authBuckets,
  });
  const series = new Map<string, { readonly count: Counter; readonly time: Histogram }>();
  const observe = (decision: Decision, startMs: number): Decision => {
    const result = decision.error ? "error" : decisionNames[decision.decision];
    let own = series.get(result);
    if (!own) {
      own = { count: attempts.with({ result }), time: duration.with({ result }) };
      series.set(result, own);
    }
    own.count.inc();
    own.time.observe((clock.monotonicMs() - startMs) / 1000);
    return decision;
  };
  return {
    name: authorizer.name,
    ...(authorizer.rulesFor ? { rulesFor: authorizer.rulesFor.bind(authorizer) } : {}),
    authorize(attributes) {
      const startMs = clock.monotonicMs();
      return whenSettled(authorizer.authorize(attributes), (decision) =>
        observe(decision, startMs),
      );
    },
  };
}

const filterBuckets = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/**
 * Records the time of each filter until it calls the next.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filterlatency/filterlatency.go.
 */
export function filterTimer(
  metrics: Metrics,
  clock: Clock,
): (name: string, filter: Filter) => Filter {
  const duration = metrics.histogram({
    name: "apiserver_request_filter_duration_seconds",
    help: "How long a filter took until the next one had its turn.",
    stability: "ALPHA",
    labels: ["filter"],
    buckets: filterBuckets,
  });
  return (name, filter) => {
    const series = duration.with({ filter: name });
    return (exchange, next) => {
      const startMs = clock.monotonicMs();
      return filter(exchange, (passed) => {
        series.observe((clock.monotonicMs() - startMs) / 1000);
        return next(passed);
      });
    };
  };
}
