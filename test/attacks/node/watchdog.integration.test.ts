import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { watchedCommand } from "#/cluster/supervision/watched-command.ts";

const run = mkdtempSync(join(tmpdir(), "k8ts-watchdog-"));
after(() => rmSync(run, { recursive: true }));
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A program that sends heartbeats ten times a second, and then hangs in some way. */
function start(name: string, hang: string): ChildProcess {
  const script = `
    import { execFileSync } from "node:child_process";
    import { open } from "node:fs";
    import { sendHeartbeats } from "#/cluster/supervision/send-heartbeats.ts";
    import { systemClock } from "#/std/time/clock.ts";
    const clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(100, signal) };
    void sendHeartbeats(new AbortController().signal, clock);
    setTimeout(() => { ${hang} }, 500);
    setInterval(() => undefined, 1000);`;
  const command = [process.execPath, "--input-type=module", "-e", script];
  const [file = "", ...args] = watchedCommand(
    { run, folder: run },
    { name, command, sendsHeartbeats: true },
  );
  const env = { ...process.env, K8TS_HEARTBEAT_SECONDS: "3", UV_THREADPOOL_SIZE: "4" };
  return spawn(file, args, { env, cwd: root, stdio: ["ignore", "pipe", "inherit"] });
}

const hangs = {
  "whose event loop is blocked": "for (;;);",
  "whose threads for files are all blocked": `
    execFileSync("mkfifo", [${JSON.stringify(join(run, "pipe"))}]);
    for (let i = 0; i < 4; i++) open(${JSON.stringify(join(run, "pipe"))}, () => undefined);`,
  "that is stopped": 'process.kill(process.pid, "SIGSTOP");',
};

test("the watchdog kills programs that hang, and no other", async () => {
  const healthy = start("healthy", "");
  const ended = once(healthy, "exit");
  await Promise.all(
    Object.entries(hangs).map(async ([kind, hang], index) => {
      const child = start(`hung-${index}`, hang);
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      const [, signal] = await once(child, "close");
      assert.equal(signal, "SIGKILL", `a program ${kind}`);
      assert.match(output, /^watchdog: process \d+ has sent no heartbeat for 6 s: it is killed\n$/);
    }),
  );
  assert.deepEqual([healthy.exitCode, healthy.signalCode], [null, null]);
  healthy.kill("SIGTERM");
  assert.deepEqual(await ended, [null, "SIGTERM"]);
});

test("the watchdog kills no program on a machine that lacks what the watchdog needs", async () => {
  const bin = join(run, "bin");
  mkdirSync(bin);
  for (const tool of ["mkfifo", "rm", "head"]) {
    const path = execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim();
    symlinkSync(path, join(bin, tool));
  }
  const command = [process.execPath, "-e", "setTimeout(() => process.exit(7), 500)"];
  const [file = "", ...args] = watchedCommand(
    { run, folder: run },
    { name: "lacking", command, sendsHeartbeats: true },
  );
  const child = spawn(file, args, { env: { PATH: bin }, stdio: "ignore" });
  assert.deepEqual(await once(child, "exit"), [7, null]);
});
