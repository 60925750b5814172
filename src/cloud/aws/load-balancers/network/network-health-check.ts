/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import type { Service } from "#/api/core/v1.ts";
import type { GlobalConfig } from "../../config/cloud-config.ts";
import {
  type Annotations,
  annotationsOf,
  lbAnnotations,
  parseDecimal,
} from "../base/annotations.ts";
import { localHealthPath, localHealthPort } from "../base/source-ranges.ts";

export interface NetworkHealthCheck {
  /** A number, or "traffic-port" for the port of each target. */
  readonly port: string;
  /** Empty for TCP. */
  readonly path: string;
  readonly protocol: string;
  readonly intervalSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

export const trafficPort = "traffic-port";
const kubeProxyPort = "10256";

const clusterCheck: NetworkHealthCheck = {
  port: trafficPort,
  path: "/",
  protocol: "TCP",
  intervalSeconds: 30,
  healthyThreshold: 3,
  unhealthyThreshold: 3,
};

/** The health check of all target groups of a Service. Throws if an annotation or the configuration is malformed. */
export function networkHealthCheck(service: Service, config: GlobalConfig): NetworkHealthCheck {
  const annotations = annotationsOf(service);
  // Pods are checked on their own ports.
  const isOfPods = annotations[lbAnnotations.targetType] === "ip";
  const isLocal = !isOfPods && service.spec?.externalTrafficPolicy === "Local";
  const named = withAnnotations(isLocal ? localCheck(service) : clusterCheck, annotations);
  const shared = withSharedProbe(named, isLocal, config);
  const number = (name: string, normal: number) => readNumber(annotations, name, normal);
  const intervalSeconds = number(lbAnnotations.healthInterval, shared.intervalSeconds);
  // AWS fixes the time limit; the annotation is only checked.
  number(lbAnnotations.healthTimeout, 0);
  const healthyThreshold = number(lbAnnotations.healthyThreshold, shared.healthyThreshold);
  const unhealthyThreshold = number(lbAnnotations.unhealthyThreshold, shared.unhealthyThreshold);
  if (shared.port !== trafficPort && !/^[+-]?\d+$/.test(shared.port)) {
    throw new Error(`Invalid health check port '${shared.port}'`);
  }
  return { ...shared, intervalSeconds, healthyThreshold, unhealthyThreshold };
}

function localCheck(service: Service): NetworkHealthCheck {
  const port = localHealthPort(service);
  return {
    port: String(port ?? 0),
    path: port === undefined ? "" : localHealthPath,
    protocol: "HTTP",
    intervalSeconds: 10,
    healthyThreshold: 2,
    unhealthyThreshold: 2,
  };
}

function withAnnotations(check: NetworkHealthCheck, annotations: Annotations): NetworkHealthCheck {
  const named = annotations[lbAnnotations.healthProtocol];
  const protocol = named === undefined ? check.protocol : named.toUpperCase();
  if (!["HTTP", "HTTPS", "TCP"].includes(protocol)) {
    throw new Error(`Unsupported health check protocol ${protocol}`);
  }
  const path = protocol === "TCP" ? "" : (annotations[lbAnnotations.healthPath] ?? check.path);
  const port = annotations[lbAnnotations.healthPort] ?? check.port;
  return { ...check, protocol, path, port };
}

/** The configuration may check kube-proxy for all Services, instead of the port of each. */
function withSharedProbe(
  check: NetworkHealthCheck,
  isLocal: boolean,
  config: GlobalConfig,
): NetworkHealthCheck {
  const mode = config.ClusterServiceLoadBalancerHealthProbeMode;
  if (mode === "ServiceNodePort" || mode === "") return check;
  if (mode !== "Shared") {
    throw new Error(`Unsupported ClusterServiceLoadBalancerHealthProbeMode ${mode}`);
  }
  if (isLocal) return check;
  const port = config.ClusterServiceSharedLoadBalancerHealthProbePort;
  return {
    ...check,
    path: config.ClusterServiceSharedLoadBalancerHealthProbePath || localHealthPath,
    port: port === 0 ? kubeProxyPort : String(port),
    protocol: "HTTP",
  };
}

function readNumber(annotations: Annotations, name: string, normal: number): number {
  const text = annotations[name];
  if (text === undefined) return normal;
  try {
    return parseDecimal(text);
  } catch {
    throw new Error(`failed to parse annotation ${name}=${text}`);
  }
}
