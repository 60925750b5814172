import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "#/api/core/v1.ts";
import { testContainer, testPod } from "#/testing/pod-fixtures.ts";
import { admitAppArmor } from "./apparmor-admission.ts";
import { admitToNode } from "./node-admission.ts";
import { admitSysctls } from "./sysctl-admission.ts";

const node: Node = {
  metadata: { name: "n1", labels: { "kubernetes.io/os": "linux", disk: "ssd" } },
  spec: { taints: [{ key: "gone", effect: "NoExecute" }] },
  status: { allocatable: { cpu: "1", memory: "1Gi", pods: "2" } },
};
const tolerating = { tolerations: [{ key: "gone", operator: "Exists" as const }] };
const asking = (requests: Record<string, string>): Pod =>
  testPod({ ...tolerating, containers: [testContainer("main", { resources: { requests } })] });
const listening = (hostIP?: string): Pod =>
  testPod({
    ...tolerating,
    containers: [
      testContainer("main", {
        ports: [{ containerPort: 80, hostPort: 80, ...(hostIP && { hostIP }) }],
      }),
    ],
  });

const cases: readonly { name: string; pod: Pod; others?: readonly Pod[]; expected: string }[] = [
  { name: "takes a pod that fits", pod: asking({ cpu: "500m" }), expected: "" },
  {
    name: "refuses a pod that requests more than is left",
    pod: asking({ cpu: "500m" }),
    others: [asking({ cpu: "600m" })],
    expected:
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000",
  },
  {
    name: "refuses a pod over the limit of pods",
    pod: asking({}),
    others: [asking({}), asking({})],
    expected:
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2",
  },
  {
    name: "accepts unknown extended resources",
    pod: asking({ "example.org/thing": "1" }),
    expected: "",
  },
  {
    name: "refuses a pod that selects other nodes",
    pod: testPod({ ...tolerating, nodeSelector: { disk: "hdd" } }),
    expected:
      "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    name: "refuses a port that is in use",
    pod: listening(),
    others: [listening("10.0.0.1")],
    expected:
      "NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  },
  {
    name: "accepts the same port at another address",
    pod: listening("10.0.0.2"),
    others: [listening("10.0.0.1")],
    expected: "",
  },
  {
    name: "refuses a pod that doesn't tolerate its taint",
    pod: testPod(),
    expected:
      "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  },
  {
    name: "refuses pods of another operating system",
    pod: testPod({ ...tolerating, os: { name: "windows" } }),
    expected: "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS",
  },
];

for (const { name, pod, others = [], expected } of cases) {
  test(`admitToNode() ${name}`, () => assert.equal(text(admitToNode(pod, node, others)), expected));
}

const setting = (name: string, spec: Partial<Pod["spec"]> = {}): Pod =>
  testPod({ ...spec, securityContext: { sysctls: [{ name, value: "1" }] } });

for (const { pod, allowed = [], expected } of [
  { pod: setting("kernel.shm_rmid_forced"), expected: "" },
  {
    pod: setting("kernel.msgmax"),
    expected: 'SysctlForbidden: forbidden sysctl: "kernel.msgmax" not allowlisted',
  },
  { pod: setting("kernel/msgmax"), allowed: ["kernel.msg*"], expected: "" },
  {
    pod: setting("net.ipv4.tcp_syncookies", { hostNetwork: true }),
    expected:
      'SysctlForbidden: forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  },
]) {
  test(`admitSysctls() answers for ${pod.spec.securityContext?.sysctls?.[0]?.name}: "${expected}"`, () => {
    assert.equal(text(admitSysctls(pod, allowed)), expected);
  });
}

test("admitAppArmor() refuses profiles where the kernel enforces none", () => {
  const pod = testPod({ securityContext: { appArmorProfile: { type: "RuntimeDefault" } } });
  assert.equal(
    text(admitAppArmor(pod, false)),
    "AppArmor: Cannot enforce AppArmor: AppArmor is not enabled on the host",
  );
  assert.equal(text(admitAppArmor(pod, true)), "");
});

function text(admission: ReturnType<typeof admitToNode>): string {
  return admission.admitted ? "" : `${admission.reason}: ${admission.message}`;
}
