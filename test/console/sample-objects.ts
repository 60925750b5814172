import type { TestConsole } from "./start-console.ts";

interface SamplePod {
  readonly name: string;
  readonly namespace?: string;
  readonly node?: string;
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly object[];
  readonly status: object;
}

type Create = Pick<TestConsole, "create" | "setStatus">;

/** A namespace with the account that controllers would give it. */
export async function createNamespace(
  { create }: Pick<Create, "create">,
  name: string,
): Promise<void> {
  if (name !== "default") await create("/api/v1/namespaces", { metadata: { name } });
  await create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
}

export async function createPod({ create, setStatus }: Create, pod: SamplePod): Promise<void> {
  const {
    name,
    namespace = "default",
    node,
    image = "nginx:1.29",
    labels,
    ownerReferences,
    status,
  } = pod;
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await create(path, {
    metadata: {
      name,
      ...(labels ? { labels } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
    spec: { containers: [{ name: "main", image }], ...(node ? { nodeName: node } : {}) },
  });
  await setStatus(`${path}/${name}`, status);
}

export const running = (startedAt: string) => ({
  phase: "Running",
  podIP: "10.0.0.7",
  conditions: [
    { type: "PodScheduled", status: "True", lastTransitionTime: startedAt },
    { type: "Initialized", status: "True", lastTransitionTime: startedAt },
    { type: "ContainersReady", status: "True", lastTransitionTime: startedAt },
    { type: "Ready", status: "True", lastTransitionTime: startedAt },
  ],
  containerStatuses: [
    {
      name: "main",
      image: "nginx:1.29",
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt } },
    },
  ],
});

export const waiting = (reason: string, message: string, restartCount = 0) => ({
  phase: "Pending",
  conditions: [
    { type: "PodScheduled", status: "True" },
    {
      type: "Ready",
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [main]",
    },
  ],
  containerStatuses: [
    {
      name: "main",
      image: "nginx:1.99",
      imageID: "",
      ready: false,
      restartCount,
      state: { waiting: { reason, message } },
    },
  ],
});

export async function createNode(
  api: Create,
  name: string,
  { isReady = true } = {},
): Promise<void> {
  await api.create("/api/v1/nodes", { metadata: { name } });
  const at = "2026-01-01T00:00:00Z";
  await api.setStatus(`/api/v1/nodes/${name}`, {
    allocatable: { cpu: "8", memory: "32Gi", pods: "110" },
    capacity: { cpu: "8", memory: "32Gi", pods: "110" },
    conditions: [
      { type: "MemoryPressure", status: "False", lastTransitionTime: at, lastHeartbeatTime: at },
      {
        type: "Ready",
        status: isReady ? "True" : "False",
        reason: isReady ? "KubeletReady" : "KubeletNotReady",
        lastTransitionTime: at,
        lastHeartbeatTime: at,
      },
    ],
    nodeInfo: { kubeletVersion: "v1.37.1" },
  });
}

interface SampleEvent {
  readonly name: string;
  readonly namespace?: string;
  readonly kind?: string;
  readonly about: string;
  readonly uid?: string;
  readonly type?: string;
  readonly reason: string;
  readonly message: string;
  readonly at?: string;
}

export async function createEvent(
  { create }: Pick<Create, "create">,
  event: SampleEvent,
): Promise<void> {
  const {
    name,
    namespace = "default",
    kind = "Pod",
    about,
    uid,
    type = "Normal",
    reason,
    message,
    at,
  } = event;
  const time = at ?? "2026-01-01T00:00:00Z";
  await create(`/api/v1/namespaces/${namespace}/events`, {
    metadata: { name },
    involvedObject: { apiVersion: "v1", kind, namespace, name: about, ...(uid ? { uid } : {}) },
    type,
    reason,
    message,
    source: { component: "kubelet" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  });
}
