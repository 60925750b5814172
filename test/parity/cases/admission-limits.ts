import type { Case, Step } from "../case.ts";
import {
  account,
  claim,
  container,
  later,
  map,
  namespace,
  pod,
  withContainer,
} from "./admission-bodies.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import {
  claims,
  configMaps,
  create,
  deployments,
  merge,
  pods,
  quotas,
  read,
  services,
} from "./steps.ts";

const ranges = `${namespace}/limitranges`;

const limit = (item: object): Step =>
  create(ranges, objectOf("v1", "LimitRange", { spec: { limits: [item] } }, { name: "l" }));

export const limitCases: Case[] = [
  sequence(
    "limits: defaults",
    account(),
    limit({
      type: "Container",
      default: { cpu: "2", memory: "1Gi" },
      defaultRequest: { cpu: "100m", "ephemeral-storage": "1Gi" },
    }),
    later(create(pods, pod({ initContainers: [{ ...container, name: "i" }] }))),
    create(pods, {
      ...withContainer({ resources: { requests: { cpu: "1" } } }),
      metadata: { name: "b" },
    }),
  ),
  sequence(
    "limits: of a container",
    account(),
    limit({ type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, default: { cpu: "500m" } }),
    later(
      create(
        pods,
        withContainer({ resources: { requests: { cpu: "50m" }, limits: { cpu: "1" } } }),
      ),
    ),
    create(pods, withContainer({ resources: { limits: { cpu: "2" } } })),
    create(pods, withContainer({ resources: { requests: { cpu: "1" }, limits: { cpu: "1" } } })),
  ),
  sequence(
    "limits: nothing said",
    account(),
    limit({ type: "Pod", min: { memory: "1Mi" }, max: { memory: "1Gi" } }),
    later(create(pods, pod())),
    create(
      pods,
      withContainer({ resources: { requests: { memory: "1Mi" }, limits: { memory: "2Gi" } } }),
    ),
  ),
  sequence(
    "limits: ratio",
    account(),
    limit({ type: "Pod", maxLimitRequestRatio: { cpu: "2" } }),
    later(
      create(pods, withContainer({ resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } })),
    ),
    create(pods, pod()),
  ),
  sequence(
    "limits: of a claim",
    limit({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
    later(create(claims, claim("5Gi"))),
    create(claims, claim("1Mi")),
    create(claims, claim("1Gi")),
  ),
];

const quota = (name: string, hard: object, spec: object = {}): Step =>
  create(quotas, objectOf("v1", "ResourceQuota", { spec: { hard, ...spec } }, { name }));

/** The quota controller's update for a new quota. */
const counted = (name: string, hard: Readonly<Record<string, string>>): Step =>
  merge(`${quotas}/${name}/status`, {
    status: { hard, used: Object.fromEntries(Object.keys(hard).map((key) => [key, "0"])) },
  });

const quotaOf = (hard: Readonly<Record<string, string>>, spec: object = {}): Step[] => [
  quota("q", hard, spec),
  counted("q", hard),
];

export const quotaCases: Case[] = [
  sequence(
    "quota: objects",
    ...quotaOf({ configmaps: "1", "count/configmaps": "5", "count/deployments.apps": "0" }),
    later(create(configMaps, map("a"))),
    create(configMaps, map("b")),
    create(
      deployments,
      objectOf("apps/v1", "Deployment", {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
        },
      }),
    ),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: resources",
    account(),
    ...quotaOf({ "requests.cpu": "1", "limits.memory": "1Gi", pods: "2" }),
    later(create(pods, pod())),
    create(
      pods,
      withContainer({ resources: { requests: { cpu: "2" }, limits: { memory: "1Gi" } } }),
    ),
    create(
      pods,
      withContainer({ resources: { requests: { cpu: "600m" }, limits: { memory: "512Mi" } } }),
    ),
    {
      ...create(pods, {
        ...withContainer({ resources: { requests: { cpu: "500m" }, limits: { memory: "1Gi" } } }),
        metadata: { name: "b" },
      }),
    },
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: scopes",
    account(),
    ...quotaOf({ pods: "0" }, { scopes: ["BestEffort"] }),
    later(create(pods, pod())),
    create(pods, withContainer({ resources: { requests: { cpu: "1" } } })),
  ),
  sequence(
    "quota: services",
    ...quotaOf({ services: "5", "services.nodeports": "1", "services.loadbalancers": "0" }),
    later(
      create(
        services,
        objectOf("v1", "Service", { spec: { type: "LoadBalancer", ports: [{ port: 1 }] } }),
      ),
    ),
    create(
      services,
      objectOf("v1", "Service", { spec: { type: "ClusterIP", ports: [{ port: 1 }] } }),
    ),
    merge(`${services}/a`, {
      spec: {
        type: "NodePort",
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      },
    }),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: storage",
    ...quotaOf({
      "requests.storage": "2Gi",
      persistentvolumeclaims: "5",
      "gold.storageclass.storage.k8s.io/requests.storage": "0",
    }),
    later(create(claims, claim("3Gi"))),
    create(claims, {
      ...claim("1Gi"),
      spec: {
        storageClassName: "gold",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    }),
    create(claims, claim("1Gi")),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: unknown status",
    quota("q", { configmaps: "1" }),
    merge(`${quotas}/q/status`, { status: { hard: { configmaps: "1" } } }),
    later(create(configMaps, map())),
  ),
];
