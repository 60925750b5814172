import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { openCredentials } from "../transport/credentials.ts";
import { ExecCredentials } from "./exec-credentials.ts";

test("ExecCredentials run the plugin again when its token is refused, once for all requests with that token", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-exec-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "log");
  const program = join(folder, "plugin");
  const answer = JSON.stringify({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: "refused" },
  });
  writeFileSync(program, `#!/bin/sh\necho run >> '${log}'\necho '${answer}'\n`, { mode: 0o755 });
  const runs = (): number => readFileSync(log, "utf8").split("\n").length - 1;
  using credentials = new ExecCredentials(
    {
      command: program,
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
    },
    { server: "https://127.0.0.1:1" },
    openCredentials({}),
    { clock: new FakeClock() },
  );
  const [first, second] = [await credentials.headers(), await credentials.headers()];
  assert.deepEqual([first, runs()], [{ authorization: "Bearer refused" }, 1]);
  await credentials.refused(first);
  assert.equal(runs(), 2);
  await credentials.refused(second);
  assert.equal(runs(), 2);
  await credentials.refused(await credentials.headers());
  assert.equal(runs(), 3);
});
