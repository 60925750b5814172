import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type LogOptions, parseVmodule } from "./log.ts";
import { logAs } from "./log-as.ts";
import { Loggers } from "./loggers.ts";

function capture(options: LogOptions = {}): { log: Loggers; lines: string[] } {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.replace(/log\.test\.ts:\d+/, "log.test.ts:1"));
  const log = new Loggers({
    write,
    clock: new FakeClock("2025-11-15T20:50:00.007"),
    pid: 42,
    ...options,
  });
  return { log, lines };
}

test("Logger writes klog's text with file and line of the caller", () => {
  const { log, lines } = capture();
  const { info, warning, error } = log.logger("kubelet");
  info("Started", { node: "a" });
  warning("Slow");
  error(new Error("refused"), "Could not dial", { port: 80 });
  assert.deepEqual(lines, [
    'I1115 20:50:00.007000      42 log.test.ts:1] "Started" logger="kubelet" node="a"\n',
    'W1115 20:50:00.007000      42 log.test.ts:1] "Slow" logger="kubelet"\n',
    'E1115 20:50:00.007000      42 log.test.ts:1] "Could not dial" err="refused" logger="kubelet" port=80\n',
  ]);
});

test("Logger writes component-base's JSON", () => {
  const { log, lines } = capture({ format: "json", clock: new FakeClock(1_763_239_800_007) });
  const kubelet = log.logger("kubelet");
  kubelet.info("Started", { node: "a" });
  kubelet.error(new Error("refused"), "Could not dial", { port: 80 });
  assert.deepEqual(lines, [
    '{"ts":1763239800007,"logger":"kubelet","caller":"log/log.test.ts:1","msg":"Started","v":0,"node":"a"}\n',
    '{"ts":1763239800007,"logger":"kubelet","caller":"log/log.test.ts:1","msg":"Could not dial","port":80,"err":"refused"}\n',
  ]);
});

test("logAs() names the component in all lines of its calls, also later", async () => {
  const { log, lines } = capture();
  const shared = log.logger("informer");
  const work = async (): Promise<void> => {
    await Promise.resolve();
    shared.info("Synced", { count: 1 });
  };
  await Promise.all([logAs("kubelet", work), logAs("kube-proxy", work), work()]);
  assert.deepEqual(
    lines.map((line) => line.slice(line.indexOf("]") + 2)),
    [
      '"Synced" component="kubelet" logger="informer" count=1\n',
      '"Synced" component="kube-proxy" logger="informer" count=1\n',
      '"Synced" logger="informer" count=1\n',
    ],
  );
});

test("Logger.v() writes up to the verbosity, which may change later", () => {
  const { log, lines } = capture({ verbosity: 2 });
  const kubelet = log.logger("kubelet");
  kubelet.v(2, "seen");
  kubelet.v(3, "not seen");
  log.configure({ verbosity: 3 });
  kubelet.v(3, "seen now");
  assert.deepEqual(
    lines.map((line) => /"(.*?)"/.exec(line)?.[1]),
    ["seen", "seen now"],
  );
  assert.deepEqual([kubelet.enabled(3), kubelet.enabled(4)], [true, false]);
});

test("Logger takes its level from the first rule of vmodule that matches", () => {
  const { log } = capture({ verbosity: 1, vmodule: parseVmodule("kubelet=5,kube*=3,?ns=9") });
  const level = (name: string) => {
    const component = log.logger(name);
    return Array.from({ length: 12 }, (_, v) => v).findLast((v) => component.enabled(v));
  };
  assert.deepEqual(["kubelet", "kube-proxy", "dns", "scheduler"].map(level), [5, 3, 9, 1]);
});

test("parseVmodule() refuses all but pattern=N", () => {
  assert.deepEqual(parseVmodule("a=1,"), [{ pattern: "a", level: 1 }]);
  assert.throws(
    () => parseVmodule("a=x"),
    /^SyntaxError: "a=x" does not have the pattern=N format$/,
  );
});

test("Logger evaluates a function of fields only when it writes, and survives its failure", () => {
  const { log, lines } = capture();
  let calls = 0;
  const fields = () => {
    calls++;
    throw new Error("boom");
  };
  log.logger("a").v(1, "hidden", fields);
  assert.equal(calls, 0);
  log.logger("a").info("shown", fields);
  assert.equal(calls, 1);
  assert.match(lines.join(""), /"shown" logger="a" fieldsError="boom"\n$/);
});

test("Logger.with() adds its fields to every line; a line's own win", () => {
  const { log, lines } = capture();
  log.logger("a").with({ pod: "x", try: 1 }).with({ uid: 7 }).info("m", { try: 2 });
  assert.match(lines.join(""), /"m" logger="a" pod="x" try=2 uid=7\n$/);
});
