/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_service.go. */
import { isDNS1123Subdomain } from "#/machinery/meta/names.ts";
import { isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { type Generation, generator } from "./generator.ts";

const tcpFlag = {
  tcp: { type: "stringSlice", help: "Ports, in the format '<port>:<targetPort>'. May be repeated" },
} as const;

interface ServiceFlags {
  readonly tcp: readonly string[];
  readonly clusterip?: string;
  readonly "node-port"?: number;
  readonly "external-name"?: string;
}

function serviceOf(
  type: string,
  { name, metadata }: Pick<Generation<Record<string, never>>, "name" | "metadata">,
  flags: ServiceFlags,
): Unstructured {
  const {
    tcp,
    clusterip = "",
    "node-port": nodePort = 0,
    "external-name": externalName = "",
  } = flags;
  if (clusterip !== "None" && tcp.length === 0 && type !== "ExternalName") {
    throw new CommandError("at least one tcp port specifier must be provided");
  }
  if (type === "ExternalName" && isDNS1123Subdomain(externalName).length > 0) {
    throw new CommandError(`invalid service external name ${externalName}`);
  }
  const ports = tcp.map((text) => ({
    name: text.replaceAll(":", "-"),
    protocol: "TCP",
    ...parsePorts(text),
    ...(nodePort === 0 ? {} : { nodePort }),
  }));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels: { app: name } },
    spec: {
      ...(ports.length > 0 ? { ports } : {}),
      selector: { app: name },
      ...(clusterip === "" ? {} : { clusterIP: clusterip }),
      type,
      ...(externalName === "" ? {} : { externalName }),
    },
  };
}

function parsePorts(text: string): { port: number; targetPort: number | string } {
  const [first = "", target] = text.split(":");
  const port = portNumber(first);
  if (target === undefined) return { port, targetPort: port };
  if (!/^[+-]?\d+$/.test(target)) {
    const problems = isPortName(target);
    if (problems.length > 0) throw new CommandError(problems.join(","));
    return { port, targetPort: target };
  }
  const problems = isPortNumber(Number(target));
  if (problems.length > 0) throw new CommandError(problems.join(","));
  return { port, targetPort: Number(target) };
}

function portNumber(text: string): number {
  if (!/^\d+$/.test(text)) {
    throw new CommandError(`strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`);
  }
  if (Number(text) > 65535) {
    throw new CommandError(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
  }
  return Number(text);
}

/** `kubectl create service clusterip`. */
export const createClusterIP = generator({
  usage: "clusterip NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
  flags: {
    ...tcpFlag,
    clusterip: {
      type: "string",
      help:
        "Address of the Service inside of the cluster, or 'None' for a headless Service, " +
        "which does no load balancing",
    },
  },
  failure: "failed to create ClusterIP service:",
  build: ({ name, metadata, flags }) => serviceOf("ClusterIP", { name, metadata }, flags),
});

/** `kubectl create service nodeport`. */
export const createNodePort = generator({
  usage: "nodeport NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
  flags: {
    ...tcpFlag,
    "node-port": { type: "int", help: "Port of every node at which the Service is reached" },
  },
  failure: "failed to create NodePort service:",
  build: ({ name, metadata, flags }) => serviceOf("NodePort", { name, metadata }, flags),
});

/** `kubectl create service loadbalancer`. */
export const createLoadBalancer = generator({
  usage: "loadbalancer NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
  flags: tcpFlag,
  failure: "failed to create LoadBalancer service:",
  build: ({ name, metadata, flags }) => serviceOf("LoadBalancer", { name, metadata }, flags),
});

/** `kubectl create service externalname`. */
export const createExternalName = generator({
  usage: "externalname NAME --external-name external.name [--dry-run=server|client|none]",
  flags: {
    ...tcpFlag,
    "external-name": { type: "string", help: "DNS name that the Service stands for" },
  },
  requiredFlags: ["external-name"],
  failure: "failed to create ExternalName service:",
  build: ({ name, metadata, flags }) => serviceOf("ExternalName", { name, metadata }, flags),
});
