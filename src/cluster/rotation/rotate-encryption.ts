import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { systemClock } from "#/std/time/clock.ts";
import {
  encryptionFile,
  newKey,
  type Reader,
  readReaders,
  writeReaders,
} from "../access/encryption-keys.ts";
import { ServerSession } from "../access/server-session.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { getSettings, saveSettings } from "../base/settings.ts";
import { startPrograms } from "../programs/start-node.ts";
import { apiReady, eventually } from "../supervision/readiness.ts";
import { rewriteSecrets } from "./rewrite-objects.ts";

interface State {
  /** What reads Secrets at the end; all others go. */
  readonly readers?: readonly Reader[];
}

/** Limit of the wait for the server (ms): it looks for changes of its files each minute, if it is not notified. */
const serverMs = 120_000;

/**
 * A new key for the Secrets in the store. It reads before it writes, so that each server can read what another one has
 * written; the old keys go when every Secret is written with the new one.
 */
export const rotateEncryption: Operation<State> = {
  name: "certificate rotate encryption",
  resumes: "after start",
  steps: (paths) => [
    {
      name: "a new key reads Secrets",
      async run({ readers = [newKey(systemClock.now()), "identity"] }, remember) {
        await remember({ readers });
        const [writer = "identity", ...others] = without(await readReaders(paths.pki), readers);
        await writeReaders(paths.pki, plainLast([writer, ...readers.slice(0, 1), ...others]));
        await switchOn(paths);
        await untilLoaded(paths);
      },
    },
    {
      name: "the new key writes Secrets",
      async run({ readers = [] }) {
        const old = without(await readReaders(paths.pki), readers);
        await writeReaders(paths.pki, plainLast([...readers.slice(0, 1), ...old]));
        await untilLoaded(paths);
      },
    },
    {
      name: "all Secrets are written again",
      async run() {
        using session = await ServerSession.open(paths, getSettings(paths));
        await rewriteSecrets(session);
      },
    },
    {
      name: "the old keys go",
      async run({ readers = [] }) {
        await writeReaders(paths.pki, readers);
        await untilLoaded(paths);
      },
    },
  ],
};

const nameOf = (reader: Reader): string => (reader === "identity" ? reader : reader.name);

/** The readers that go at the end; plain text is read on, and so is the key that this operation has made already. */
function without(all: readonly Reader[], made: readonly Reader[]): Reader[] {
  const [key] = made;
  return all.filter((one) => key === undefined || nameOf(one) !== nameOf(key));
}

/** Plain text is read to the end; it is the writer of a cluster that has no keys yet. */
function plainLast([first, ...rest]: readonly Reader[]): Reader[] {
  const keys = rest.filter((one) => one !== "identity");
  return [
    ...(first === undefined ? [] : [first]),
    ...keys,
    ...(first === "identity" ? [] : ["identity" as const]),
  ];
}

/** A cluster that was made without keys: its server has to know of the file. */
async function switchOn(paths: ClusterPaths): Promise<void> {
  const settings = getSettings(paths);
  if (settings.encryptsSecrets) return;
  const changed = { ...settings, encryptsSecrets: true };
  await saveSettings(paths, changed);
  await startPrograms(paths, changed, new Progress());
  await apiReady(paths, changed, serverMs);
}

/** Waits until the server uses the file as it is now; it publishes the digest of what it uses as a metric. */
async function untilLoaded(paths: ClusterPaths): Promise<void> {
  const settings = getSettings(paths);
  const digest = createHash("sha256").update(await readFile(encryptionFile(paths.pki)));
  const text = `hash="sha256:${digest.digest("hex")}"`;
  using session = await ServerSession.open(paths, settings);
  const wait = { paths, settings, program: "server", timeoutMs: serverMs };
  await eventually({ ...wait, what: "the new configuration of keys" }, async () => {
    const { text: metrics } = await session.ask("GET", "/metrics").catch(() => ({ text: "" }));
    return metrics
      .split("\n")
      .some(
        (line) =>
          line.includes("encryption_config_controller_last_config_info{") && line.includes(text),
      );
  });
}
