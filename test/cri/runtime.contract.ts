import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getRuntime } from "#/cluster/runtimes/index.ts";
import type { RuntimeChoice } from "#/testing/start-runtime.ts";
import { containerTests } from "./container.contract.ts";
import { imageTests } from "./image.contract.ts";
import { CriNode, polite } from "./node.ts";
import { outputTests } from "./output.contract.ts";
import { securityTests } from "./security.contract.ts";
import { streamTests } from "./stream.contract.ts";
import { userNamespaceTests } from "./user-namespace.contract.ts";

/** What a runtime may lack: the rows of the table in docs/runtimes.md. */
export type Capability =
  | "RuntimeConfig"
  | "events"
  | "pod statistics"
  | "log rotation"
  | "image volumes"
  | "checkpoint"
  | "exec timeout"
  | "sandboxes stop containers"
  | "AppArmor"
  | "seccomp"
  | "streams end without a reset"
  | "repeated removal"
  | "reported resources"
  | "user namespaces";

/** The error for an object that is not there: Docker's adapter has no code for it. */
export const isGone = /^GrpcError: (NOT_FOUND|UNKNOWN: .*No such container)/i;

/** A runtime, and the error of each capability that it lacks. */
export interface TestedRuntime extends RuntimeChoice {
  readonly lacks: Partial<Readonly<Record<Capability, RegExp>>>;
}

/** The input of the parts of the suite. */
export interface Suite {
  readonly tested: TestedRuntime;
  /** Started before the first test. */
  node(): CriNode;
  /** Runs a check of a capability; a runtime that lacks it must fail with the expected error. */
  expect(capability: Capability, check: () => Promise<void>): Promise<void>;
}

/** Tests that every container runtime passes, called as the kubelet calls it. */
export function runtimeContract(tested: TestedRuntime): void {
  let started: CriNode | undefined;
  before(async () => {
    started = await CriNode.start(tested);
  });
  after(() => started?.[Symbol.asyncDispose]());
  const suite: Suite = {
    tested,
    node() {
      if (!started) throw new Error("the runtime did not start");
      return started;
    },
    async expect(capability, check) {
      const error = tested.lacks[capability];
      if (error) await assert.rejects(check, error);
      else await check();
    },
  };
  statusTests(suite);
  sandboxTests(suite);
  imageTests(suite);
  containerTests(suite);
  outputTests(suite);
  streamTests(suite);
  securityTests(suite);
  userNamespaceTests(suite);
}

function statusTests({ tested, node, expect }: Suite): void {
  test("Version and Status name the runtime, which is ready", async () => {
    const { runtime } = node().cri;
    const { runtimeName } = await runtime.Version({ version: "v1" });
    assert.equal(runtimeName, getRuntime(tested.name).criName);
    const { status } = await runtime.Status({});
    const ready = status?.conditions.find(({ type }) => type === "RuntimeReady");
    assert.equal(ready?.status, true);
  });

  test("RuntimeConfig reports the cgroup driver that k8ts has configured", async () => {
    const { runtime, cgroupParent } = { ...node().cri, cgroupParent: node().runtime.cgroupParent };
    await expect("RuntimeConfig", async () => {
      const { linux } = await runtime.RuntimeConfig({});
      const expected = cgroupParent.endsWith(".slice") ? "SYSTEMD" : "CGROUPFS";
      assert.equal(linux?.cgroupDriver, expected);
    });
  });
}

function sandboxTests({ node, expect }: Suite): void {
  test("a sandbox is listed by its labels with what it was made of, until it is removed", async () => {
    const { runtime } = node().cri;
    const { id, config } = await node().runSandbox("box");
    const uid = config.metadata?.uid ?? "";
    const filter = { labelSelector: { "io.kubernetes.pod.uid": uid } };
    const { items } = await runtime.ListPodSandbox({ filter });
    assert.deepEqual(
      items.map((item) => [item.id, item.state, item.metadata?.name, item.metadata?.uid]),
      [[id, "SANDBOX_READY", "box", uid]],
    );
    const { status } = await runtime.PodSandboxStatus({ podSandboxId: id });
    assert.equal(status?.labels["io.kubernetes.pod.uid"], uid);
    assert.equal(status?.annotations["note"], "box");
    assert.equal(status?.linux?.namespaces?.options?.network, "NODE");
    assert.ok((status?.createdAt ?? 0) > 0);
    await runtime.StopPodSandbox({ podSandboxId: id });
    await runtime.StopPodSandbox({ podSandboxId: id });
    const stopped = await runtime.PodSandboxStatus({ podSandboxId: id });
    assert.equal(stopped.status?.state, "SANDBOX_NOTREADY");
    await runtime.RemovePodSandbox({ podSandboxId: id });
    await runtime.RemovePodSandbox({ podSandboxId: id });
    await assert.rejects(runtime.PodSandboxStatus({ podSandboxId: id }), isGone);
    assert.deepEqual((await runtime.ListPodSandbox({ filter })).items, []);
  });

  test("stopping a sandbox ends its containers", async () => {
    const { id, sandbox } = await node().run("ended", polite());
    await expect("sandboxes stop containers", async () => {
      await node().cri.runtime.StopPodSandbox({ podSandboxId: sandbox.id });
      const { state } = await node().status(id);
      assert.equal(state, "CONTAINER_EXITED");
    });
    await node().cri.runtime.RemovePodSandbox({ podSandboxId: sandbox.id });
    const { containers } = await node().cri.runtime.ListContainers({ filter: { id } });
    assert.deepEqual(containers, []);
  });
}
