import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { events } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { runKubectl } from "#/kubectl/run.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startKubectlServer } from "./start-server.ts";

function happen(client: Client, name: string, type: string): Promise<unknown> {
  return client.create(events, {
    metadata: { name, namespace: "default" },
    involvedObject: { kind: "Pod", name: "web", namespace: "default", apiVersion: "v1" },
    reason: name,
    message: "it did",
    type,
    count: 1,
    firstTimestamp: "2000-01-01T00:00:00Z",
    reportingComponent: "",
    reportingInstance: "",
  });
}

test("events --watch shows existing events, then new ones, until it is interrupted", async () => {
  await using server = await startKubectlServer();
  const stop = new AbortController();
  let shown = "";
  const out = {
    isTerminal: false,
    columns: 0,
    write(chunk: string | Uint8Array): void {
      shown += chunk.toString();
      // Each event is created when the one before has been printed.
      if (shown.endsWith("it did\n")) next();
    },
  };
  const steps = [
    () =>
      happen(server.client, "Second", "Normal").then(() =>
        happen(server.client, "Third", "Warning"),
      ),
    () => stop.abort(),
  ];
  const made: unknown[] = [];
  const next = (): void => void made.push(steps.shift()?.());
  await happen(server.client, "First", "Warning");
  const code = await runKubectl(["events", "-w", "--types=warning", "--for=pod/web"], {
    out,
    err: out,
    stdin: Object.assign(Readable.from([]), { isTerminal: false }),
    env: { HOME: server.home },
    cwd: server.folder,
    clock: systemClock,
    signal: stop.signal,
  });
  await Promise.all(made);
  assert.equal(code, 1);
  assert.deepEqual(shown.replaceAll(/ +/g, " ").replaceAll(/\d\dy/g, "AGE").split("\n"), [
    "LAST SEEN TYPE REASON OBJECT MESSAGE",
    "AGE Warning First Pod/web it did",
    "AGE Warning Third Pod/web it did",
    "",
  ]);
});
