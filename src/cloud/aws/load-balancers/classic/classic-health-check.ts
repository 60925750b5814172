/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import type { Service } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type ClassicLoadBalancer,
  configureHealthCheck,
  type ElbHealthCheck,
} from "../../client/elb-operations.ts";
import type { GlobalConfig } from "../../config/cloud-config.ts";
import {
  type Annotations,
  annotationsOf,
  lbAnnotations,
  parseDecimal,
} from "../base/annotations.ts";
import { type AwsAction, action } from "../base/session.ts";
import { localHealthPath, localHealthPort } from "../base/source-ranges.ts";
import type { ClassicListener } from "./classic-listeners.ts";

/** The annotation's word for the port of the first listener. */
const trafficPort = "traffic-port";
const kubeProxyPort = 10_256;

interface Probe {
  readonly protocol: string;
  readonly port: number;
  readonly path: string;
}

/** Sets the health check unless the load balancer has it. Throws if an annotation is malformed. */
export function planHealthCheck(
  service: Service,
  listeners: readonly ClassicListener[],
  loadBalancer: ClassicLoadBalancer,
  config: GlobalConfig,
): AwsAction[] {
  const annotations = annotationsOf(service);
  const name = loadBalancer.LoadBalancerName ?? "";
  const firstPort = listeners[0]?.InstancePort ?? 0;
  const local = localHealthPort(service);
  if (local === undefined) {
    return plan(clusterProbe(annotations, firstPort, config), annotations, loadBalancer);
  }
  const isTraffic = annotations[lbAnnotations.healthPort] === trafficPort;
  const port = isTraffic ? firstPort : local;
  try {
    return plan(
      { protocol: "HTTP", port, path: localHealthPath },
      annotations,
      loadBalancer,
      (text) => failedLocal(name, port, text),
    );
  } catch (error) {
    throw new Error(failedLocal(name, port, goQuote(error instanceof Error ? error.message : "")));
  }
}

function failedLocal(name: string, port: number, text: string): string {
  return `Failed to ensure health check for localized service ${name} on node port ${port}: ${text}`;
}

/** The check of a Service whose traffic any node takes. */
function clusterProbe(annotations: Annotations, firstPort: number, config: GlobalConfig): Probe {
  if (config.ClusterServiceLoadBalancerHealthProbeMode === "Shared") {
    return {
      protocol: "HTTP",
      port: config.ClusterServiceSharedLoadBalancerHealthProbePort || kubeProxyPort,
      path: config.ClusterServiceSharedLoadBalancerHealthProbePath || localHealthPath,
    };
  }
  const backend = (annotations[lbAnnotations.backendProtocol] ?? "").toLowerCase();
  const isSecure = backend === "https" || backend === "ssl";
  return { protocol: isSecure ? "SSL" : "TCP", port: firstPort, path: "" };
}

function plan(
  probe: Probe,
  annotations: Annotations,
  loadBalancer: ClassicLoadBalancer,
  around: (text: string) => string = (text) => text,
): AwsAction[] {
  const name = loadBalancer.LoadBalancerName ?? "";
  const target = targetOf(probe, annotations);
  let wanted: ElbHealthCheck;
  try {
    wanted = healthCheck(target, annotations);
  } catch (error) {
    const text = goQuote(error instanceof Error ? error.message : "");
    throw new Error(`cannot update health check for load balancer ${goQuote(name)}: ${text}`);
  }
  const actual = loadBalancer.HealthCheck;
  const keys = ["Target", "Interval", "Timeout", "UnhealthyThreshold", "HealthyThreshold"] as const;
  if (keys.every((key) => actual?.[key] === wanted[key])) return [];
  const text = `error configuring load balancer health check for ${goQuote(name)}: %q`;
  const failure = around(text) as `${string}%q`;
  return [action(configureHealthCheck, { LoadBalancerName: name, HealthCheck: wanted }, failure)];
}

/** "HTTP:31000/healthz". */
function targetOf(probe: Probe, annotations: Annotations): string {
  const protocol = annotations[lbAnnotations.healthProtocol] ?? probe.protocol;
  const portText = annotations[lbAnnotations.healthPort];
  const isOwn = portText !== undefined && portText !== trafficPort;
  const port = isOwn ? parseDecimal(portText) : probe.port;
  const hasPath = ["HTTP", "HTTPS"].includes(protocol.toUpperCase());
  const path = hasPath ? annotations[lbAnnotations.healthPath] || probe.path || "/" : "";
  return `${protocol}:${port}${path}`;
}

function healthCheck(target: string, annotations: Annotations): ElbHealthCheck {
  const read = (name: string, normal: number) => {
    const text = annotations[name];
    if (text === undefined) return normal;
    try {
      return parseDecimal(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      throw new Error(`failed parsing health check annotation value: ${reason}`);
    }
  };
  const wanted = {
    Target: target,
    HealthyThreshold: read(lbAnnotations.healthyThreshold, 2),
    UnhealthyThreshold: read(lbAnnotations.unhealthyThreshold, 6),
    Timeout: read(lbAnnotations.healthTimeout, 5),
    Interval: read(lbAnnotations.healthInterval, 10),
  };
  const least = { HealthyThreshold: 2, Interval: 5, Timeout: 2, UnhealthyThreshold: 2 };
  const errors = Object.entries(least)
    .filter(([name, limit]) => wanted[name as keyof typeof least] < limit)
    .map(([name, limit]) => `${name} must be at least ${limit}`);
  if (errors.length === 0) return wanted;
  const text = `HealthCheck validation errors: ${errors.join("; ")}`;
  throw new Error(`some of the load balancer health check parameters are invalid: ${text}`);
}
