import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Recorded, Suite } from "./golden-case.ts";
import { type CommandRun, type Outcome, playSuite } from "./play.ts";
import { startKubectlServer } from "./start-server.ts";
import { loadSuites, recordedFile } from "./suites.ts";

const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));
/** Enough to check that the process behaves as the function does. */
const wanted = [
  "kubectl get pods -n shop -o name",
  "kubectl -n shop get pods -o name",
  "kubectl get -nshop pods -oname",
  "kubectl version foo",
  "kubectl frobnicate",
];

test("kubectl runs through the launcher under the name kubectl", async () => {
  const [suite] = (await loadSuites("other")) as [Suite];
  const recorded = JSON.parse(await readFile(recordedFile(suite), "utf8")) as Recorded[];
  const cases = suite.cases.filter((each) => typeof each === "string" && wanted.includes(each));
  assert.ok(cases.length >= 3);
  await playSuite({ ...suite, cases }, launched, (answer) => {
    assert.deepEqual(
      answer,
      recorded.find(({ command }) => command === answer.command),
    );
  });
});

test("kubectl ends as other programs on a closed pipe or an interrupt", async () => {
  await using server = await startKubectlServer();
  const env = { HOME: server.home, PATH: "/usr/bin:/bin" };
  const start = (...args: string[]) =>
    spawn(launcher, ["kubectl", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = (child: ChildProcess) =>
    new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));

  const unread = start("get", "namespaces");
  unread.stdout?.destroy();
  assert.equal(await ended(unread), 141);

  const proxy = start("proxy", "--port=0");
  await once(proxy.stdout, "data");
  proxy.kill("SIGINT");
  assert.equal(await ended(proxy), "SIGINT");

  const watch = start("get", "namespaces", "--watch", "-o", "name");
  await once(watch.stdout, "data");
  watch.kill("SIGINT");
  assert.equal(await ended(watch), 1);
});

async function launched({ args, stdin, env, folder }: CommandRun): Promise<Outcome> {
  const program = join(folder, "kubectl");
  await symlink(launcher, program).catch(() => undefined);
  const child = spawn(program, args, { cwd: folder, env: { ...env } });
  child.stdin.end(stdin);
  const code = new Promise<number>((resolve) => child.once("exit", (value) => resolve(value ?? 1)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
