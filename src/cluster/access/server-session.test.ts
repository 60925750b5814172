import assert from "node:assert/strict";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ServerSession } from "./server-session.ts";

/** Serves a watch that goes on after two events, and calls back with the address of the server. */
async function withWatch(work: (session: ServerSession) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "session-"));
  const paths = clusterPaths(folder);
  await mkdir(paths.pki, { recursive: true });
  const authority = await TestAuthority.create(paths.pki);
  const { certFile, keyFile } = await authority.issue("server");
  for (const [from, end] of [
    [certFile, "crt"],
    [keyFile, "key"],
  ] as const) {
    await cp(from, join(paths.pki, `super-admin.${end}`));
  }
  const server = createServer(
    { cert: await readFile(certFile), key: await readFile(keyFile) },
    (_request, response) => void response.write('{"object":1}\n{"obj'),
  );
  server.on("request", (_request, response) => void response.write('ect":2}\n'));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = { server: `https://127.0.0.1:${port}` } as ClusterSettings;
  try {
    using session = await ServerSession.open(paths, settings);
    await work(session);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    await rm(folder, { recursive: true });
  }
  // What is emitted when connections are cut.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

test("events() of a watch whose consumer fails leave no error behind", async () => {
  const seen: unknown[] = [];
  await withWatch(async (session) => {
    const failing = async (): Promise<void> => {
      for await (const { object } of session.events("/watch", new AbortController().signal)) {
        seen.push(object);
        if (seen.length === 2) throw new Error("the consumer");
      }
    };
    await assert.rejects(failing, /^Error: the consumer$/);
  });
  assert.deepEqual(seen, [1, 2]);
});

test("events() end when the signal aborts", async () => {
  const stop = new AbortController();
  await withWatch(async (session) => {
    const reading = (async () => {
      for await (const _event of session.events("/watch", stop.signal)) stop.abort();
    })();
    await assert.rejects(reading, { code: "ERR_STREAM_PREMATURE_CLOSE" });
  });
});
