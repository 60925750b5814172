import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { polite, script } from "./node.ts";
import { isGone, type Suite } from "./runtime.contract.ts";

const mebibyte = 2 ** 20;

/** The life of a container: created, started, resized, stopped, ended. */
export function containerTests({ node, expect }: Suite): void {
  const ends = [
    { name: "well", command: script("exit 0"), code: 0, reason: "Completed" },
    { name: "badly", command: script("exit 3"), code: 3, reason: "Error" },
  ];
  for (const { name, command, code, reason } of ends) {
    test(`a container that ends ${name} has its exit code and times`, async () => {
      const { id } = await node().run(`ends-${name}`, command);
      const status = await node().untilExited(id);
      assert.deepEqual([status.exitCode, status.reason], [code, reason]);
      assert.ok(status.createdAt > 0 && status.createdAt <= status.startedAt);
      assert.ok(status.createdAt <= status.finishedAt);
    });
  }

  test("a container has the labels, annotations and paths that it was made with", async () => {
    const { id, sandbox } = await node().run("described", polite());
    const status = await node().status(id);
    assert.equal(status.state, "CONTAINER_RUNNING");
    assert.equal(status.labels["io.kubernetes.container.name"], "described");
    assert.equal(status.annotations["note"], "described");
    assert.equal(status.metadata?.name, "described");
    assert.equal(status.logPath, `${sandbox.config.logDirectory}/described/0.log`);
    const filter = { podSandboxId: sandbox.id };
    const { containers } = await node().cri.runtime.ListContainers({ filter });
    assert.deepEqual(
      containers.map((one) => [one.id, one.state, one.podSandboxId]),
      [[id, "CONTAINER_RUNNING", sandbox.id]],
    );
  });

  test("a container gets a grace period: one that handles SIGTERM ends by itself", async () => {
    const { id } = await node().run("polite", polite("echo > /tmp/ready;"));
    await node().untilFile(id, "/tmp/ready");
    await node().cri.runtime.StopContainer({ containerId: id, timeout: 20 });
    assert.equal((await node().untilExited(id)).exitCode, 0);
    await node().cri.runtime.StopContainer({ containerId: id, timeout: 0 });
  });

  test("a container that ignores SIGTERM is killed after its grace period", async () => {
    const text = "trap '' TERM; echo > /tmp/ready; while :; do sleep 0.1; done";
    const { id } = await node().run("rude", script(text));
    await node().untilFile(id, "/tmp/ready");
    const beganMs = systemClock.monotonicMs();
    await node().cri.runtime.StopContainer({ containerId: id, timeout: 1 });
    assert.equal((await node().untilExited(id)).exitCode, 137);
    const tookMs = systemClock.monotonicMs() - beganMs;
    assert.ok(tookMs >= 900, `it was killed after ${tookMs} ms`);
  });

  test("a program that does not exist can't be started", async () => {
    await assert.rejects(node().run("nothing", ["/nothing"]), /no such file|not found/i);
  });

  test("a container that ended is removed, and removing it again is no error", async () => {
    const { id } = await node().run("removed", script("exit 0"));
    await node().untilExited(id);
    await node().cri.runtime.RemoveContainer({ containerId: id });
    await expect("repeated removal", async () => {
      await node().cri.runtime.RemoveContainer({ containerId: id });
    });
    await assert.rejects(node().cri.runtime.ContainerStatus({ containerId: id }), isGone);
  });

  test("ExecSync separates the outputs and returns the exit code", async () => {
    const { id } = await node().run("exec", polite());
    const cmd = script("echo out; echo err >&2; exit 4");
    const answer = await node().cri.runtime.ExecSync({ containerId: id, cmd, timeout: 10 });
    const outputs = [answer.stdout, answer.stderr].map((bytes) => Buffer.from(bytes).toString());
    assert.deepEqual([...outputs, answer.exitCode], ["out\n", "err\n", 4]);
  });

  test("ExecSync ends at its timeout", async () => {
    const { id } = await node().run("late", polite());
    await expect("exec timeout", async () => {
      const cmd = script("sleep 60");
      const late = node().cri.runtime.ExecSync({ containerId: id, cmd, timeout: 1 });
      await assert.rejects(late, { code: "DEADLINE_EXCEEDED" });
    });
  });

  test("a running container is resized in place, and reports its new limit", async () => {
    const resources = { memoryLimitInBytes: 64 * mebibyte, cpuPeriod: 100_000, cpuQuota: 50_000 };
    const { id } = await node().run("resized", polite(), { linux: { resources } });
    const linux = { ...resources, memoryLimitInBytes: 96 * mebibyte, cpuQuota: 80_000 };
    await node().cri.runtime.UpdateContainerResources({ containerId: id, linux });
    assert.equal((await node().status(id)).state, "CONTAINER_RUNNING");
    assert.equal(await memoryLimit(await pidOf(id)), 96 * mebibyte);
    await expect("reported resources", async () => {
      const { resources: found } = await node().status(id);
      assert.deepEqual(
        [found?.linux?.memoryLimitInBytes, found?.linux?.cpuQuota],
        [96 * mebibyte, 80_000],
      );
    });
  });

  test("containers send events about their lives", async () => {
    await expect("events", async () => {
      const stop = new AbortController();
      const seen: string[] = [];
      const names = new Set<string>();
      const stream = node().cri.runtime.GetContainerEvents({}, { signal: stop.signal });
      const follow = async () => {
        for await (const event of stream) {
          seen.push(`${event.containerId} ${event.containerEventType}`);
          names.add(event.podSandboxStatus?.metadata?.name ?? "");
        }
      };
      let failure: unknown;
      const following = follow().catch((error: unknown) => {
        failure = stop.signal.aborted ? undefined : error;
      });
      const { id } = await node().run("eventful", script("exit 0"));
      await node().untilExited(id);
      const wanted = ["CREATED", "STARTED", "STOPPED"].map((one) => `${id} CONTAINER_${one}_EVENT`);
      await until("all events arrive", () => {
        if (failure !== undefined) throw failure;
        return wanted.every((one) => seen.includes(one));
      });
      stop.abort();
      await following;
      assert.ok(names.has("eventful"));
    });
  });

  test("a container is checkpointed", async () => {
    const { id } = await node().run("checkpointed", polite());
    await expect("checkpoint", async () => {
      const location = `${node().runtime.directory}/checkpoint.tar`;
      const request = { containerId: id, location, timeout: 30 };
      await node().cri.runtime.CheckpointContainer(request);
      assert.ok((await readFile(location)).length > 0);
    });
    assert.equal((await node().status(id)).state, "CONTAINER_RUNNING");
  });

  /** The first process of a container, on this machine. */
  async function pidOf(id: string): Promise<number> {
    const { info } = await node().cri.runtime.ContainerStatus({ containerId: id, verbose: true });
    const found = /"pid":\s*(\d+)/.exec(Object.values(info).join(" "))?.[1];
    if (found !== undefined) return Number(found);
    return await pidByArgument(id);
  }
}

/** A process whose cgroup names a container. */
async function pidByArgument(id: string): Promise<number> {
  const { readdir } = await import("node:fs/promises");
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const cgroup = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (cgroup.includes(id) && command.startsWith("/bin/sh")) return Number(pid);
  }
  throw new Error(`container ${id} has no process`);
}

async function memoryLimit(pid: number): Promise<number> {
  const cgroups = await readFile(`/proc/${pid}/cgroup`, "utf8");
  const own = /^\d+:memory:(.*)$/m.exec(cgroups)?.[1];
  const unified = /^0::(.*)$/m.exec(cgroups)?.[1];
  const file =
    own === undefined
      ? `/sys/fs/cgroup${unified}/memory.max`
      : `/sys/fs/cgroup/memory${own}/memory.limit_in_bytes`;
  return Number(await readFile(file, "utf8"));
}
