import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemRandom } from "#/std/base/random.ts";
import { eventKey, eventRevision } from "../base/watch-event.ts";
import { text as decode, WatchReader } from "../contract/under-test.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";

/** Number of kills: more with K8TS_CRASH_ROUNDS=200. */
const rounds = Number(process.env["K8TS_CRASH_ROUNDS"] ?? 15);

/** The last acknowledged write of each key. */
type Acknowledged = Map<string, { readonly revision: number; readonly value: string }>;

test(`no acknowledged write is lost when the process is killed, ${rounds} times`, async () => {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-crash-"));
  const acknowledged: Acknowledged = new Map();
  let lastRevision = 1;
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    const report = await writeUntilKilled(directory, round, 5 + systemRandom() * 150);
    total += note(acknowledged, report);
    await using storage = await LmdbStorage.open({ directory });
    const revision = await storage.revision();
    assert.ok(revision >= lastRevision, "the revision went back");
    await checkAcknowledged(storage, acknowledged);
    await checkHistory(storage, lastRevision);
    lastRevision = revision;
  }
  assert.ok(total > rounds, "there was something to lose");
  await rm(directory, { recursive: true });
});

async function writeUntilKilled(directory: string, round: number, ms: number): Promise<string> {
  const program = fileURLToPath(import.meta.resolve("./crash-writer.program.ts"));
  const child = spawn(process.execPath, [program, directory, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = text(child.stdout);
  await once(child.stdout, "data");
  // The time of the kill is random, so that each round interrupts another step of a write.
  await sleep(ms);
  child.kill("SIGKILL");
  const [code, signal] = await once(child, "exit");
  assert.deepEqual([code, signal], [null, "SIGKILL"], "the writer died by itself");
  return output;
}

function note(acknowledged: Acknowledged, report: string): number {
  // Text after the last newline was cut off by the kill.
  const lines = report.split("\n").slice(0, -1);
  const writes = lines.filter((line) => line !== "ready");
  for (const line of writes) {
    const [key = "", revision = "", value = ""] = line.split(" ");
    if (Number(revision) < (acknowledged.get(key)?.revision ?? 0)) continue;
    acknowledged.set(key, { revision: Number(revision), value });
  }
  return writes.length;
}

/** Each key is as acknowledged, or as left by a later write whose response was cut off. */
async function checkAcknowledged(storage: LmdbStorage, acknowledged: Acknowledged): Promise<void> {
  const { entries } = await storage.range("/crash/");
  const found = new Map(entries.map((entry) => [entry.key, entry]));
  const revision = await storage.revision();
  for (const [key, write] of acknowledged) {
    assert.ok(write.revision <= revision, `revision ${write.revision} of ${key} is lost`);
    const entry = found.get(key);
    if (!entry && write.value !== "deleted") {
      await assertDeletedLater(storage, key, write.revision);
      // Later rounds compact that history.
      acknowledged.set(key, { ...write, value: "deleted" });
    }
    if (!entry || entry.modRevision > write.revision) continue;
    assert.equal(decode(entry.value).split(" ")[0], write.value);
  }
}

/** A delete whose response was cut off was among the last writes. */
async function assertDeletedLater(storage: LmdbStorage, key: string, after: number): Promise<void> {
  const revision = await storage.revision();
  using watch = new WatchReader(storage, "", Math.max(after, revision - 500));
  const events = await watch.until(revision);
  const isDeleted = events.some((event) => event.type === "delete" && event.key === key);
  assert.ok(isDeleted, `${key} is lost`);
}

/** The remaining history has every revision once, and each event fits the previous one. */
async function checkHistory(storage: LmdbStorage, after: number): Promise<void> {
  const revision = await storage.revision();
  if (revision === after) return;
  const start = Math.max(after, revision - 500);
  using watch = new WatchReader(storage, "", start);
  const events = await watch.until(revision);
  assert.deepEqual(
    events.map(eventRevision),
    Array.from({ length: revision - start }, (_, index) => start + 1 + index),
  );
  const last = new Map<string, number>();
  for (const event of events) {
    const before = last.get(eventKey(event));
    if (before !== undefined) assert.equal(event.previous?.modRevision ?? 0, before);
    last.set(eventKey(event), event.type === "put" ? event.entry.modRevision : 0);
  }
}
