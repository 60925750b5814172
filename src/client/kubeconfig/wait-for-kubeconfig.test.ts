import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { waitForKubeconfig } from "./wait-for-kubeconfig.ts";

test("waitForKubeconfig() waits until the file exists", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  const clock = new FakeClock();
  const path = join(directory, "config");
  let done = false;
  const waiting = waitForKubeconfig(path, new AbortController().signal, clock).then(() => {
    done = true;
  });
  await clock.advance(1000);
  assert.equal(done, false);
  await writeFile(path, "");
  await clock.advance(500);
  await waiting;
  await waitForKubeconfig("", new AbortController().signal, clock);
  await rm(directory, { recursive: true });
});
