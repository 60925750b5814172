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
  readonly steps: readonly Step[];
  /** Why the calls of ours differ from upstream's; without it they are equal. */
  readonly differs?: string;
}

export type Step = {
  /** What the program reaches: the number of events of a kind grows, or the Service is gone. */
  readonly until: "ensured" | "failed" | "updated" | "deleted" | "removed" | "ensuring" | "idle";
  readonly faults?: readonly Fault[];
  /** Kills the program when the n-th such call took effect, and starts it again. */
  readonly killAfter?: { readonly call: string; readonly nth: number };
} & Change;

export type Change =
  | { readonly create: ServiceOptions }
  | { readonly patch: object; readonly service?: string }
  | { readonly remove: string }
  | { readonly addNode: string; readonly labels?: Readonly<Record<string, string>> }
  | { readonly patchNode: string; readonly with: object }
  | { readonly removeNode: string }
  | { readonly call: string; readonly params: Readonly<Record<string, string>> }
  | { readonly restart: true };

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

export function nodeObject(
  instance: string,
  labels: Readonly<Record<string, string>> = {},
): { metadata: object; spec: object; status: object } {
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
