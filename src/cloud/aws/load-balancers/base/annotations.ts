/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import type { Service } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { parseGoBool } from "#/std/go/strconv.ts";

const prefix = "service.beta.kubernetes.io/aws-load-balancer-";

/** Annotations of a Service that configure its load balancer. */
export const lbAnnotations = {
  type: `${prefix}type`,
  internal: `${prefix}internal`,
  proxyProtocol: `${prefix}proxy-protocol`,
  accessLogEmitInterval: `${prefix}access-log-emit-interval`,
  accessLogEnabled: `${prefix}access-log-enabled`,
  accessLogBucket: `${prefix}access-log-s3-bucket-name`,
  accessLogPrefix: `${prefix}access-log-s3-bucket-prefix`,
  drainingEnabled: `${prefix}connection-draining-enabled`,
  drainingTimeout: `${prefix}connection-draining-timeout`,
  idleTimeout: `${prefix}connection-idle-timeout`,
  crossZone: `${prefix}cross-zone-load-balancing-enabled`,
  extraSecurityGroups: `${prefix}extra-security-groups`,
  securityGroups: `${prefix}security-groups`,
  certificate: `${prefix}ssl-cert`,
  sslPorts: `${prefix}ssl-ports`,
  sslPolicy: `${prefix}ssl-negotiation-policy`,
  backendProtocol: `${prefix}backend-protocol`,
  tags: `${prefix}additional-resource-tags`,
  healthProtocol: `${prefix}healthcheck-protocol`,
  healthPort: `${prefix}healthcheck-port`,
  healthPath: `${prefix}healthcheck-path`,
  healthyThreshold: `${prefix}healthcheck-healthy-threshold`,
  unhealthyThreshold: `${prefix}healthcheck-unhealthy-threshold`,
  healthTimeout: `${prefix}healthcheck-timeout`,
  healthInterval: `${prefix}healthcheck-interval`,
  targetGroupAttributes: `${prefix}target-group-attributes`,
  addressAllocations: `${prefix}eip-allocations`,
  privateAddresses: `${prefix}private-ipv4-addresses`,
  targetNodeLabels: `${prefix}target-node-labels`,
  subnets: `${prefix}subnets`,
  /** Not in upstream: "dualstack" or "ipv4". */
  addressType: `${prefix}ip-address-type`,
  /** Not in upstream: "ip" for the addresses of Pods, "instance" for those of nodes. */
  targetType: `${prefix}nlb-target-type`,
} as const;

export type Annotations = Readonly<Record<string, string>>;

export function annotationsOf({ metadata }: Service): Annotations {
  return metadata?.annotations ?? {};
}

export function isNetwork(annotations: Annotations): boolean {
  return annotations[lbAnnotations.type] === "nlb";
}

/** Another controller makes the load balancers of these types. */
export function isElsewhere(annotations: Annotations): boolean {
  const type = annotations[lbAnnotations.type];
  return type === "nlb-ip" || type === "external";
}

/** Any text but "false" means an internal load balancer. */
export function isInternal(annotations: Annotations): boolean {
  const text = annotations[lbAnnotations.internal] ?? "";
  return text !== "" && text !== "false";
}

/** Reads "Key1=Value,Key2=,Key3". Parts without a key are left out. */
export function readPairs(annotations: Annotations, name: string): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const part of (annotations[name] ?? "").trim().split(",")) {
    const [key = "", value = ""] = part.trim().split("=");
    if (key !== "") pairs.push([key, value]);
  }
  return Object.fromEntries(pairs);
}

/** Reads a comma-separated list without its empty parts. */
export function readList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Reads a boolean; undefined if the annotation is absent or empty. */
export function readBoolean(annotations: Annotations, name: string): boolean | undefined {
  const text = annotations[name] ?? "";
  if (text === "") return undefined;
  try {
    return parseGoBool(text);
  } catch {
    throw new Error(`error parsing service annotation: ${name}=${text}`);
  }
}

/** Reads an integer; undefined if the annotation is absent or empty. */
export function readInteger(annotations: Annotations, name: string): number | undefined {
  const text = annotations[name] ?? "";
  if (text === "") return undefined;
  try {
    return parseDecimal(text);
  } catch {
    throw new Error(`error parsing service annotation: ${name}=${text}`);
  }
}

/** An integer in decimal digits. Throws with the text of Go's strconv. */
export function parseDecimal(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new Error(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new Error(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  }
  return value | 0;
}

/** The ports of the annotation ssl-ports; undefined means all. */
export interface SslPorts {
  readonly names: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

export function readSslPorts(annotations: Annotations): SslPorts | undefined {
  const text = annotations[lbAnnotations.sslPorts] ?? "";
  if (text === "" || text === "*") return undefined;
  const parts = text.split(",");
  const isNumber = (part: string) => /^[+-]?\d+$/.test(part);
  return {
    names: new Set(parts.filter((part) => !isNumber(part))),
    numbers: new Set(parts.filter(isNumber).map(Number)),
  };
}

export function hasSslPort(ports: SslPorts | undefined, port: number, name: string): boolean {
  return ports === undefined || ports.numbers.has(port) || ports.names.has(name);
}
