/** Upstream: cloud-provider-aws pkg/providers/v1/aws_validations.go, aws.go. */
import type { Service, ServicePort } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type Annotations,
  annotationsOf,
  isNetwork,
  lbAnnotations,
  readPairs,
} from "./annotations.ts";

/** Checks what can be checked without AWS. Throws upstream's text. */
export function validateService(service: Service): void {
  validateAnnotations(service, annotationsOf(service));
  const { sessionAffinity = "None", ports = [] } = service.spec ?? {};
  if (sessionAffinity !== "None") {
    throw new Error(`unsupported load balancer affinity: ${sessionAffinity}`);
  }
  if (ports.length === 0) throw new Error("requested load balancer with no ports");
  if (ports.some((port) => protocolOf(port) !== protocolOf(ports[0]))) {
    throw new Error("mixed protocol is not supported for LoadBalancer");
  }
}

export function validatePort(port: ServicePort, annotations: Annotations): void {
  const protocol = protocolOf(port);
  const allowed = isNetwork(annotations) ? ["TCP", "UDP"] : ["TCP"];
  if (allowed.includes(protocol)) return;
  throw new Error(`Protocol ${protocol} not supported by LoadBalancer`);
}

export function protocolOf(port: ServicePort | undefined): string {
  return port?.protocol ?? "TCP";
}

function validateAnnotations(service: Service, annotations: Annotations): void {
  validateType(service, annotations);
  const isNlb = isNetwork(annotations);
  const extra = lbAnnotations.extraSecurityGroups;
  if (isNlb && Object.hasOwn(annotations, extra)) {
    const name = goQuote(extra);
    throw new Error(`BYO extra security group annotation ${name} is not supported by NLB`);
  }
  if (Object.hasOwn(annotations, lbAnnotations.targetGroupAttributes)) {
    if (!isNlb) throw new Error("target group attributes annotation is only supported for NLB");
    validateTargetGroupAttributes(service, annotations);
  }
}

/** The kind of a load balancer can't change: it is visible in its host name. */
function validateType({ status }: Service, annotations: Annotations): void {
  const [ingress] = status?.loadBalancer?.ingress ?? [];
  if (!ingress) return;
  const isClassic = ingress.hostname?.endsWith(".elb.amazonaws.com") ?? false;
  if (isNetwork(annotations) !== isClassic) return;
  const kind = isClassic ? "NLB" : "Classic Load Balancer";
  const name = goQuote(lbAnnotations.type);
  throw new Error(`cannot update Load Balancer Type annotation ${name} after creation for ${kind}`);
}

const attributeNames = ["preserve_client_ip.enabled", "proxy_protocol_v2.enabled"];

function validateTargetGroupAttributes({ spec }: Service, annotations: Annotations): void {
  const fail = (reason: string) => {
    throw new Error(`error validating target group attributes: ${reason}`);
  };
  const pairs = Object.entries(readPairs(annotations, lbAnnotations.targetGroupAttributes));
  for (const [key, value] of pairs) {
    if (value === "") fail(`attribute value is empty for ${goQuote(key)}`);
    if (!attributeNames.includes(key)) {
      fail(`the attribute ${goQuote(key)} is not supported by the controller or is invalid`);
    }
    if (value !== "true" && value !== "false") {
      fail(`invalid attribute value for ${goQuote(key)}: ${value}`);
    }
    const isUdp = (spec?.ports ?? []).some((port) => protocolOf(port) === "UDP");
    if (key === attributeNames[0] && value === "false" && isUdp) {
      fail("client IP preservation can't be disabled for UDP ports");
    }
  }
}
