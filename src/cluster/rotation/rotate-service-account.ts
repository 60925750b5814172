import { createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { writePrivate } from "../access/pki.ts";
import { joinPublicKeys, readPublicKeys, writePublicKeys } from "../access/token-keys.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { untilVerifies } from "../shared-keys/until-used.ts";
import { betweenServers, type SharingState, shareKeys } from "./share-keys.ts";

interface State extends SharingState {
  /** Whether keys that no longer sign go at once, and with them the tokens that they have signed. */
  readonly forgets: boolean;
}

/** As long as tokens may live that the API server extends: its limit is a year. */
const keptMs = 366 * 24 * 3600 * 1000;

const subject = "service-account";

/** Replaces the key that signs tokens of service accounts; the old one verifies as long as there may be tokens of it. */
export const rotateServiceAccount: Operation<State> = {
  name: "certificate rotate service-account",
  resumes: "after start",
  steps: betweenServers(subject, (paths) => [
    {
      name: "service-account: both keys verify",
      async run(state) {
        const next = await ensureNext(paths);
        const keys = await readPublicKeys(paths.pki);
        await writePublicKeys(paths.pki, joinPublicKeys(keys, [{ pem: publicPem(next) }]));
        await untilVerifies(paths);
        await shareKeys(paths, subject, state);
      },
    },
    {
      name: "service-account: the new one signs",
      async run(state) {
        const { forgets } = state;
        // The last thing that this step does is to remove the file.
        const isLeft = existsSync(nextFile(paths));
        const next = await readFile(isLeft ? nextFile(paths) : join(paths.pki, "sa.key"), "utf8");
        await writePrivate(join(paths.pki, "sa.key"), next);
        const until = forgets ? 0 : systemClock.now() + keptMs;
        const own = { pem: publicPem(next) };
        const others = (await readPublicKeys(paths.pki))
          .filter(({ pem }) => pem !== own.pem)
          .map(({ pem, untilMs }) => ({ pem, untilMs: Math.min(untilMs ?? until, until) }));
        await writePublicKeys(paths.pki, forgets ? [own] : [own, ...others]);
        await untilVerifies(paths);
        await rm(nextFile(paths), { force: true });
        await shareKeys(paths, subject, state);
      },
    },
  ]),
};

const nextFile = (paths: ClusterPaths): string => join(paths.pki, "next", "sa.key");

/** The new private key; made unless it is there. */
async function ensureNext(paths: ClusterPaths): Promise<string> {
  const file = nextFile(paths);
  if (!existsSync(file)) {
    await mkdir(join(paths.pki, "next"), { recursive: true, mode: 0o700 });
    await writePrivate(file, keyPem(generateKey()));
  }
  return await readFile(file, "utf8");
}

const publicPem = (key: string): string =>
  createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
