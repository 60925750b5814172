/** Upstream: staging/src/k8s.io/client-go/transport. */

import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { FileContent } from "#/std/files/file-content.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { Headers } from "./transport.ts";

/** The trusted CA and the client certificate. Undefined parts are the system's. */
export interface TlsIdentity {
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  /** Whether verification of the server's certificate is skipped. */
  readonly insecure?: boolean | undefined;
  /** The expected name of the server's certificate; default that of the URL. */
  readonly serverName?: string | undefined;
}

/** The identity of a client; read for each request, so that renewed credentials are used. */
export interface Credentials extends Disposable {
  /** Headers that authenticate the client. */
  headers(): MaybePromise<Headers>;
  /** Returns the same value as long as nothing has changed: a new one means new connections. */
  tls(): MaybePromise<TlsIdentity>;
  /**
   * Called when the server has refused these headers (401). Resolves when new ones are available or
   * can't be obtained.
   */
  refused?(sent: Headers): MaybePromise<void>;
}

/** Credentials as values or files; files are read again when they change. */
export interface CredentialOptions {
  readonly ca?: string | Buffer | undefined;
  readonly caFile?: string | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly certFile?: string | undefined;
  readonly key?: string | Buffer | undefined;
  readonly keyFile?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly serverName?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** The user to impersonate. */
interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Separates the values of a header that is sent several times. */
export const valueSeparator = "\n";

/** Opens credentials; throws if a file can't be read. */
export function openCredentials(
  options: CredentialOptions,
  clock: Clock = systemClock,
): Credentials {
  const files = new Map<string, FileContent<Buffer>>();
  let identity: TlsIdentity | undefined;
  const open = (path: string | undefined, given: unknown): FileContent<Buffer> | undefined => {
    if (!path || given !== undefined) return undefined;
    const changed = () => {
      identity = undefined;
    };
    const file = new FileContent(path, (bytes) => bytes, clock, changed);
    files.set(path, file);
    return file;
  };
  const ca = open(options.caFile, options.ca);
  const cert = open(options.certFile, options.cert);
  const key = open(options.keyFile, options.key);
  const token = open(options.tokenFile, undefined);
  const fixed = { ...authorization(options), ...impersonation(options.impersonate) };
  return {
    headers: () =>
      token ? { ...fixed, authorization: `Bearer ${token.value.toString().trim()}` } : fixed,
    tls() {
      identity ??= {
        ca: options.ca ?? ca?.value,
        cert: options.cert ?? cert?.value,
        key: options.key ?? key?.value,
        insecure: options.insecure,
        serverName: options.serverName,
      };
      return identity;
    },
    refused() {
      token?.reload();
    },
    [Symbol.dispose]() {
      for (const file of files.values()) file[Symbol.dispose]();
    },
  };
}

function authorization({ token, username, password }: CredentialOptions): Headers {
  if (token) return { authorization: `Bearer ${token}` };
  if (!username) return {};
  const pair = Buffer.from(`${username}:${password ?? ""}`).toString("base64");
  return { authorization: `Basic ${pair}` };
}

function impersonation(as: Impersonation | undefined): Headers {
  if (!as) return {};
  const extra = Object.entries(as.extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values.join(valueSeparator),
  ]);
  return {
    "impersonate-user": as.user,
    ...(as.uid ? { "impersonate-uid": as.uid } : {}),
    ...(as.groups?.length ? { "impersonate-group": as.groups.join(valueSeparator) } : {}),
    ...Object.fromEntries(extra),
  };
}
