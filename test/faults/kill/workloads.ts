import type { ApiList, ApiObject, ClusterApi } from "./cluster-api.ts";
import type { Container, Containers } from "./containers.ts";
import type { Change } from "./moments.ts";

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";

/** Two workloads that never change, and two that change with each moment. */
const steady = { deployment: "steady", set: "steady-set" };
const changing = { deployment: "changing", set: "changing-set" };
const steadyReplicas = { deployment: 2, set: 1 };

function workload(image: string, name: string, replicas: number, serviceName?: string): object {
  const labels = { app: name };
  const container = { name: "main", image, imagePullPolicy: "IfNotPresent" };
  const spec = { containers: [container], terminationGracePeriodSeconds: 1 };
  const selector = { matchLabels: labels };
  const podTemplate = { metadata: { labels }, spec };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector,
      template: podTemplate,
      ...(serviceName ? { serviceName, podManagementPolicy: "Parallel" } : {}),
    },
  };
}

/** The workloads of a cluster, and what must hold for them. */
export class Workloads {
  readonly violations: string[] = [];
  readonly #api: ClusterApi;
  readonly #containers: Containers;
  readonly #replicas = { deployment: 1, set: 1 };
  #steady: readonly Container[] = [];

  constructor(api: ClusterApi, containers: Containers) {
    this.#api = api;
    this.#containers = containers;
  }

  async create(image: string): Promise<void> {
    const objects = [
      [`${apps}/deployments`, workload(image, steady.deployment, steadyReplicas.deployment)],
      [`${apps}/statefulsets`, workload(image, steady.set, steadyReplicas.set, "steady")],
      [`${apps}/deployments`, workload(image, changing.deployment, this.#replicas.deployment)],
      [`${apps}/statefulsets`, workload(image, changing.set, this.#replicas.set, "changing")],
    ] as const;
    for (const [path, body] of objects) {
      const { status, object } = await this.#api.send("POST", path, body);
      if (status !== 201) throw new Error(`${path}: ${status} ${object.message}`);
    }
  }

  /** Records the containers that must not stop. */
  recordSteady(): void {
    this.#steady = this.#containers.running().filter(({ pod }) => pod.startsWith("steady"));
  }

  /** Starts a change. It is retried until the server has it, as its effect is checked later. */
  async change({ workload: kind, replicas }: Change): Promise<void> {
    if (replicas === undefined) return this.#deletePod(kind);
    this.#replicas[kind] = replicas;
    await this.sendSizes();
  }

  /** Sets the sizes again, after changes that may have been lost unacknowledged. */
  async sendSizes(): Promise<boolean> {
    const sent = await Promise.all(
      (["deployment", "set"] as const).map(async (kind) => {
        const path = `${apps}/${kind === "set" ? "statefulsets" : "deployments"}/${changing[kind]}`;
        const body = { spec: { replicas: this.#replicas[kind] } };
        const answer = await this.#api.send("PATCH", path, body).catch(() => undefined);
        return answer?.status === 200;
      }),
    );
    return sent.every(Boolean);
  }

  async #deletePod(kind: Change["workload"]): Promise<void> {
    try {
      const { object } = await this.#pods();
      const own = object.items.filter(({ metadata }) =>
        kind === "set"
          ? metadata.name.startsWith(`${changing.set}-`)
          : metadata.name.startsWith("changing-") && !metadata.name.startsWith(changing.set),
      );
      const [first] = own;
      if (first) await this.#api.send("DELETE", `${core}/pods/${first.metadata.name}`);
    } catch {
      // The server is down.
    }
  }

  /** Checks what must hold at every time. */
  check(): void {
    const running = this.#containers.running();
    const ids = new Map(running.map((container) => [container.id, container]));
    for (const { id, pod, pid, startedAt } of this.#steady) {
      const now = ids.get(id);
      if (now?.pid !== pid || now.startedAt !== startedAt) {
        this.violations.push(`container ${id} of ${pod} has stopped`);
      }
    }
    this.#steady = this.#steady.filter(({ id }) => ids.has(id));
    const uids = new Map<string, string>();
    for (const { pod, podUid, isSandbox } of running) {
      if (isSandbox || !pod.includes("-set-")) continue;
      const other = uids.get(pod);
      if (other !== undefined && other !== podUid) {
        this.violations.push(`two Pods ${pod} run at once: ${other} and ${podUid}`);
      }
      uids.set(pod, podUid);
    }
  }

  /** Why the workloads do not have their sizes yet; undefined if they do. */
  async unfinished(): Promise<string | undefined> {
    const expected = [
      ["deployments", steady.deployment, steadyReplicas.deployment],
      ["statefulsets", steady.set, steadyReplicas.set],
      ["deployments", changing.deployment, this.#replicas.deployment],
      ["statefulsets", changing.set, this.#replicas.set],
    ] as const;
    let total = 0;
    for (const [resource, name, replicas] of expected) {
      const { object } = await this.#api.send("GET", `${apps}/${resource}/${name}`);
      const { metadata, status } = object;
      const counts = [status?.replicas ?? 0, status?.readyReplicas ?? 0];
      if (status?.observedGeneration !== metadata.generation) return `${name} is not observed`;
      if (counts.some((count) => count !== replicas))
        return `${name} has ${counts}, not ${replicas}`;
      total += replicas;
    }
    return this.#unfinishedPods(total);
  }

  async #unfinishedPods(total: number): Promise<string | undefined> {
    const { object } = await this.#pods();
    const uids = object.items.map(({ metadata }) => metadata.uid);
    if (uids.length !== total) return `${uids.length} Pods, not ${total}`;
    const containers = this.#containers.running().filter(({ isSandbox }) => !isSandbox);
    const running = new Set(containers.map(({ podUid }) => podUid));
    const missing = uids.filter((uid) => !running.has(uid));
    if (missing.length > 0) return `Pods ${missing} have no container`;
    const extra = containers.filter(({ podUid }) => !uids.includes(podUid));
    if (extra.length > 0) return `containers of ${extra.map(({ pod }) => pod)} are left`;
    return restarted(object.items);
  }

  #pods() {
    return this.#api.send<ApiList>("GET", `${core}/pods`);
  }
}

/** A container of a steady Pod never restarts. */
function restarted(pods: readonly ApiObject[]): string | undefined {
  const found = pods.find(
    ({ metadata, status }) =>
      metadata.name.startsWith("steady") &&
      status?.containerStatuses?.some(({ restartCount }) => restartCount > 0),
  );
  return found && `${found.metadata.name} was restarted`;
}
