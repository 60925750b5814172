import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("processHost() keeps Node's warnings out of the output", () => {
  const url = new URL("./process-host.ts", import.meta.url).href;
  const script = `const { processHost } = await import(${JSON.stringify(url)});
using host = processHost();
const { EventEmitter } = await import("node:events");
const emitter = new EventEmitter();
for (let i = 0; i < 20; i++) emitter.on("x", () => undefined);
process.emitWarning("something");
await new Promise((resolve) => setImmediate(resolve));
host.out.write("done\\n");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  assert.deepEqual({ stdout, stderr }, { stdout: "done\n", stderr: "" });
});
