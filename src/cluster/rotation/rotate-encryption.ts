import { systemClock } from "#/std/time/clock.ts";
import { newKey, type Reader, readReaders, writeReaders } from "../access/encryption-keys.ts";
import { ServerSession } from "../access/server-session.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { getSettings, saveSettings } from "../base/settings.ts";
import { startPrograms } from "../programs/start-node.ts";
import { untilEncrypts } from "../shared-keys/until-used.ts";
import { apiReady } from "../supervision/readiness.ts";
import { rewriteSecrets } from "./rewrite-objects.ts";
import { betweenServers, type SharingState, shareKeys } from "./share-keys.ts";

const subject = "encryption";

interface State extends SharingState {
  /** What reads Secrets at the end; all others go. */
  readonly readers?: readonly Reader[];
}

/** Limit of the wait for the server (ms). */
const serverMs = 120_000;

/**
 * A new key for the Secrets in the store. It reads before it writes, so that each server can read what another one has
 * written; the old keys go when every Secret is written with the new one.
 */
export const rotateEncryption: Operation<State> = {
  name: "certificate rotate encryption",
  resumes: "after start",
  steps: betweenServers(subject, (paths) => [
    {
      name: "a new key reads Secrets",
      async run(state, remember) {
        const { readers = [newKey(systemClock.now()), "identity"] } = state;
        await remember({ readers });
        const [writer = "identity", ...others] = without(await readReaders(paths.pki), readers);
        await writeReaders(paths.pki, plainLast([writer, ...readers.slice(0, 1), ...others]));
        await switchOn(paths);
        await untilEncrypts(paths);
        await shareKeys(paths, subject, state);
      },
    },
    {
      name: "the new key writes Secrets",
      async run(state) {
        const { readers = [] } = state;
        const old = without(await readReaders(paths.pki), readers);
        await writeReaders(paths.pki, plainLast([...readers.slice(0, 1), ...old]));
        await untilEncrypts(paths);
        await shareKeys(paths, subject, state);
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
      async run(state) {
        const { readers = [] } = state;
        await writeReaders(paths.pki, readers);
        await untilEncrypts(paths);
        await shareKeys(paths, subject, state);
      },
    },
  ]),
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
