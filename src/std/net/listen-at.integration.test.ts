import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Server } from "node:net";
import { test } from "node:test";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { listenAt } from "./listen-at.ts";

const port = 8080;
const host = "127.0.0.1";
const options = { skip: mayMakeNamespaces ? false : "needs root" };

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

/** A program that is killed a while (ms) after it has started a helper. */
const killed = `
  const { listenAt } = await import(${JSON.stringify(import.meta.resolve("./listen-at.ts"))});
  const [netns, host, delayMs] = process.argv.slice(1);
  void listenAt(8080, host, netns);
  setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(delayMs));
`;

/** Whether a process has a word in its command line. */
function runs(word: string): boolean {
  return readdirSync("/proc").some((entry) => {
    try {
      return readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

test("listenAt() in a network namespace", options, async (t) => {
  await using namespace = await NetworkNamespace.create();
  const netns = `/run/netns/${namespace.name}`;

  await t.test("listens there, at a port that nothing else gets", async () => {
    const server = await listenAt(port, host, netns);
    assert.ok(server);
    server.on("connection", (socket) => socket.end("from there"));
    const client = `cat </dev/tcp/${host}/${port}`;
    assert.equal(await namespace.run("bash", ["-c", client]), "from there");
    assert.equal(await listenAt(port, host, netns), undefined);
    await closed(server);
  });

  await t.test("gives its server to a process that is busy when the helper ends", async () => {
    for (let round = 0; round < 3; round++) {
      const listening = listenAt(port, host, netns);
      // The helper has sent the server, and could end, before this process looks at either.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
      const server = await listening;
      assert.ok(server, "the port is free again after each round");
      await closed(server);
    }
  });

  await t.test("leaves no helper behind when its process is killed", async () => {
    const own = "127.66.1.9";
    const program = ["--input-type=module", "-e", killed, netns, own];
    for (const delayMs of [1, 20, 30, 40, 60]) {
      const child = spawn(process.execPath, [...program, String(delayMs)], { stdio: "ignore" });
      const [, signal] = await once(child, "exit");
      assert.equal(signal, "SIGKILL");
    }
    await until("no helper is left", () => !runs(own));
  });

  await t.test("is undefined for addresses that the machine lacks", async () => {
    assert.equal(await listenAt(port, "192.0.2.1", netns), undefined);
  });
});
