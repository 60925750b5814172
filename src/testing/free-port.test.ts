import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";

const program = `import { freePort } from ${JSON.stringify(import.meta.resolve("./free-port.ts"))};
const ports = [];
for (let left = 2000; left > 0; left--) ports.push(await freePort());
process.stdout.write(JSON.stringify(ports));
await new Promise((resolve) => process.stdin.once("end", resolve).resume());`;

test("freePort() gives parallel processes different ports", async () => {
  const start = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const running = [start(), start()];
  const seen = await Promise.all(
    running.map(async (each) => {
      const [text] = (await each.child.stdout?.take(1).toArray()) ?? [];
      return JSON.parse(String(text)) as number[];
    }),
  );
  // The ports of an ended process are free again: compare them while both run.
  const ports = [...seen.flat(), await freePort()];
  for (const each of running) each.child.stdin?.end();
  await Promise.all(running);
  assert.equal(new Set(ports).size, ports.length);
});
