import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "#/api/core/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { dropDisabledPodFields } from "./drop-disabled-fields.ts";

const http = { port: 80 };
const plain: PodSpec = { containers: [{ name: "c" }] };
const withContainer = (fields: object): PodSpec => ({ containers: [{ name: "c", ...fields }] });
const withVolume = (source: object): PodSpec => ({ ...plain, volumes: [{ name: "v", ...source }] });

/** For each gate: a spec that uses the feature, and the spec after the drop. */
const cases: readonly (readonly [gate: string, spec: PodSpec, left: PodSpec])[] = [
  ["PodLevelResources", { ...plain, resources: { limits: { cpu: "1" } } }, plain],
  ["GenericWorkload", { ...plain, schedulingGroup: { podGroupName: "g" } }, plain],
  ["EvictionRequestAPI", { ...plain, evictionResponders: [{ name: "a/b", priority: 1 }] }, plain],
  [
    "EmptyDirVolumeMode",
    withVolume({ emptyDir: { mode: 511, medium: "Memory" } }),
    withVolume({ emptyDir: { medium: "Memory" } }),
  ],
  [
    "AtomicWriteVolumeUserFields",
    withVolume({
      secret: { secretName: "s", defaultUser: 1, items: [{ key: "k", path: "p", user: 2 }] },
    }),
    withVolume({ secret: { secretName: "s", items: [{ key: "k", path: "p" }] } }),
  ],
  [
    "ClusterTrustBundleProjection",
    withVolume({ projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } }),
    withVolume({ projected: { sources: [{}] } }),
  ],
  [
    "GRPCContainerProbeTLS",
    withContainer({ livenessProbe: { grpc: { port: 1, mode: "TLS" } } }),
    withContainer({ livenessProbe: { grpc: { port: 1 } } }),
  ],
  [
    "H2CContainerProbe",
    withContainer({ lifecycle: { preStop: { httpGet: { ...http, protocol: "HTTP2" } } } }),
    withContainer({ lifecycle: { preStop: { httpGet: http } } }),
  ],
  ["ContainerStopSignals", withContainer({ lifecycle: { stopSignal: "SIGTERM" } }), plain],
  [
    "VolumeBindMountOptions",
    withContainer({ volumeMounts: [{ name: "v", mountPath: "/a", bindMountOptions: ["noexec"] }] }),
    withContainer({ volumeMounts: [{ name: "v", mountPath: "/a" }] }),
  ],
  [
    "EnvFiles",
    withContainer({
      env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "k" } } }],
    }),
    withContainer({ env: [{ name: "A", valueFrom: {} }] }),
  ],
  [
    "ContainerRestartRules",
    {
      containers: [
        { name: "c", restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] },
      ],
      initContainers: [
        { name: "i", restartPolicy: "Always" },
        { name: "j", restartPolicy: "Never" },
      ],
    },
    {
      containers: [{ name: "c" }],
      initContainers: [{ name: "i", restartPolicy: "Always" }, { name: "j" }],
    },
  ],
];

for (const [gate, spec, left] of cases) {
  test(`dropDisabledPodFields() drops the fields of ${gate} unless it is enabled or the old object uses them`, () => {
    const drop = (old: PodSpec | undefined, on: boolean): PodSpec => {
      const pod = { metadata: {}, spec: deepCopy(spec) };
      const before = old && { metadata: {}, spec: old };
      dropDisabledPodFields(pod, before, { enabled: (name) => on || name !== gate });
      return pod.spec;
    };
    assert.deepEqual(drop(undefined, false), left);
    assert.deepEqual(drop(plain, false), left);
    assert.deepEqual(drop(spec, false), spec);
    assert.deepEqual(drop(undefined, true), spec);
  });
}

test("dropDisabledPodFields() drops legacy annotations of init containers", () => {
  const annotations = { "pod.alpha.kubernetes.io/init-containers": "[]", a: "b" };
  const pod = { metadata: { annotations }, spec: plain };
  dropDisabledPodFields(pod, undefined, { enabled: () => true });
  assert.deepEqual(pod.metadata.annotations, { a: "b" });
});
