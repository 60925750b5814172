import { versionAnnotation } from "../node-upgrade/node-request.ts";
import { type PodReport, podProblem } from "./pod-problem.ts";

/** What `k8ts status` reports, and prints with `-o json`. */
export interface ClusterStatus {
  readonly name: string;
  readonly role: "server" | "agent";
  readonly server: string;
  readonly folder: string;
  /** The version of k8ts itself. */
  readonly version: string;
  readonly kubernetesVersion: string | null;
  /** The version that the programs of this machine run; null if it is not known. */
  readonly runningVersion: string | null;
  /** What was interrupted, with the command that ends it; null if nothing. */
  readonly unfinished: string | null;
  /** True if everything below is healthy. */
  readonly healthy: boolean;
  readonly programs: readonly ProgramStatus[];
  /** Parts of the programs that fail and are started again. */
  readonly failing: readonly FailingPartStatus[];
  /** Null if the API server responds; otherwise the problem. */
  readonly apiError: string | null;
  /** Null if the machine has the node's address; otherwise the remedy. */
  readonly addressError: string | null;
  readonly nodes: readonly NodeStatus[];
  /** The servers, each with its member of etcd; empty for other stores. */
  readonly members: readonly MemberStatus[];
  readonly pods: PodsStatus;
  /** Names of the disabled parts of the cluster. */
  readonly disabled: readonly string[];
  readonly features: readonly FeatureStatus[];
  /** Usage of the file system that holds the cluster's folder. */
  readonly disk: DiskStatus;
  /** Null if this machine has none that is readable. */
  readonly certificates: CertificatesStatus | null;
}

/** A server of a cluster on etcd, as the member that it runs. */
export interface MemberStatus {
  readonly name: string;
  readonly state: "leader" | "follower" | "learner" | "does not answer";
  readonly address: string;
  /** The size of its database (MiB); 0 if it does not answer. */
  readonly databaseMiB: number;
}

/** The certificate of this machine that expires first. */
export interface CertificatesStatus {
  readonly file: string;
  /** The day, as YYYY-MM-DD. */
  readonly expires: string;
  /** Whole days until then; negative once it has expired. */
  readonly days: number;
}

export interface ProgramStatus {
  readonly name: string;
  /** The node on this machine that it belongs to; null for the first one. */
  readonly node: string | null;
  /** Null if it does not run. */
  readonly pid: number | null;
  readonly memoryMiB: number;
}

interface FailingPartStatus {
  readonly part: string;
  /** The node on this machine that it belongs to; null for the first one. */
  readonly node: string | null;
  readonly error: string;
}

export interface NodeStatus {
  readonly name: string;
  readonly roles: readonly string[];
  readonly ready: boolean;
  readonly version: string;
  /** The version of k8ts, as its agent reports it; empty if it does not. */
  readonly k8tsVersion: string;
  readonly address: string;
  readonly cpu: string;
  readonly memoryGiB: number;
  /** Pressure conditions, missing networks, cordons: everything that keeps Pods away. */
  readonly problems: readonly string[];
}

export interface PodsStatus {
  readonly total: number;
  readonly healthy: number;
  readonly sick: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly problem: string;
  }[];
}

/** A feature that first-day manifests need: storage, load balancer, … */
export interface FeatureStatus {
  readonly name: string;
  /** Its provider; null if the cluster has none. */
  readonly provider: string | null;
}

export interface DiskStatus {
  readonly freeGiB: number;
  readonly usedPercent: number;
}

/** The parts of a Node that are reported. The API's lists and maps may be null. */
export interface NodeReport {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?:
      | readonly { readonly type: string; readonly status: string; readonly message?: string }[]
      | null;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[] | null;
    readonly capacity?: Readonly<Record<string, string>> | null;
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

const rolePrefix = "node-role.kubernetes.io/";

export function nodeStatus({ metadata, spec, status }: NodeReport): NodeStatus {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const pressures = conditions.filter(
    (condition) => condition.type !== "Ready" && condition.status === "True",
  );
  const isReady = ready?.status === "True";
  return {
    name: metadata.name,
    roles: Object.keys(metadata.labels ?? {})
      .filter((label) => label.startsWith(rolePrefix))
      .map((label) => label.slice(rolePrefix.length)),
    ready: isReady,
    version: status?.nodeInfo?.kubeletVersion ?? "",
    k8tsVersion: metadata.annotations?.[versionAnnotation] ?? "",
    address: status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
    cpu: status?.capacity?.["cpu"] ?? "?",
    memoryGiB: Math.round(kibibytes(status?.capacity?.["memory"] ?? "") / 2 ** 20),
    problems: [
      ...(isReady ? [] : [ready?.message || "no report from its kubelet"]),
      ...pressures.map(({ type, message }) => (message ? `${type}: ${message}` : type)),
      ...(spec?.unschedulable ? ["cordoned: takes no new Pods"] : []),
    ],
  };
}

/** A node's memory is reported as `24563212Ki`. */
const kibibytes = (quantity: string): number => Number(/^(\d+)Ki$/.exec(quantity)?.[1] ?? 0);

export function podsStatus(pods: readonly PodReport[], nowMs: number): PodsStatus {
  const sick = pods.flatMap((pod) => {
    const problem = podProblem(pod, nowMs);
    const { namespace, name } = pod.metadata;
    return problem === undefined ? [] : [{ namespace, name, problem }];
  });
  return { total: pods.length, healthy: pods.length - sick.length, sick };
}

/** Used space (percent) from which kubelets evict Pods: upstream keeps 15 % free for images. */
const fullPercent = 85;

/** True if a cluster is healthy: programs, API server, nodes, Pods and disk. */
export function isHealthy(status: Omit<ClusterStatus, "healthy">): boolean {
  return (
    status.programs.every(({ pid }) => pid !== null) &&
    status.failing.length === 0 &&
    status.apiError === null &&
    status.addressError === null &&
    status.unfinished === null &&
    status.nodes.every(({ ready, problems }) => ready && problems.length === 0) &&
    status.members.every(({ state }) => state === "leader" || state === "follower") &&
    status.pods.sick.length === 0 &&
    status.disk.usedPercent < fullPercent &&
    (status.certificates?.days ?? 0) >= 0
  );
}
