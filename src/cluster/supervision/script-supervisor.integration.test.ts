import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { clusterPaths } from "../base/paths.ts";
import { checkRunning } from "./check-running.ts";
import { eventually } from "./readiness.ts";
import { ScriptSupervisor } from "./script-supervisor.ts";

function temporaryCluster() {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-supervisor-"));
  const paths = clusterPaths(folder);
  for (const path of [paths.run, paths.log]) mkdirSync(path);
  const supervisor = new ScriptSupervisor(paths, systemClock);
  return {
    paths,
    supervisor,
    wait: {
      paths,
      settings: { name: "x" },
      what: "the answer",
      program: "one",
      timeoutMs: 60_000,
      supervisor,
    },
    async [Symbol.asyncDispose]() {
      await supervisor.stopAll();
      rmSync(folder, { recursive: true });
    },
  };
}

const script = (text: string) => ({ name: "one", command: ["sh", "-c", text] });

test("eventually() ends with the error of a program that ends repeatedly", async () => {
  await using cluster = temporaryCluster();
  await cluster.supervisor.start(script('echo "E1117 no room"; echo later; exit 3'));
  const began = systemClock.monotonicMs();
  await assert.rejects(
    eventually(cluster.wait, async () => false),
    {
      message:
        /^the one has ended \d+ times \(code 3\); see: k8ts logs one --name x\n {2}E1117 no room$/,
    },
  );
  assert.ok(systemClock.monotonicMs() - began < 30_000, "it waited for the whole timeout");
});

test("eventually() waits for a program that has ended once", async () => {
  await using cluster = temporaryCluster();
  const ended = join(cluster.paths.folder, "ended");
  await cluster.supervisor.start(script(`[ -e ${ended} ] && exec sleep 1000; : >${ended}; exit 3`));
  await eventually(cluster.wait, async () => {
    const { ends, pid } = await cluster.supervisor.state("one");
    return ends === 1 && pid !== undefined;
  });
  assert.equal((await cluster.supervisor.state("one")).lastEnd, "code 3");
});

test("eventually() reports a timeout with the end of the log", async () => {
  await using cluster = temporaryCluster();
  appendFileSync(join(cluster.paths.log, "one.log"), "first\nsecond\n");
  await assert.rejects(
    eventually({ ...cluster.wait, timeoutMs: 100 }, async () => false),
    {
      message:
        "the answer did not become ready within 0.1 s; see: k8ts logs one --name x\n  first\n  second",
    },
  );
});

test("restart() gives a program another command", async () => {
  await using cluster = temporaryCluster();
  const { supervisor } = cluster;
  const runs = async () => (await supervisor.state("one")).pid !== undefined;
  await supervisor.start(script("exec sleep 1000"));
  await eventually(cluster.wait, runs);
  const { pid } = await supervisor.state("one");
  await supervisor.restart(script("exec sleep 1001"));
  await eventually(cluster.wait, runs);
  assert.notEqual((await supervisor.state("one")).pid, pid);
  assert.equal((await supervisor.state("one")).ends, 0);
});

test("openLog() reads a log backward into the rotated one, and follows appended lines", async () => {
  await using cluster = temporaryCluster();
  const file = join(cluster.paths.log, "one.log");
  appendFileSync(`${file}.1`, "a\nb\n");
  appendFileSync(file, "c\nd\n");
  assert.deepEqual(await cluster.supervisor.logs(), ["one"]);
  const log = await cluster.supervisor.openLog("one");
  appendFileSync(file, "e\n");
  assert.deepEqual(await Array.fromAsync(log.backward()), ["d", "c", "b", "a"]);
  const found: string[] = [];
  for await (const line of log.follow()) {
    found.push(line);
    if (line === "e") appendFileSync(file, "f\n");
    if (line === "f") break;
  }
  assert.deepEqual(found, ["e", "f"]);
});

test("checkRunning() throws with the command that starts a stopped program", async () => {
  await using cluster = temporaryCluster();
  const { paths, supervisor } = cluster;
  const check = () => checkRunning(paths, { name: "x" }, "server", supervisor);
  const message = 'cluster "x" is stopped; start it: k8ts up --name x';
  await assert.rejects(check(), { message });
  await supervisor.start({ name: "server", command: ["sleep", "1000"] });
  await eventually({ ...cluster.wait, program: "server" }, async () => {
    return (await supervisor.state("server")).pid !== undefined;
  });
  await check();
});
