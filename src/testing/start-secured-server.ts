import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAdmission } from "#/apiserver/admission/open-admission.ts";
import { apiHandler } from "#/apiserver/api-server.ts";
import { openAuthentication } from "#/apiserver/auth/open-authentication.ts";
import { openAuthorizer } from "#/apiserver/auth/open-authorizer.ts";
import { ensureBootstrapPolicy } from "#/apiserver/auth/rbac/ensure-bootstrap-policy.ts";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { Paths } from "#/apiserver/http/paths.ts";
import type { Exchange, Handler } from "#/apiserver/model/exchange.ts";
import type { RequestMarks } from "#/apiserver/model/request-marks.ts";
import type { Declaration } from "#/apiserver/registry/strategy.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { openPlainFilters } from "./plain-filters.ts";
import { type Answer, startApiServer, type TestApiServer } from "./start-api-server.ts";

export interface SecuredOptions {
  /** Flags besides those of tokens and keys. */
  readonly flags?: readonly string[];
  /** --authorization-mode, unless the flags have it; empty for none. */
  readonly mode?: string;
  /** Lines of the token file. */
  readonly tokens?: readonly string[];
  readonly resources?: readonly Declaration[];
  readonly clock?: Clock;
  /** The storage; it is closed with the server. */
  readonly storage?: Storage;
  /** Whether the admission plugins of the flags are used; otherwise everything is admitted. */
  readonly admission?: boolean;
  /** The recorder of journeys. */
  readonly marks?: RequestMarks;
  /** Called before the handler; may put certificates onto the connection. */
  readonly arrive?: (exchange: Exchange) => void;
}

/** A server in this process with its real authenticators and authorizers, as flags configure them. */
export class SecuredServer implements AsyncDisposable {
  readonly api: TestApiServer;
  readonly handler: Handler;
  readonly directory: string;
  /** The metrics of its authenticators. */
  readonly metrics: Metrics;
  readonly #files: DisposableStack;

  constructor(
    parts: Pick<SecuredServer, "api" | "handler" | "directory" | "metrics"> & {
      readonly files: DisposableStack;
    },
  ) {
    this.api = parts.api;
    this.handler = parts.handler;
    this.directory = parts.directory;
    this.metrics = parts.metrics;
    this.#files = parts.files;
  }

  /** Sends a request without a preset user: its headers must authenticate it. */
  async send(
    method: string,
    url: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const reply = await callInProcess(this.handler, {
      method,
      url,
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    });
    const text = (await collectBody(reply)).toString();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      get json() {
        return JSON.parse(text) as unknown;
      },
    };
  }

  /** Sends a request with a bearer token. */
  as(token: string, method: string, url: string, body?: object): Promise<Answer> {
    return this.send(method, url, body, { authorization: `Bearer ${token}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#files.dispose();
    await this.api[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The default tokens: one of an administrator, and two of users without permissions. */
const defaultTokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  'alicetoken,alice,alice-uid,"g1,g2"',
  "bobtoken,bob,bob-uid",
];

/** Starts a secured server with RBAC, tokens, and keys for service accounts. */
export async function startSecuredServer(options: SecuredOptions = {}): Promise<SecuredServer> {
  const {
    resources,
    clock,
    storage,
    flags = [],
    tokens = defaultTokens,
    mode = "RBAC",
    marks,
    arrive,
  } = options;
  const hasMode = flags.some((flag) => flag.startsWith("--authorization-mode"));
  const directory = await mkdtemp(join(tmpdir(), "secured-"));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyFile = join(directory, "service-account.key");
  const tokenFile = join(directory, "tokens.csv");
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(tokenFile, `${tokens.join("\n")}\n`);
  const { values } = parseFlags(apiServerFlags, [
    ...(hasMode || mode === "" ? [] : [`--authorization-mode=${mode}`]),
    `--token-auth-file=${tokenFile}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    ...flags,
  ]);
  const api = await startApiServer({
    ...(resources ? { resources } : {}),
    ...(clock ? { clock } : {}),
    ...(storage ? { storage } : {}),
  });
  const { registry } = api;
  const metrics = new Metrics();
  const files = new DisposableStack();
  const authentication = await openAuthentication(values, registry, { metrics, files });
  const paths = new Paths();
  authentication.addPaths(paths, "127.0.0.1:6443");
  const authorizer = await openAuthorizer(values, registry, { files });
  const admitAll = { mutate: () => undefined, validate: () => undefined };
  const enabled = enabledFeatures();
  const { authenticators, tokens: tokenServices } = authentication;
  const gates = { authenticators, authorizer, enabled, marks };
  const filters = await openPlainFilters({ registry, paths, ...gates });
  const handler = apiHandler({
    registry,
    paths,
    filters,
    tokens: tokenServices,
    authorizer,
    admission: options.admission ? await openAdmission(values, registry, authorizer) : admitAll,
    enabled,
  });
  authentication.start(handler);
  await ensureBootstrapPolicy({ handler, registry });
  const front: Handler = (exchange) => {
    arrive?.(exchange);
    return handler(exchange);
  };
  return new SecuredServer({ api, handler: front, directory, metrics, files });
}
