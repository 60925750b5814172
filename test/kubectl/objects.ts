import { daemonSets, deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { cronJobs, jobs } from "#/api/batch/v1.ts";
import {
  configMaps,
  events,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  serviceAccounts,
  services,
} from "#/api/core/v1.ts";
import { ingresses } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";

type Loose = Record<string, unknown>;

/** The objects in the cluster of every suite. */
export async function createObjects(client: Client): Promise<void> {
  const create = (resource: Resource<never>, object: Loose): Promise<unknown> =>
    createOne(client, resource, object);
  for (const name of ["empty", "shop"]) await create(namespaces as never, { metadata: { name } });
  await create(nodes as never, node("node-1", "192.0.2.11", "True"));
  await create(nodes as never, node("node-2", "192.0.2.12", "False"));
  await create(serviceAccounts as never, { metadata: { name: "default", namespace: "shop" } });
  await create(serviceAccounts as never, { metadata: { name: "default", namespace: "default" } });
  for (const [resource, object] of byName(shopObjects())) await create(resource, object);
}

/**
 * The objects of each resource in the order of their names. Sorted by creation time they then have one order,
 * whether or not a second begins while they are created.
 */
function byName<R extends Resource<never>>(objects: readonly [R, Loose][]): [R, Loose][] {
  const nameOf = (object: Loose): string => (object["metadata"] as { name: string }).name;
  const plurals = [...new Set(objects.map(([resource]) => resource))];
  return plurals.flatMap((resource) =>
    objects
      .filter(([of]) => of === resource)
      .toSorted(([, a], [, b]) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  );
}

/** Creates an object and sets its status, which a plain create leaves out. */
async function createOne(client: Client, resource: Resource<never>, object: Loose): Promise<void> {
  const { status, ...plain } = object;
  const kind = { apiVersion: apiVersion(resource), kind: resource.kind };
  const created = (await client.create(resource as Resource<Loose>, {
    ...kind,
    ...plain,
  })) as Loose;
  if (status !== undefined) {
    await client.updateStatus(resource as Resource<Loose>, { ...created, status });
  }
}

const apiVersion = ({ group, version }: Resource<never>): string =>
  group === "" ? version : `${group}/${version}`;

function node(name: string, address: string, ready: string): Loose {
  return {
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, zone: name === "node-1" ? "a" : "b" },
    },
    spec: { podCIDR: `10.244.${name.at(-1)}.0/24` },
    status: {
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: name },
      ],
      capacity: { cpu: "4", memory: "8Gi", pods: "110" },
      allocatable: { cpu: "3800m", memory: "7Gi", pods: "110" },
      conditions: [
        {
          type: "Ready",
          status: ready,
          reason: ready === "True" ? "KubeletReady" : "KubeletNotReady",
          message: "kubelet is posting ready status",
          lastHeartbeatTime: "2026-01-01T00:00:00Z",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
      nodeInfo: {
        machineID: "m",
        systemUUID: "s",
        bootID: "b",
        kernelVersion: "6.1.0",
        osImage: "Debian GNU/Linux 12",
        containerRuntimeVersion: "containerd://2.0.0",
        kubeletVersion: "v1.37.1",
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
    },
  };
}

const container = (name: string, image: string, more: Loose = {}): Loose => ({
  name,
  image,
  ...more,
});

function podTemplate(app: string): Loose {
  return {
    metadata: { labels: { app } },
    spec: { containers: [container("app", `example.com/${app}:1.0`)] },
  };
}

function pod(name: string, more: { labels?: Loose; spec?: Loose; status?: Loose } = {}): Loose {
  return {
    metadata: { name, namespace: "shop", labels: { app: "web", ...more.labels } },
    spec: {
      nodeName: "node-1",
      containers: [container("app", "example.com/web:1.0", { ports: [{ containerPort: 80 }] })],
      ...more.spec,
    },
    status: more.status,
  };
}

function running(ip: string, names: readonly string[] = ["app"]): Loose {
  return {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    hostIP: "192.0.2.11",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [
      { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
      { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ],
    containerStatuses: names.map((name) => ({
      name,
      image: "example.com/web:1.0",
      imageID: "example.com/web@sha256:0",
      containerID: `containerd://${name}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    })),
  };
}

const waiting: Loose = {
  phase: "Pending",
  conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }],
  containerStatuses: [
    {
      name: "app",
      image: "example.com/web:1.0",
      imageID: "",
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
    },
  ],
};

function shopObjects(): [Resource<never>, Loose][] {
  const selector = { matchLabels: { app: "web" } };
  const at = (name: string, labels?: Loose): Loose => ({
    metadata: { name, namespace: "shop", labels },
  });
  const all: [Resource<unknown>, Loose][] = [
    [pods, pod("web-1", { labels: { tier: "front" }, status: running("10.244.1.5") })],
    [pods, pod("web-2", { labels: { tier: "back" }, status: waiting })],
    [
      pods,
      pod("two", {
        labels: { app: "two" },
        spec: {
          nodeName: "node-2",
          containers: [
            container("app", "example.com/web:1.0"),
            container("side", "example.com/side:2.0"),
          ],
          initContainers: [container("init", "example.com/init:1.0")],
        },
        status: running("10.244.2.7", ["app", "side"]),
      }),
    ],
    [
      deployments,
      {
        ...at("web", { app: "web" }),
        spec: { replicas: 3, selector, template: podTemplate("web") },
        status: {
          replicas: 3,
          readyReplicas: 2,
          updatedReplicas: 3,
          availableReplicas: 2,
          observedGeneration: 1,
        },
      },
    ],
    [
      replicaSets,
      {
        ...at("web-rs", { app: "web" }),
        spec: { replicas: 1, selector, template: podTemplate("web") },
      },
    ],
    [
      statefulSets,
      {
        ...at("db", { app: "db" }),
        spec: {
          serviceName: "db",
          selector: { matchLabels: { app: "db" } },
          template: podTemplate("db"),
        },
      },
    ],
    [
      daemonSets,
      {
        ...at("agent"),
        spec: { selector: { matchLabels: { app: "agent" } }, template: podTemplate("agent") },
      },
    ],
    [
      jobs,
      {
        ...at("once"),
        spec: {
          template: {
            spec: { restartPolicy: "Never", containers: [container("job", "example.com/job:1.0")] },
          },
        },
      },
    ],
    [
      cronJobs,
      {
        ...at("nightly"),
        spec: {
          schedule: "0 3 * * *",
          jobTemplate: {
            spec: {
              template: {
                spec: {
                  restartPolicy: "Never",
                  containers: [container("job", "example.com/job:1.0")],
                },
              },
            },
          },
        },
      },
    ],
    [
      services,
      {
        ...at("web", { app: "web" }),
        spec: {
          clusterIP: "10.0.0.50",
          selector: { app: "web" },
          ports: [{ name: "http", port: 80, targetPort: 8080 }],
        },
      },
    ],
    [
      services,
      {
        ...at("headless"),
        spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 5432 }] },
      },
    ],
    [
      configMaps,
      { ...at("settings", { app: "web" }), data: { color: "blue", "file.txt": "one\ntwo\n" } },
    ],
    [secrets, { ...at("token"), type: "Opaque", data: { password: "czNjcmV0" } }],
    [
      ingresses,
      {
        ...at("web"),
        spec: {
          rules: [
            {
              host: "shop.example.com",
              http: {
                paths: [
                  {
                    path: "/",
                    pathType: "Prefix",
                    backend: { service: { name: "web", port: { number: 80 } } },
                  },
                ],
              },
            },
          ],
        },
      },
    ],
    [
      persistentVolumes,
      {
        metadata: { name: "disk" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/data" },
        },
      },
    ],
    [
      persistentVolumeClaims,
      {
        ...at("data"),
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    [
      events,
      {
        ...at("web-1.started"),
        involvedObject: { kind: "Pod", namespace: "shop", name: "web-1", apiVersion: "v1" },
        reason: "Started",
        message: "Started container app",
        source: { component: "kubelet", host: "node-1" },
        type: "Normal",
        count: 1,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
      },
    ],
  ];
  return all as [Resource<never>, Loose][];
}
