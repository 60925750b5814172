/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import { createHash } from "node:crypto";
import type { Service, ServicePort } from "#/api/core/v1.ts";
import type { GlobalConfig } from "../../config/cloud-config.ts";
import { annotationsOf, hasSslPort, lbAnnotations, readSslPorts } from "../base/annotations.ts";
import { protocolOf, validatePort } from "../base/validate-service.ts";
import { type NetworkHealthCheck, networkHealthCheck } from "./network-health-check.ts";

/** What receives the traffic: nodes, or Pods by their addresses. */
type TargetType = "instance" | "ip";

/** The annotation nlb-target-type; nodes without it. */
export function targetTypeOf(service: Service): TargetType {
  const text = annotationsOf(service)[lbAnnotations.targetType] ?? "instance";
  if (text === "instance" || text === "ip") return text;
  const known = '"instance" and "ip"';
  throw new Error(`unsupported ${lbAnnotations.targetType}=${text}: ${known} are supported`);
}

/** The family of targets, as AWS names it. Nodes are instances of IPv4; Pods have the first family of the Service. */
export function targetFamilyOf(service: Service): "ipv4" | "ipv6" {
  const isOfPods = annotationsOf(service)[lbAnnotations.targetType] === "ip";
  return isOfPods && service.spec?.ipFamilies?.[0] === "IPv6" ? "ipv6" : "ipv4";
}

/** A port of a Service: a listener, and the target group behind it. */
export interface NetworkPort {
  readonly name: string;
  readonly port: number;
  /** "TCP", "UDP" or "TLS". */
  readonly protocol: string;
  readonly targetPort: number;
  readonly targetProtocol: string;
  /** With TLS only. */
  readonly certificate?: string;
  readonly sslPolicy?: string;
  readonly healthCheck: NetworkHealthCheck;
}

/** The ports of a Service that have a target port. Throws if an annotation is malformed. */
export function networkPorts(service: Service, config: GlobalConfig): NetworkPort[] {
  const annotations = annotationsOf(service);
  const sslPorts = readSslPorts(annotations);
  const certificate = annotations[lbAnnotations.certificate] ?? "";
  const sslPolicy = annotations[lbAnnotations.sslPolicy] ?? "";
  const targetType = targetTypeOf(service);
  return (service.spec?.ports ?? []).flatMap((port) => {
    validatePort(port, annotations);
    const targetPort = targetType === "ip" ? podPort(port) : port.nodePort;
    if (!targetPort) return [];
    const protocol = protocolOf(port);
    const plain = {
      name: port.name ?? "",
      port: port.port,
      protocol,
      targetPort,
      targetProtocol: protocol,
      healthCheck: networkHealthCheck(service, config),
    };
    const isTls =
      protocol !== "UDP" && certificate !== "" && hasSslPort(sslPorts, port.port, port.name ?? "");
    if (!isTls) return [plain];
    const isSecureBehind = annotations[lbAnnotations.backendProtocol] === "ssl";
    const targetProtocol = isSecureBehind ? "TLS" : protocol;
    return [{ ...plain, protocol: "TLS", targetProtocol, certificate, sslPolicy }];
  });
}

/** The port of a target group of Pods; each target has its own, as a named port differs between Pods. */
function podPort({ port, targetPort }: ServicePort): number {
  return typeof targetPort === "number" && targetPort > 0 ? targetPort : port;
}

/** A name that is different for all that can't be changed in a target group. */
export function targetGroupName(
  clusterId: string,
  service: Service,
  mapping: NetworkPort,
  targetType: string,
): string {
  const { namespace = "", name = "" } = service.metadata ?? {};
  const hash = createHash("sha1");
  const { port, targetPort, targetProtocol, healthCheck } = mapping;
  const parts = [port, targetPort, targetProtocol, targetType, healthCheck.protocol];
  for (const part of [clusterId, namespace, name, ...parts, healthCheck.intervalSeconds]) {
    hash.update(String(part));
  }
  if (targetFamilyOf(service) === "ipv6") hash.update("ipv6");
  return shortName(namespace, name, hash.digest("hex"));
}

/** The name of the security group that is made for a load balancer. */
export function managedGroupName(clusterName: string, { metadata }: Service): string {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  const hash = createHash("sha256").update(clusterName + name + namespace + uid);
  return shortName(namespace, name, hash.digest("hex"));
}

function shortName(namespace: string, name: string, hash: string): string {
  const short = (text: string) => text.replaceAll(/[^0-9A-Za-z]/g, "").slice(0, 8);
  return `k8s-${short(namespace)}-${short(name)}-${hash.slice(0, 10)}`;
}
