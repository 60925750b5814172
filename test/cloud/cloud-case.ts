import type { Fault } from "./recording-proxy.ts";

/** A table row: a cloud configuration, and changes of objects, each with what the program must reach after it. */
export interface CloudCase {
  readonly name: string;
  /** Keys of [Global] of the cloud configuration, besides those of every case. */
  readonly global?: Readonly<Record<string, string>>;
  /** Calls of EC2 after seeding. */
  readonly prepare?: readonly { action: string; params: Readonly<Record<string, string>> }[];
  /** Nodes at the start, by instance; default i-1, i-2, i-3. */
  readonly nodes?: readonly string[];
  /** The controllers that run; default: that of Services. Others look at AWS from time to time: only changes count. */
  readonly controllers?: readonly string[];
  /** Further flags of the program. */
  readonly flags?: readonly string[];
  readonly steps: readonly Step[];
  /** Whether it is recorded of our program only. */
  readonly isOwn?: boolean;
  /** The case after which AWS must be as after this one: nothing was doubled or forgotten. */
  readonly endsAs?: string;
  /** Why the calls of ours differ from upstream's; without it they are equal. */
  readonly differs?: string;
}

export type Step = {
  /** What the program reaches: the number of events of a kind grows, the Service is gone, or nodes are in a state. */
  readonly until: ServiceGoal | NodeGoal | "idle";
  readonly faults?: readonly Fault[];
  /** Kills the program when the n-th such call took effect, and starts it again; "change": any that is not a Describe. */
  readonly killAfter?: { readonly call: string; readonly nth: number };
} & Change;

export type ServiceGoal = "ensured" | "failed" | "updated" | "deleted" | "removed" | "ensuring";

/** What all nodes are: described by the cloud, routed; tainted: one has the taint of a machine that is shut down. */
export type NodeGoal =
  | "initialized"
  | "tainted"
  | "untainted"
  | "routed"
  | "unrouted"
  | "tagged"
  | "one less";

export type Change =
  | { readonly create: ServiceOptions }
  | { readonly patch: object; readonly service?: string }
  | { readonly remove: string }
  | { readonly addNode: string; readonly labels?: Readonly<Record<string, string>> }
  | { readonly addNewNode: string; readonly node?: NewNode }
  | { readonly patchNode: string; readonly with: object }
  | { readonly removeNode: string }
  | { readonly call: string; readonly params: Readonly<Record<string, string>> }
  | { readonly restart: true };

/** A node as a kubelet with --cloud-provider=external registers it. */
export interface NewNode {
  readonly providerId?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly podCidr?: string;
}

export interface ServiceOptions {
  /** Annotations of load balancers, without their prefix. */
  readonly lb?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports?: readonly Port[];
  readonly spec?: object;
}

export interface Port {
  readonly port: number;
  readonly nodePort: number;
  readonly name?: string;
  readonly protocol?: string;
}

const prefix = "service.beta.kubernetes.io/aws-load-balancer-";

/** The Service of the steps, named web. */
export function serviceObject(options: ServiceOptions): object {
  const { ports = [{ port: 80, nodePort: 30_080 }], name = "web" } = options;
  const annotations = { ...options.annotations, ...lbAnnotations(options.lb ?? {}) };
  const metadata = { name, namespace: "default", annotations };
  const common = { type: "LoadBalancer", selector: { app: "web" } };
  const named = ports.map((port) => ({ name: `p${port.port}`, ...port }));
  const spec = { ...common, ports: named, ...options.spec };
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

export function lbAnnotations(
  short: Readonly<Record<string, string | null>>,
): Record<string, string | null> {
  return Object.fromEntries(Object.entries(short).map(([name, value]) => [prefix + name, value]));
}

/** A merge patch that sets annotations of load balancers; null removes one. */
export function annotate(short: Readonly<Record<string, string | null>>): { patch: object } {
  return { patch: { metadata: { annotations: lbAnnotations(short) } } };
}

interface NodeParts {
  readonly metadata: object;
  readonly spec: object;
  readonly status: object;
}

export function nodeObject(
  instance: string,
  labels: Readonly<Record<string, string>> = {},
): NodeParts {
  const number = Number(instance.slice(2));
  const zone = `us-east-1${"abca"[number - 1] ?? "a"}`;
  return {
    metadata: { name: `node-${number}`, labels: { ...labels, disk: number === 1 ? "ssd" : "hdd" } },
    spec: { providerID: `aws:///${zone}/${instance}` },
    status: {
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }],
      addresses: [{ type: "InternalIP", address: `10.0.${number}.4` }],
    },
  };
}

/** Its name is the machine's private one, unless its provider id says which machine it is. */
export function newNodeObject(instance: string, given: NewNode): NodeParts {
  const number = Number(instance.slice(2));
  const { providerId, annotations = {}, labels = {}, podCidr } = given;
  const taint = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true" };
  return {
    metadata: { name: `dns-${number}`, labels, annotations },
    spec: {
      taints: [{ ...taint, effect: "NoSchedule" }],
      ...(providerId ? { providerID: providerId } : {}),
      ...(podCidr ? { podCIDR: podCidr, podCIDRs: [podCidr] } : {}),
    },
    status: {
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }],
      addresses: [{ type: "Hostname", address: `dns-${number}` }],
    },
  };
}

/** Whether the program looks at AWS from time to time, so that the number of its looks depends on time. */
export const isPeriodic = ({ controllers }: CloudCase): boolean => controllers !== undefined;
