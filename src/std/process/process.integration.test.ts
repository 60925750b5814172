import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";

/** Runs a script in its own process, from the root so that it can import `#/…`. */
function start(script: string): ChildProcess {
  const cwd = join(import.meta.dirname, "../../..");
  const args = ["--input-type=module-typescript", "--disable-warning=ExperimentalWarning"];
  return spawn(process.execPath, [...args, "-e", script], { cwd, stdio: "pipe" });
}

async function text(stream: ChildProcess["stdout"]): Promise<string> {
  const pieces = (await stream?.toArray()) ?? [];
  return pieces.join("");
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "exit");
  return code as number | null;
}

test("logger() continues when standard error is closed", async () => {
  const child = start(`
    import { once } from "node:events";
    import { logger } from "#/std/log/log.ts";
    await once(process.stdin, "data");
    for (let line = 0; line < 1000; line++) logger("test").info("lost");
    process.stdin.unref();
    setImmediate(() => process.stdout.write("still here"));
  `);
  const output = text(child.stdout);
  child.stderr?.destroy();
  child.stdin?.end("go");
  assert.equal(await exitCode(child), 0);
  assert.equal(await output, "still here");
});

const component = `
  import { once } from "node:events";
  import { runUntilSignal } from "#/std/process/shutdown.ts";
  process.exitCode = await runUntilSignal(async (signal) => {
    using alive = setInterval(() => undefined, 1000);
    process.stdout.write("ready");
    await once(signal, "abort");
    process.stdout.write(" stopping");
    await STOPPED;
  });
`;

test("runUntilSignal() ends with 0 on SIGTERM", async () => {
  const child = start(component.replace("STOPPED", "Promise.resolve()"));
  const ended = exitCode(child);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
});

test("runUntilSignal() ends at once with 1 on the second signal", async () => {
  const child = start(component.replace("STOPPED", "new Promise(() => undefined)"));
  const ended = exitCode(child);
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    await once(child.stdout ?? child, "data");
    child.kill(name);
  }
  assert.equal(await ended, 1);
});

for (const { name, waits, code, message } of [
  {
    name: "ends with 1 if the component waits and no handle is left",
    waits: "new Promise(() => undefined)",
    code: 1,
    message: /"command failed" err="the component waits for something that cannot happen/,
  },
  {
    name: "lets a component fail after a timer that keeps no process alive",
    waits: `new Promise((_, reject) => setTimeout(reject, 100, new Error("no port")).unref())`,
    code: 1,
    message: /"command failed" err="no port"\n$/,
  },
]) {
  test(`runUntilSignal() ${name}`, async () => {
    const child = start(`
      import { runUntilSignal } from "#/std/process/shutdown.ts";
      process.exitCode = await runUntilSignal(() => ${waits});
    `);
    const output = text(child.stderr);
    assert.equal(await exitCode(child), code);
    assert.match(await output, message);
  });
}
