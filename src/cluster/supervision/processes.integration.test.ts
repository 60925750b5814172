import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { clusterPaths } from "../base/paths.ts";
import { findProcess, isSupervised, knownProcesses, stopProcess, supervise } from "./processes.ts";

function temporaryCluster() {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-processes-"));
  const paths = clusterPaths(folder);
  for (const path of [paths.run, paths.log]) mkdirSync(path);
  const one = { name: "one", command: ["sleep", "1000"] };
  return {
    paths,
    one,
    pid: () => findProcess(paths, "one"),
    async [Symbol.asyncDispose]() {
      await stopProcess(paths, "one");
      rmSync(folder, { recursive: true });
    },
  };
}

test("supervise() restarts a process that was killed", async () => {
  await using cluster = temporaryCluster();
  supervise(cluster.paths, cluster.one);
  await until("the start", () => cluster.pid() !== undefined);
  const first = cluster.pid();
  process.kill(first ?? 0, "SIGKILL");
  await until("another start", () => ![undefined, first].includes(cluster.pid()));
  assert.match(readFileSync(join(cluster.paths.log, "one.log"), "utf8"), /ended with code 137/);
});

test("findProcess() and isSupervised() tolerate files that are removed in the meantime", async () => {
  await using cluster = temporaryCluster();
  const script = 'while :; do for f; do echo 1 1 >"$f"; rm "$f"; done; done';
  const files = ["one.pid", "one.supervisor.pid"].map((file) => join(cluster.paths.run, file));
  const writer = spawn("sh", ["-c", script, "sh", ...files]);
  try {
    await until("a file", () => files.some((file) => existsSync(file)));
    const end = systemClock.monotonicMs() + 500;
    while (systemClock.monotonicMs() < end) {
      assert.equal(cluster.pid(), undefined);
      assert.equal(isSupervised(cluster.paths, "one"), false);
    }
  } finally {
    const ended = once(writer, "exit");
    writer.kill("SIGKILL");
    await ended;
  }
});

test("supervise() keeps the process of a supervisor that was killed", async () => {
  await using cluster = temporaryCluster();
  supervise(cluster.paths, cluster.one);
  await until("the start", () => cluster.pid() !== undefined);
  const pid = cluster.pid();
  const file = join(cluster.paths.run, "one.supervisor.pid");
  process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
  await until("the supervisor's end", () => !isSupervised(cluster.paths, "one"));
  supervise(cluster.paths, cluster.one);
  await until("another supervisor", () => isSupervised(cluster.paths, "one"));
  assert.equal(cluster.pid(), pid);
  process.kill(pid ?? 0, "SIGKILL");
  await until("another start", () => ![undefined, pid].includes(cluster.pid()));
});

test("stopProcess() ends the process and its supervisor, and removes their files", async () => {
  await using cluster = temporaryCluster();
  supervise(cluster.paths, cluster.one);
  await until("the start", () => cluster.pid() !== undefined);
  assert.deepEqual(knownProcesses(cluster.paths), ["one"]);
  await stopProcess(cluster.paths, "one");
  assert.equal(cluster.pid(), undefined);
  assert.equal(isSupervised(cluster.paths, "one"), false);
  assert.deepEqual(knownProcesses(cluster.paths), []);
});

/** Processes of the machine with this command. */
function withCommand(command: readonly string[]): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `${command.join("\0")}\0`;
    } catch {
      return false; // No process, or one that has ended.
    }
  });
}

test("stopProcess() ends a process that its supervisor is just starting", async () => {
  await using cluster = temporaryCluster();
  const { paths } = cluster;
  // The supervisor takes long before it records the process.
  const bin = join(paths.folder, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\nsleep 0.5\nPATH=\${PATH#*:} exec cut "$@"\n`;
  writeFileSync(join(bin, "cut"), script, { mode: 0o755 });
  const command = ["sleep", `1000.${process.pid}`];
  const { PATH = "" } = process.env;
  process.env["PATH"] = `${bin}:${PATH}`;
  try {
    supervise(paths, { name: "one", command });
  } finally {
    process.env["PATH"] = PATH;
  }
  await until("the start", () => isSupervised(paths, "one") && withCommand(command).length > 0);
  await stopProcess(paths, "one");
  assert.deepEqual(withCommand(command), []);
});
