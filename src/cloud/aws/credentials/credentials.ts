import { asError } from "#/std/base/as-error.ts";
import type { Logger } from "#/std/log/log.ts";
import type { AwsKeys } from "#/std/net/aws-signature.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Keys that may end. */
export interface Credentials extends AwsKeys {
  /** Milliseconds since 1970; undefined if they do not end. */
  readonly expiresAtMs?: number;
}

/** Obtains credentials from one source. */
export type CredentialSource = (signal: AbortSignal) => Promise<Credentials>;

/** Credentials are obtained again this long (ms) before they end, so that no request is signed with dead ones. */
const refreshBeforeMs = 5 * 60_000;

/**
 * Keeps credentials until shortly before their end. Callers at the same time share one request. If
 * a refresh fails, those at hand are used to their end.
 */
export function keepCredentials(
  source: CredentialSource,
  {
    clock,
    log,
    signal,
  }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): (caller: AbortSignal) => Promise<AwsKeys> {
  let current: Credentials | undefined;
  let refresh: Promise<Credentials> | undefined;
  const obtain = async (): Promise<Credentials> => {
    try {
      current = await source(signal);
      return current;
    } catch (error) {
      if (!current || hasEnded(current, clock.now(), 0)) throw error;
      log.warning("failed to refresh AWS credentials, use those at hand", {
        error: asError(error),
      });
      return current;
    } finally {
      refresh = undefined;
    }
  };
  return async (caller) => {
    caller.throwIfAborted();
    if (current && !hasEnded(current, clock.now(), refreshBeforeMs)) return current;
    refresh ??= obtain();
    return await refresh;
  };
}

function hasEnded({ expiresAtMs }: Credentials, now: number, marginMs: number): boolean {
  return expiresAtMs !== undefined && now + marginMs >= expiresAtMs;
}

/** The form of credentials in JSON: of the metadata service, of containers and of programs. */
export function parseCredentials(source: string, from: string): Credentials {
  const fail = (problem: string): never => {
    throw new Error(`${from}: ${problem}`);
  };
  const parsed = parseObject(source) ?? fail("response is not a JSON object");
  const read = (name: string): string => {
    const value = parsed[name];
    return typeof value === "string" ? value : "";
  };
  const code = read("Code") || read("code");
  if (code !== "" && code !== "Success") {
    fail(`${code}: ${read("Message") || read("message")}`);
  }
  const accessKeyId = read("AccessKeyId") || fail("response has no AccessKeyId");
  const secretAccessKey = read("SecretAccessKey") || fail("response has no SecretAccessKey");
  const sessionToken = read("Token") || read("SessionToken");
  const expiration = read("Expiration");
  const expiresAtMs = Date.parse(expiration);
  if (expiration !== "" && Number.isNaN(expiresAtMs)) fail(`malformed Expiration ${expiration}`);
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === "" ? {} : { sessionToken }),
    ...(expiration === "" ? {} : { expiresAtMs }),
  };
}

export function parseObject(source: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(source);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
