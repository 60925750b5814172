import assert from "node:assert/strict";
import { test } from "node:test";
import { testContainer, testPod } from "#/testing/pod-fixtures.ts";
import { restoreFromLabels } from "../state/container-labels.ts";
import { Directories } from "../state/directories.ts";
import { containerConfig } from "./container-config.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { linuxSecurityContext, verifyRunAsNonRoot } from "./security-context.ts";
import { gracePeriod, StopOrder } from "./stop-order.ts";

const options = { seccompRoot: "/var/lib/kubelet/seccomp", seccompDefault: false };
const image = { uid: 0, username: "" };

test("sandboxConfig() sets names, labels and cgroup of a pod as upstream does", () => {
  const container = testContainer("main", {
    ports: [{ containerPort: 80, hostPort: 8080, protocol: "TCP" }],
  });
  const config = sandboxConfig({
    pod: testPod({
      containers: [container],
      securityContext: { sysctls: [{ name: "net/ipv4/ip_forward", value: "1" }], fsGroup: 5 },
    }),
    attempt: 2,
    directories: new Directories(),
    dnsConfig: undefined,
    hostname: "web",
    cgroupParent: "/kubepods/podu1",
    resources: {},
  });
  assert.deepEqual(config.metadata, { name: "web", namespace: "default", uid: "u1", attempt: 2 });
  assert.deepEqual(config.labels, {
    "io.kubernetes.pod.name": "web",
    "io.kubernetes.pod.namespace": "default",
    "io.kubernetes.pod.uid": "u1",
  });
  assert.equal(config.logDirectory, "/var/log/pods/default_web_u1");
  assert.deepEqual(config.portMappings, [
    { protocol: "TCP", containerPort: 80, hostPort: 8080, hostIp: "" },
  ]);
  assert.deepEqual(config.linux?.sysctls, { "net.ipv4.ip_forward": "1" });
  assert.deepEqual(config.linux?.securityContext?.supplementalGroups, [5]);
});

test("linuxSecurityContext() lets a container's settings override the pod's", () => {
  const pod = testPod({ securityContext: { runAsUser: 1000, runAsGroup: 2000 } });
  const container = testContainer("main", {
    securityContext: {
      runAsUser: 1001,
      allowPrivilegeEscalation: false,
      procMount: "Unmasked",
      capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
      seccompProfile: { type: "Localhost", localhostProfile: "a.json" },
    },
  });
  const made = linuxSecurityContext(pod, container, image, options);
  assert.deepEqual(
    [made.runAsUser, made.runAsGroup, made.noNewPrivs, made.maskedPaths],
    [{ value: 1001 }, { value: 2000 }, true, []],
  );
  assert.deepEqual(made.capabilities, {
    addCapabilities: ["NET_ADMIN"],
    dropCapabilities: ["ALL"],
  });
  assert.deepEqual(made.seccomp, {
    profileType: "Localhost",
    localhostRef: "/var/lib/kubelet/seccomp/a.json",
  });
});

for (const { name, spec, user, message } of [
  {
    name: "an image that runs as root",
    spec: {},
    user: image,
    message:
      'container has runAsNonRoot and image will run as root (pod: "web_default(u1)", container: main)',
  },
  {
    name: "an image whose user is a name",
    spec: {},
    user: { username: "app" },
    message:
      'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: "web_default(u1)", container: main)',
  },
  {
    name: "user 0",
    spec: { runAsUser: 0 },
    user: { uid: 5, username: "" },
    message:
      'container\'s runAsUser breaks non-root policy (pod: "web_default(u1)", container: main)',
  },
]) {
  test(`verifyRunAsNonRoot() refuses ${name}`, () => {
    const pod = testPod({ securityContext: { runAsNonRoot: true, ...spec } });
    assert.throws(() => verifyRunAsNonRoot(pod, testContainer("main"), user), { message });
  });
}

test("a container can be stopped by its labels alone", () => {
  const container = testContainer("main", {
    lifecycle: { preStop: { exec: { command: ["bye"] } } },
  });
  const pod = testPod({ containers: [container], terminationGracePeriodSeconds: 7 });
  const config = containerConfig({
    pod,
    container,
    imageRef: "ref",
    restartCount: 3,
    variables: [{ name: "A", value: "b" }],
    mounts: [],
    securityContext: {},
    resources: {},
  });
  assert.equal(config.logPath, "main/3.log");
  const restored = restoreFromLabels(config.labels ?? {}, config.annotations ?? {});
  assert.deepEqual(restored.container.lifecycle, container.lifecycle);
  assert.equal(gracePeriod(restored.pod, restored.container, ""), 7);
});

test("gracePeriod() is the deletion's, else the probe's, else the pod's", () => {
  const container = testContainer("main", { livenessProbe: { terminationGracePeriodSeconds: 3 } });
  const pod = testPod({ terminationGracePeriodSeconds: 30 });
  assert.equal(gracePeriod(pod, container, "LivenessProbe"), 3);
  assert.equal(gracePeriod(pod, container, ""), 30);
  const deleted = testPod(pod.spec, { deletionGracePeriodSeconds: 1 });
  assert.equal(gracePeriod(deleted, container, "LivenessProbe"), 1);
});

test("StopOrder lets sidecars end after the others, the last one first", async () => {
  const sidecar = (name: string) => testContainer(name, { restartPolicy: "Always" });
  const pod = testPod({ initContainers: [sidecar("first"), sidecar("second")] });
  const order = new StopOrder(pod, ["main", "first", "second"]);
  const ended: string[] = [];
  const end = async (name: string): Promise<void> => {
    await order.turn(name);
    ended.push(name);
    order.ended(name);
  };
  await Promise.all(["first", "second", "main"].map(end));
  assert.deepEqual(ended, ["main", "second", "first"]);
});
