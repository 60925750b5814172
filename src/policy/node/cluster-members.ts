import { type Node, namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { MemberIndex } from "../plan/member-index.ts";
import type { ReportedPod, Sandbox } from "./local-pods.ts";
import {
  dnsKey,
  dnsMember,
  hasOwnNetwork,
  nodeMember,
  podKey,
  podMember,
  slimNamespace,
  slimPod,
  slimPolicyNode,
} from "./members.ts";

interface MembersOptions {
  readonly informers: Informers;
  readonly nodeName: string;
  readonly index: MemberIndex;
  /** Called after each change that policies may ask about. */
  readonly changed: () => void;
}

/** Keeps the index of all Pods, Nodes and namespaces. */
export class ClusterMembers {
  readonly #options: MembersOptions;
  /** The Pods of this node, by key. */
  readonly #local = new Map<string, Pod>();
  /** The sandboxes of this node, by the key of the Pod. */
  #sandboxes: ReadonlyMap<string, Sandbox> = new Map();
  #self: Node | undefined;
  #nodes: () => readonly Node[];

  constructor(options: MembersOptions) {
    this.#options = options;
    const { informers } = options;
    const nodeInformer = informers.informer(nodes, { transform: slimPolicyNode });
    this.#nodes = () => nodeInformer.store.list();
    nodeInformer.subscribe({
      added: (node) => this.#setNode(node),
      updated: (_, node) => this.#setNode(node),
      deleted: ({ metadata }) => this.#change(() => options.index.delete(`nodes/${metadata.name}`)),
    });
    informers.informer(namespaces, { transform: slimNamespace }).subscribe({
      added: ({ metadata }) => this.#setNamespace(metadata.name, metadata.labels ?? {}),
      updated: (_, { metadata }) => this.#setNamespace(metadata.name, metadata.labels ?? {}),
      deleted: ({ metadata }) => this.#setNamespace(metadata.name, undefined),
    });
    const slices = informers.informer(endpointSlices, {
      namespace: "kube-system",
      labelSelector: "kubernetes.io/service-name=kube-dns",
    });
    const setDns = () => this.#setDns(slices.store.list());
    slices.subscribe({ added: setDns, updated: setDns, deleted: setDns });
    informers.informer(pods, { transform: slimPod }).subscribe({
      added: (pod) => this.#setPod(pod),
      updated: (_, pod) => this.#setPod(pod),
      deleted: (pod) => this.#deletePod(pod),
    });
  }

  /** The networks of this node's Pods, as its Node has them. */
  get podCidrs(): readonly string[] {
    const { spec } = this.#self ?? {};
    return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  }

  /** Whether this node is the one that reports about policies: the oldest that is ready. */
  get isReporter(): boolean {
    const ready = this.#nodes().filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True"),
    );
    const age = ({ metadata }: Node) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
    const [oldest] = ready.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
    return oldest?.metadata.name === this.#options.nodeName;
  }

  /** The Pods of this node with the addresses of their status. */
  reportedPods(): ReportedPod[] {
    return [...this.#local].map(([key, pod]) => ({ key, ips: podMember(pod).ips }));
  }

  /** The reference of a Pod of this node, for events. */
  podReference(key: string): object | undefined {
    const pod = this.#local.get(key);
    if (!pod) return undefined;
    const { namespace, name, uid } = pod.metadata;
    return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
  }

  /** Replaces what is known of the sandboxes of this node. */
  setSandboxes(sandboxes: ReadonlyMap<string, Sandbox>): void {
    const before = this.#sandboxes;
    this.#sandboxes = sandboxes;
    for (const key of new Set([...before.keys(), ...sandboxes.keys()])) {
      const pod = this.#local.get(key);
      if (pod) this.#options.index.set(podMember(pod, sandboxes.get(key)?.ips));
    }
  }

  #setPod(pod: Pod): void {
    const { namespace = "", name = "" } = pod.metadata;
    const key = podKey(namespace, name);
    if (!hasOwnNetwork(pod)) return;
    const isLocal = pod.spec?.nodeName === this.#options.nodeName;
    if (isLocal) this.#local.set(key, pod);
    this.#change(() =>
      this.#options.index.set(podMember(pod, isLocal ? this.#sandboxes.get(key)?.ips : [])),
    );
  }

  #deletePod({ metadata: { namespace = "", name = "" } }: Pod): void {
    const key = podKey(namespace, name);
    this.#local.delete(key);
    this.#change(() => this.#options.index.delete(key));
  }

  #setDns(slices: readonly EndpointSlice[]): void {
    const member = dnsMember(slices);
    this.#change(() => {
      if (member) this.#options.index.set(member);
      else this.#options.index.delete(dnsKey);
    });
  }

  #setNode(node: Node): void {
    if (node.metadata.name === this.#options.nodeName) this.#self = node;
    this.#change(() => this.#options.index.set(nodeMember(node)));
  }

  #setNamespace(name = "", labels: Readonly<Record<string, string>> | undefined): void {
    this.#change(() => this.#options.index.setNamespace(name, labels));
  }

  #change(apply: () => void): void {
    apply();
    this.#options.changed();
  }
}
