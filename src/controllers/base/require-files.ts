/** Upstream: cmd/kube-controller-manager/app/{certificates,service_accounts}.go. */
import { readFileSync } from "node:fs";
import { openFailure } from "#/std/files/file-errors.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import type { ManagerFlags } from "./flags.ts";

/**
 * Throws for required files that can't be read: their controller would fail repeatedly, visible
 * only in the log.
 */
export function requireFiles(flags: ManagerFlags, runs: (controller: string) => boolean): void {
  const rootCa = flags["root-ca-file"];
  const key = flags["service-account-private-key-file"];
  const signsTokens = runs("serviceaccount-token-controller") && key !== "";
  if (signsTokens) {
    read(key, (reason) => `error reading key for service account token controller: ${reason}`);
  }
  if (rootCa === "") return;
  if (!signsTokens && !runs("root-ca-certificate-publisher-controller")) return;
  const failure = (reason: string): string => `error parsing root-ca-file at ${rootCa}: ${reason}`;
  const blocks = readPemBlocks(read(rootCa, failure).toString("latin1"));
  if (blocks.some(({ type, hasHeaders }) => type === "CERTIFICATE" && !hasHeaders)) return;
  throw new Error(failure("data does not contain any valid RSA or ECDSA certificates"));
}

function read(file: string, failure: (reason: string) => string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(failure(openFailure(file, error)));
  }
}
