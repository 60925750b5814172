import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { test } from "node:test";
import { readLog } from "#/kubelet/server/read-log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { polite, script } from "./node.ts";
import type { Suite } from "./runtime.contract.ts";

/** Logs and their rotation, and statistics. */
export function outputTests({ node, expect }: Suite): void {
  async function logOf(id: string, stream?: "stdout" | "stderr"): Promise<string> {
    const { logPath } = await node().status(id);
    const parts = readLog(logPath, {
      tailLines: undefined,
      follow: false,
      clock: systemClock,
      signal: new AbortController().signal,
      isRunning: async () => false,
      timestamps: false,
      sinceMs: 0,
      limitBytes: Number.POSITIVE_INFINITY,
      streams: new Set(stream ? [stream] : ["stdout", "stderr"]),
    });
    return Buffer.concat(await Array.fromAsync(parts)).toString();
  }

  test("the kubelet reads the log of a container: streams, long lines, a last line without an end", async () => {
    const long = "x".repeat(40_000);
    const text = `echo one; echo two >&2; echo ${long}; echo -n end`;
    const { id } = await node().run("logged", script(text));
    await node().untilExited(id);
    await until("the log is complete", async () => (await logOf(id)).includes("end"));
    assert.equal(await logOf(id, "stderr"), "two\n");
    assert.equal((await logOf(id, "stdout")).replace(/\n$/, ""), `one\n${long}\nend`);
  });

  test("a log that was renamed is opened again", async () => {
    const { id } = await node().run(
      "rotated",
      polite("echo before; while ! test -e /tmp/go; do sleep 0.1; done; echo after;"),
    );
    await until("the first line is written", async () => (await logOf(id)) === "before\n");
    const { logPath } = await node().status(id);
    await expect("log rotation", async () => {
      await rename(logPath, `${logPath}.1`);
      await node().cri.runtime.ReopenContainerLog({ containerId: id });
      await node().exec(id, "echo > /tmp/go");
      await until("the second line is written", async () => (await logOf(id)) === "after\n");
    });
  });

  test("a container has statistics, by itself and in the list", async () => {
    const { id } = await node().run("measured", polite());
    const request = { containerId: id };
    const stats = await until("the container is measured", async () => {
      const answer = await node().cri.runtime.ContainerStats(request);
      const { cpu, memory } = answer.stats ?? {};
      return (cpu?.usageCoreNanoSeconds?.value ?? 0) > 0 && memory ? answer.stats : undefined;
    });
    assert.ok((stats?.memory?.workingSetBytes?.value ?? 0) > 0);
    assert.equal(stats?.attributes?.labels["io.kubernetes.container.name"], "measured");
    const listed = await node().cri.runtime.ListContainerStats({ filter: { id } });
    assert.deepEqual(
      listed.stats.map(({ attributes }) => attributes?.id),
      [id],
    );
  });

  test("a sandbox has statistics with those of its containers", async () => {
    const { id, sandbox } = await node().run("measured-pod", polite());
    await expect("pod statistics", async () => {
      const filter = { id: sandbox.id };
      await until("the container is in the list", async () => {
        const { stats } = await node().cri.runtime.ListPodSandboxStats({ filter });
        const ids = stats[0]?.linux?.containers.map(({ attributes }) => attributes?.id) ?? [];
        return ids.includes(id);
      });
    });
  });
}
