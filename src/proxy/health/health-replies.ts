import type { Node } from "#/api/core/v1.ts";
import type { EndpointReply } from "#/std/net/http-endpoint.ts";
import type { ProxyMetrics } from "../base/metrics.ts";
import type { ProxyHealth } from "./proxy-health.ts";

/** The taint of a node that is about to be removed and should get no new connections. */
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";

const headers = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** /healthz: whether load balancers should send traffic to this node. */
export function healthzReply(
  health: ProxyHealth,
  node: Node | undefined,
  metrics: ProxyMetrics,
): EndpointReply {
  const nodeEligible = isEligible(node);
  const { lastUpdated, currentTime, ...rest } = health.report();
  const ok = rest.healthy && nodeEligible;
  metrics.healthz.with({ code: ok ? "200" : "503" }).inc();
  const report = {
    lastUpdated: ok ? currentTime : lastUpdated,
    currentTime,
    nodeEligible,
    ...rest,
  };
  return { status: ok ? 200 : 503, headers, body: JSON.stringify(report) };
}

/** /livez: whether the proxy works, independent of the node's state. */
export function livezReply(health: ProxyHealth, metrics: ProxyMetrics): EndpointReply {
  const report = health.report();
  metrics.livez.with({ code: report.healthy ? "200" : "503" }).inc();
  if (report.healthy) report.lastUpdated = report.currentTime;
  return { status: report.healthy ? 200 : 503, headers, body: JSON.stringify(report) };
}

function isEligible(node: Node | undefined): boolean {
  if (!node || node.metadata.deletionTimestamp !== undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint);
}
