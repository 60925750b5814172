import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod, PodSpec, RestartPolicy, Volume } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { podWarnings, specWarnings } from "../pod-spec/pod-warnings.ts";
import { setSpecDefaults } from "./defaults.ts";
import { validateNewSpec, validatePod } from "./validate-pod.ts";

const container: Container = { name: "a", image: "busybox" };
const plain: PodSpec = { containers: [container] };
const ephemeral: Volume = {
  name: "data",
  ephemeral: {
    volumeClaimTemplate: {
      metadata: {},
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  },
};

const specs: readonly (readonly [string, PodSpec, ObjectMeta?])[] = [
  ["is right", plain],
  [
    "is wrong",
    { ...plain, restartPolicy: "Sometimes" as RestartPolicy, nodeSelector: { "a b": "c" } },
  ],
  ["is privileged", { containers: [{ ...container, securityContext: { privileged: true } }] }],
  ["is deprecated", { ...plain, nodeSelector: { "beta.kubernetes.io/os": "linux" } }],
  ["has claims named after the pod", { ...plain, volumes: [ephemeral] }, { name: "A_b" }],
  [
    "has claims a static pod may not have",
    { ...plain, resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] },
    { name: "a", annotations: { "kubernetes.io/config.mirror": "x" } },
  ],
  [
    "has annotations from before they were fields",
    plain,
    {
      name: "a",
      annotations: {
        "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        "container.seccomp.security.alpha.kubernetes.io/a": "runtime/default",
        "container.apparmor.security.beta.kubernetes.io/a": "runtime/default",
        "scheduler.alpha.kubernetes.io/critical-pod": "",
      },
    },
  ],
];

for (const [title, spec, metadata = { name: "a" }] of specs) {
  for (const allowPrivileged of [true, false]) {
    const allowed = allowPrivileged ? "allowed" : "not allowed";
    test(`validatePod() and podWarnings() with the results of the spec: ${title}, privileged ${allowed}`, () => {
      const own = structuredClone(spec);
      setSpecDefaults(own);
      const pod: Decoded<Pod> = { metadata: { namespace: "default", ...metadata }, spec: own };
      const rules = { enabled: () => true, allowPrivileged };
      const context = rules as unknown as RequestContext;
      const ofSpec = validateNewSpec(own, rules);
      assert.deepEqual(validatePod(pod, context, ofSpec), validatePod(pod, context));
      assert.deepEqual(podWarnings(pod, specWarnings(own)), podWarnings(pod));
    });
  }
}

test("validateNewSpec() is undefined for specs that depend on the Pod's metadata", () => {
  const rules = { enabled: () => true, allowPrivileged: true };
  assert.equal(validateNewSpec({ ...plain, volumes: [ephemeral] }, rules), undefined);
  assert.equal(validateNewSpec({ ...plain, resourceClaims: [] }, rules), undefined);
});
