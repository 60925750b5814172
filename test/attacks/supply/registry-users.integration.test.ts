import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { registryFlags } from "#/registry/flags.ts";
import { serveRegistry } from "#/registry/serve-registry.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { containerdProblem, startContainerd } from "#/testing/start-containerd.ts";
import { until } from "#/testing/until.ts";

/* What is pushed to the registry on localhost runs in the cluster: other users of the machine must not push there. */

const isRoot = process.getuid?.() === 0;
const skip = containerdProblem() || (isRoot ? false : "needs root, which acts as other users");
const [owner, stranger] = [4301, 4302];

/** Sends requests as another user of the machine, over one connection; the last status. */
const client = `
const { Agent, request } = require("node:http");
const [uid, port, host, ...requests] = process.argv.slice(1);
// Another user may not be able to start this program, which can be in a folder of root's.
process.setgroups([]);
process.setgid(Number(uid));
process.setuid(Number(uid));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = (line) => new Promise((resolve, reject) => {
  const [method, path] = line.split(" ");
  const options = { agent, port, host, method, path, headers: { host: "localhost" } };
  request(options, (response) => response.resume().on("end", () => resolve(response.statusCode)))
    .on("error", reject).end();
});
(async () => {
  let status = 0;
  for (const line of requests) status = await ask(line);
  console.log(status);
  agent.destroy();
})();
`;

async function askAs(uid: number, port: number, host: string, ...requests: string[]) {
  const args = ["-e", client, String(uid), String(port), host, ...requests];
  const child = spawn(process.execPath, args);
  let said = "";
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk) => {
      said += chunk;
    });
  }
  await once(child, "close");
  return said.trim();
}

test("users of the machine without the cluster's kubeconfig neither push nor pull", {
  skip,
}, async () => {
  await using containerd = await startContainerd();
  const folder = await mkdtemp(join(tmpdir(), "registry-users-"));
  const kubeconfig = join(folder, "config");
  await writeFile(kubeconfig, "");
  await chown(kubeconfig, owner, owner);
  const port = await freePort();
  const flags = parseFlags(registryFlags, [
    `--port=${port}`,
    `--containerd-address=${containerd.endpoint}`,
    "--status-bind-address=",
    `--users-of=${join(folder, "missing")},${kubeconfig}`,
  ]).values;
  const stop = new AbortController();
  const options = { flags, clock: systemClock, log: logger("registry-test") };
  const serving = serveRegistry(options, stop.signal);
  serving.catch(() => undefined);
  try {
    await until("it serves", async () => (await askAs(0, port, "127.0.0.1", "GET /v2/")) === "200");
    for (const host of ["127.0.0.1", "::ffff:127.0.0.1"]) {
      assert.equal(await askAs(owner, port, host, "POST /v2/web/blobs/uploads/"), "202");
      assert.equal(await askAs(0, port, host, "POST /v2/web/blobs/uploads/"), "202");
      for (const line of ["POST /v2/web/blobs/uploads/", "GET /v2/_catalog", "GET /v2/"]) {
        assert.equal(await askAs(stranger, port, host, line), "403", line);
      }
    }
    assert.equal(await askAs(stranger, port, "127.0.0.1", "GET /v2/", "GET /v2/"), "403");
  } finally {
    stop.abort();
    await serving;
    await rm(folder, { recursive: true, force: true });
  }
});
