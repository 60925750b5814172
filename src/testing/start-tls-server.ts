import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiHttpServer } from "#/apiserver/http/server.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TestAuthority } from "./certificates.ts";
import {
  type SecuredOptions,
  type SecuredServer,
  startSecuredServer,
} from "./start-secured-server.ts";

/** A secured API server on a port of its own, with TLS and a CA for its clients. */
export interface TlsServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly authority: TestAuthority;
  readonly secured: SecuredServer;
}

/**
 * Starts a server over TLS, which knows the tokens of startSecuredServer() and the certificates of
 * the CA.
 */
export async function startTlsServer(
  flags: readonly string[] = [],
  options: Omit<SecuredOptions, "flags"> = {},
): Promise<TlsServer> {
  await using starting = new AsyncDisposableStack();
  const folder = await makeFolder(starting);
  const authority = await TestAuthority.create(folder);
  const { certFile, keyFile } = await authority.issue("server");
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const clientCa = `--client-ca-file=${authority.caFile}`;
  const secured = starting.use(
    await startSecuredServer({ ...options, flags: [clientCa, ...flags] }),
  );
  const server = starting.use(
    new ApiHttpServer({
      handler: secured.handler,
      clock: systemClock,
      tls: { cert, key, requestCert: true, rejectUnauthorized: false },
      onError: () => undefined,
    }),
  );
  const port = await server.listen(0, "127.0.0.1");
  const stack = starting.move();
  const url = `https://127.0.0.1:${port}`;
  return { url, port, authority, secured, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-tls-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
