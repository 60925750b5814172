import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { aborted } from "#/std/async/aborted.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { type Component, runComponents } from "./run-components.ts";

/** Components on a fake clock, and what they did. */
function started(components: (starts: string[], source: EventEmitter) => readonly Component[]) {
  const clock = new FakeClock();
  const source = new EventEmitter();
  const starts: string[] = [];
  const stop = new AbortController();
  const running = runComponents(components(starts, source), stop.signal, { clock, source });
  running.catch(() => undefined);
  return { clock, starts, running, stop };
}

const steady = (starts: string[], name: string): Component => ({
  name,
  run: async (signal) => {
    starts.push(name);
    await aborted(signal);
  },
});

test("runComponents() starts a failed component again, and leaves the others alone", async () => {
  const fail: ((error: Error) => void)[] = [];
  const { clock, starts, running, stop } = started((log) => [
    steady(log, "dns"),
    {
      name: "kubelet",
      restarts: true,
      run: (signal) => {
        log.push("kubelet");
        const { promise, reject } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => reject(signal.reason));
        fail.push(reject);
        return promise;
      },
    },
  ]);
  await clock.advance(10_000);
  fail[0]?.(new Error("broken"));
  await clock.advance(1_000);
  await until("it is started again", () => starts.length === 3);
  fail[1]?.(new Error("broken at once"));
  await clock.advance(5_000);
  await until("it is started a third time", () => starts.length === 4);
  assert.deepEqual(starts, ["dns", "kubelet", "kubelet", "kubelet"]);
  stop.abort();
  await running;
});

test("runComponents() ends if a component fails that may not be restarted", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { clock, running } = started((log) => [
    steady(log, "dns"),
    { name: "kubelet", restarts: false, run: () => promise },
  ]);
  await clock.advance(10_000);
  reject(new Error("broken"));
  await assert.rejects(running, { message: "kubelet: broken" });
});

test("runComponents() reports a component that fails from its first start on, and leaves the others alone", async () => {
  const clock = new FakeClock();
  const starts: string[] = [];
  const reports: unknown[] = [];
  const stop = new AbortController();
  const broken: Component = {
    name: "gateway",
    restarts: true,
    run: async () => {
      starts.push("gateway");
      throw new Error("port 80 is in use");
    },
  };
  const running = runComponents([steady(starts, "dns"), broken], stop.signal, {
    clock,
    source: new EventEmitter(),
    onFailure: (failing) => reports.push(failing),
  });
  await until("it has failed", () => reports.length === 1);
  await clock.advance(1_000);
  await until("it has failed again", () => reports.length === 2);
  assert.deepEqual(starts, ["dns", "gateway", "gateway"]);
  assert.deepEqual(reports, [
    { part: "gateway", failures: 1, error: "port 80 is in use" },
    { part: "gateway", failures: 2, error: "port 80 is in use" },
  ]);
  stop.abort();
  await running;
});

test("runComponents() ends with an error that belongs to no component", async () => {
  const source = new EventEmitter();
  const clock = new FakeClock();
  const running = runComponents([steady([], "dns")], new AbortController().signal, {
    clock,
    source,
  });
  source.emit("uncaughtException", new Error("broken"));
  await assert.rejects(running, { message: "broken" });
});

test("runComponents() ends if a failed component does not release what it holds", async () => {
  const { clock, running } = started((_log, source) => [
    {
      name: "kubelet",
      restarts: true,
      run: async () => {
        await nextTurn();
        await clock.sleep(10_000);
        source.emit("uncaughtException", new Error("broken"));
        await new Promise(() => undefined);
      },
    },
  ]);
  await nextTurn();
  await clock.advance(10_000);
  await nextTurn();
  await clock.advance(20_000);
  await assert.rejects(running, { message: "kubelet: it failed, and does not end" });
});

/** Runs a component that fails at its first two starts and another one, as a program does; how often each started. */
function startsOf(failure: string): string {
  const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import net from "node:net";
    import { runComponents } from ${url("./run-components.ts")};
    import { runUntilSignal } from ${url("../../std/process/shutdown.ts")};
    let starts = 0;
    let others = 0;
    let nowMs = 0;
    const clock = {
      monotonicMs: () => (nowMs += 20_000),
      sleep: (ms) => new Promise((resolve) => ms === 20_000 || setTimeout(resolve, 1)),
    };
    const stop = new AbortController();
    const until = (signal) =>
      new Promise((resolve) =>
        signal.aborted ? resolve() : signal.addEventListener("abort", resolve));
    const failing = async (signal) => {
      starts += 1;
      if (starts === 3) stop.abort();
      else ${failure};
      await until(signal);
    };
    const steady = (signal) => ((others += 1), until(signal));
    const components = [{ name: "a", restarts: true, run: failing }, { name: "b", run: steady }];
    await runUntilSignal(() => runComponents(components, stop.signal, { clock }));
    process.stdout.write(starts + " " + others);
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 60_000,
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
  });
  return stdout || stderr;
}

const kinds = {
  timer: "setTimeout(() => { throw new Error('broken'); }, 1)",
  socket: "net.connect(1, '127.0.0.1')",
  listener:
    "net.createServer(() => { throw new Error('broken'); }).listen(0, function () { net.connect(this.address().port, '127.0.0.1'); })",
};
for (const [kind, code] of Object.entries(kinds)) {
  test(`runComponents() finds the component of an error in a ${kind}`, () => {
    assert.equal(startsOf(code), "3 1");
  });
}

test("runComponents() leaves a component alone that has a stray rejection", () => {
  const code =
    "{ void (async () => { throw new Error('broken'); })(); setTimeout(() => stop.abort(), 50); }";
  assert.equal(startsOf(code), "1 1");
});
