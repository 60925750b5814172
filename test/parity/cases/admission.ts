import type { Area, Case } from "../case.ts";
import {
  account,
  claim,
  container,
  later,
  map,
  mirror,
  namespace,
  pod,
  withContainer,
} from "./admission-bodies.ts";
import { limitCases, quotaCases } from "./admission-limits.ts";
import { nodeCases, webhookCases } from "./admission-nodes.ts";
import { podSettingCases, securityCases } from "./admission-pods.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import { claims, configMaps, create, merge, pods } from "./steps.ts";

const storageClasses = "/apis/storage.k8s.io/v1/storageclasses";

const namespaceCases: Case[] = [
  sequence(
    "namespace: missing",
    create("/api/v1/namespaces/none-{ns}/configmaps", map()),
    create("/api/v1/namespaces/none-{ns}/pods", pod()),
  ),
  sequence(
    "namespace: going",
    create(configMaps, map()),
    { method: "DELETE", path: namespace },
    later(create(configMaps, map("b"))),
    create(configMaps, objectOf("v1", "ConfigMap", {}, { generateName: "b-" })),
    merge(`${configMaps}/a`, { data: { a: "b" } }),
  ),
  sequence("namespace: default stays", { method: "DELETE", path: "/api/v1/namespaces/default" }),
];

const accountCases: Case[] = [
  sequence("account: missing", create(pods, pod({ serviceAccountName: "other" }))),
  sequence("account: default", account(), create(pods, pod())),
  sequence(
    "account: no token",
    account({ automountServiceAccountToken: false, imagePullSecrets: [{ name: "s" }] }),
    create(pods, pod()),
    create(pods, pod({ automountServiceAccountToken: true }, { name: "b" })),
  ),
  sequence(
    "account: some mounts",
    account(),
    create(
      pods,
      pod({
        initContainers: [container, { ...container, name: "d" }].map((one, index) => ({
          ...one,
          name: `i${index}`,
          volumeMounts: index
            ? [{ name: "v", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }]
            : [],
        })),
        volumes: [{ name: "v", emptyDir: {} }],
        imagePullSecrets: [{ name: "own" }],
      }),
    ),
  ),
  sequence(
    "account: mirror pods",
    create(pods, pod({ serviceAccountName: "a" }, mirror())),
    create(pods, pod({ imagePullSecrets: [{ name: "s" }] }, mirror())),
    create(pods, pod({ volumes: [tokenVolume()] }, mirror())),
  ),
  sequence(
    "account: mountable secrets",
    account({
      metadata: {
        name: "default",
        annotations: { "kubernetes.io/enforce-mountable-secrets": "true" },
      },
      secrets: [{ name: "good" }],
    }),
    create(pods, pod({ volumes: [{ name: "v", secret: { secretName: "bad" } }] })),
    create(
      pods,
      withContainer({
        env: [{ name: "E", valueFrom: { secretKeyRef: { name: "bad", key: "k" } } }],
      }),
    ),
    create(pods, withContainer({ envFrom: [{ secretRef: { name: "bad" } }] })),
    create(pods, pod({ imagePullSecrets: [{ name: "bad" }] })),
    create(pods, pod({ volumes: [{ name: "v", secret: { secretName: "good" } }] })),
  ),
];

function tokenVolume(): object {
  const serviceAccountToken = { path: "token" };
  return { name: "v", projected: { sources: [{ serviceAccountToken }] } };
}

const storageCases: Case[] = [
  sequence(
    "claim: default class",
    create(
      storageClasses,
      objectOf(
        "storage.k8s.io/v1",
        "StorageClass",
        { provisioner: "p", allowVolumeExpansion: true },
        { name: "{ns}", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      ),
    ),
    later(create(claims, claim("1Gi"))),
    merge(`${claims}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    merge(`${claims}/a/status`, {
      status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    }),
    merge(`${claims}/a`, { spec: { volumeName: "v" } }),
    merge(`${claims}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    { method: "DELETE", path: `${storageClasses}/{ns}` },
    later(merge(`${claims}/a`, { spec: { resources: { requests: { storage: "3Gi" } } } })),
  ),
];

/** Messages and effects of the plugins that are on by default, and of some others. */
export const admissionArea: Area = {
  name: "admission",
  flags: [
    "--allow-privileged=true",
    "--authorization-mode=AlwaysAllow",
    "--enable-admission-plugins=ServiceAccount,NodeRestriction,ExtendedResourceToleration,DenyServiceExternalIPs,LimitPodHardAntiAffinityTopology",
  ],
  cases: [
    ...namespaceCases,
    ...accountCases,
    ...limitCases,
    ...quotaCases,
    ...podSettingCases,
    ...storageCases,
    ...securityCases,
    ...nodeCases,
    ...webhookCases,
  ],
};
