import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { readFile } from "node:fs/promises";
import { afterEach, test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { configureLogging } from "../log/log.ts";
import { runUntilSignal, type SignalSource } from "./shutdown.ts";

class FakeProcess extends EventEmitter implements SignalSource {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

const write = (line: string): boolean => process.stderr.write(line);
afterEach(() => configureLogging({ write }));

test("runUntilSignal() returns 0 when the component ends by itself", async () => {
  const source = new FakeProcess();
  assert.equal(await runUntilSignal(async () => undefined, source), 0);
  assert.deepEqual(source.eventNames(), []);
});

test("runUntilSignal() logs why a component failed and returns 1", async () => {
  const lines: string[] = [];
  configureLogging({ write: (line) => lines.push(line) });
  const died = async () => {
    throw new Error("no port");
  };
  assert.equal(await runUntilSignal(died, new FakeProcess()), 1);
  assert.match(lines.join(""), /"command failed" err="no port"\n$/);
});

test("runUntilSignal() reports with Go's message that a file can't be opened", async () => {
  const lines: string[] = [];
  configureLogging({ write: (line) => lines.push(line) });
  const run = async () => void (await readFile("/nowhere/config.yaml"));
  assert.equal(await runUntilSignal(run, new FakeProcess()), 1);
  assert.match(lines.join(""), /err="open \/nowhere\/config.yaml: no such file or directory"\n$/);
});

for (const name of ["SIGTERM", "SIGINT"] as const) {
  test(`runUntilSignal() aborts on ${name} and waits for the component`, async () => {
    const source = new FakeProcess();
    const steps: string[] = [];
    const running = runUntilSignal(async (signal) => {
      await once(signal, "abort");
      steps.push("cleaned up");
    }, source);
    source.emit(name);
    assert.equal(await running, 0);
    assert.deepEqual([steps, source.exits], [["cleaned up"], []]);
  });
}

test("runUntilSignal() treats the abort itself as success", async () => {
  const source = new FakeProcess();
  const running = runUntilSignal(async (signal) => {
    await once(signal, "abort");
    signal.throwIfAborted();
  }, source);
  source.emit("SIGTERM");
  assert.equal(await running, 0);
});

test("runUntilSignal() ends the process at once on a second signal", async () => {
  const source = new FakeProcess();
  const stuck = Promise.withResolvers<void>();
  const running = runUntilSignal(() => stuck.promise, source);
  source.emit("SIGINT");
  assert.deepEqual(source.exits, []);
  source.emit("SIGTERM");
  assert.deepEqual(source.exits, [1]);
  stuck.resolve();
  await running;
});

test("runUntilSignal() ends a process that an open handle would keep alive", async () => {
  const source = new FakeProcess();
  const clock = new FakeClock();
  const running = runUntilSignal(
    async (signal) => void (await once(signal, "abort")),
    source,
    clock,
  );
  source.emit("SIGTERM");
  assert.equal(await running, 0);
  await clock.advance(1_999);
  assert.deepEqual(source.exits, []);
  await clock.advance(1);
  assert.deepEqual(source.exits, [0]);
});

test("runUntilSignal() survives a stray rejection, and ends after a stray exception", async () => {
  const lines: string[] = [];
  configureLogging({ write: (line) => lines.push(line) });
  const source = new FakeProcess();
  const run = async () => {
    source.emit("unhandledRejection", new Error("one request"));
    assert.deepEqual(source.exits, []);
    source.emit("uncaughtException", new Error("unknown state"));
  };
  assert.equal(await runUntilSignal(run, source), 0);
  assert.deepEqual(source.exits, [1]);
  assert.match(lines[0] ?? "", /"unhandled rejection" err="one request"\n$/);
  assert.match(lines[1] ?? "", /"uncaught exception" err="unknown state"\n$/);
  assert.deepEqual(source.eventNames(), []);
});
