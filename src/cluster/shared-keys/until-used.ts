import { createHash, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { systemClock } from "#/std/time/clock.ts";
import { encryptionFile } from "../access/encryption-keys.ts";
import { ServerSession } from "../access/server-session.ts";
import { readPublicKeys } from "../access/token-keys.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";

/** Limit of the wait for the server (ms): it looks for changes of its files each minute, if it is not notified. */
const serverMs = 120_000;
const lookMs = 500;

/** Waits until the server of this machine verifies with as many keys of tokens as there are; it publishes them. */
export async function untilVerifies(paths: ClusterPaths): Promise<void> {
  const wanted = (await readPublicKeys(paths.pki)).map(({ pem }) => coordinate(pem)).sort();
  await untilServer(paths, "the keys of tokens", async (session) => {
    const { text } = await session.ask("GET", "/openid/v1/jwks");
    const { keys = [] } = JSON.parse(text) as { keys?: { x?: string; n?: string }[] };
    const found = keys.map(({ x, n }) => x ?? n ?? "").sort();
    return found.join() === wanted.join();
  });
}

/** Waits until the server of this machine encrypts as its file says; it publishes the digest of what it uses as a metric. */
export async function untilEncrypts(paths: ClusterPaths): Promise<void> {
  const digest = createHash("sha256").update(await readFile(encryptionFile(paths.pki)));
  const hash = `hash="sha256:${digest.digest("hex")}"`;
  await untilServer(paths, "the keys of Secrets", async (session) => {
    const { text } = await session.ask("GET", "/metrics");
    return text
      .split("\n")
      .some(
        (line) =>
          line.includes("encryption_config_controller_last_config_info{") && line.includes(hash),
      );
  });
}

/** Waits until the server uses the keys in its files, those of its own certificates included. */
export async function untilUsed(paths: ClusterPaths): Promise<void> {
  await untilVerifies(paths);
  if (getSettings(paths).encryptsSecrets) await untilEncrypts(paths);
}

/** Each look has a session of its own: certificates may be replaced meanwhile, and the server may start again. */
async function untilServer(
  paths: ClusterPaths,
  what: string,
  holds: (session: ServerSession) => Promise<boolean>,
): Promise<void> {
  const look = async (): Promise<boolean> => {
    using session = await ServerSession.open(paths, getSettings(paths));
    return await holds(session);
  };
  const endMs = systemClock.monotonicMs() + serverMs;
  while (!(await look().catch(() => false))) {
    if (systemClock.monotonicMs() > endMs) {
      throw new CommandFailure(`the server does not use ${what} that were written`);
    }
    await systemClock.sleep(lookMs);
  }
}

/** The part of a key by which it is found among those that the server publishes. */
function coordinate(pem: string): string {
  const { x, n } = createPublicKey(pem).export({ format: "jwk" });
  return String(x ?? n);
}
