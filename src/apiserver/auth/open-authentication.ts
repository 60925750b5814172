import { readFile } from "node:fs/promises";
import { secrets } from "#/api/core/v1.ts";
import { append } from "#/std/base/append.ts";
import { FileContent } from "#/std/files/file-content.ts";
import { logger } from "#/std/log/log.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import type { Dial } from "../egress/egress.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Paths } from "../http/paths.ts";
import type { Authenticator } from "../model/authenticator.ts";
import type { Handler } from "../model/exchange.ts";
import type { FollowingServices } from "../model/opening-services.ts";
import type { TokenAuthenticator, TokenServices } from "../model/token-services.ts";
import { WebhookClient } from "../outgoing/webhook-client.ts";
import { readWebhookKubeconfig } from "../outgoing/webhook-kubeconfig.ts";
import type { Registry } from "../registry/registry.ts";
import { bearerToken } from "./base/bearer-token.ts";
import { RequestChain } from "./base/request-chain.ts";
import { UnionTokenAuthenticator } from "./base/token-authenticator.ts";
import { TokenMetrics } from "./base/token-metrics.ts";
import { bootstrapTokens } from "./bootstrap-token.ts";
import { clientCertificate, PeerVerifier } from "./client-certificate.ts";
import { inProcess } from "./in-process.ts";
import { openOidc } from "./oidc/open-oidc.ts";
import { requestHeader } from "./request-header.ts";
import { openServiceAccounts } from "./service-account/open-service-accounts.ts";
import { tokenFile } from "./token-file.ts";
import { WebhookTokens } from "./webhook/webhook-tokens.ts";

const log = logger("authentication");
const webhookTimeoutMs = 30_000;

/** The authentication of the server. */
interface Authentication {
  readonly authenticators: readonly Authenticator[];
  readonly tokens: TokenServices;
  /** Serves the documents for verifying this server's tokens; the address is host:port as clients see it. */
  addPaths(paths: Paths, externalAddress: string): void;
  /** Sets the client for the server's own requests, once there is one. */
  start(handler: Handler): void;
}

/** Opens the authenticators of the flags, in upstream's order: pkg/kubeapiserver/authenticator/config.go. */
export async function openAuthentication(
  flags: ApiServerFlags,
  registry: Registry,
  { metrics = new Metrics(), egress = {}, files }: FollowingServices,
): Promise<Authentication> {
  const tokenMetrics = new TokenMetrics(metrics, registry.clock);
  const accounts = await openServiceAccounts(flags, registry, { metrics: tokenMetrics, files });
  const { audiences } = accounts;
  const tokenAuthenticators: TokenAuthenticator[] = [];
  const file = flags["token-auth-file"];
  if (file) tokenAuthenticators.push(tokenFile(await readFile(file, "utf8"), file));
  append(tokenAuthenticators, accounts.authenticators);
  if (flags["enable-bootstrap-token-auth"]) {
    tokenAuthenticators.push(bootstrapTokens(registry.store(secrets), registry.clock));
  }
  const oidc = openOidc(flags, registry, { tokens: tokenMetrics, metrics, files });
  if (oidc.authenticator) tokenAuthenticators.push(oidc.authenticator);
  const webhook = flags["authentication-token-webhook-config-file"];
  if (webhook) {
    const client = openWebhookClient(webhook, registry, egress.controlPlane);
    tokenAuthenticators.push(openWebhookTokens(client, flags, registry, audiences));
  }
  const authenticator = new UnionTokenAuthenticator(tokenAuthenticators, audiences);
  const chain: Authenticator[] = [...certificates(flags, registry, files)];
  if (tokenAuthenticators.length > 0) chain.push(bearerToken(authenticator, audiences));
  const { issuer } = accounts;
  return {
    authenticators: [inProcess, new RequestChain(chain, oidc.anonymous)],
    tokens: { authenticator, audiences, ...(issuer ? { issuer } : {}) },
    addPaths: accounts.addPaths,
    start: accounts.start,
  };
}

function openWebhookClient(file: string, { clock }: Registry, dial?: Dial): WebhookClient {
  const endpoint = readWebhookKubeconfig(file);
  return new WebhookClient({ endpoint, timeoutMs: webhookTimeoutMs, clock, dial });
}

function openWebhookTokens(
  client: WebhookClient,
  flags: ApiServerFlags,
  { clock }: Registry,
  ownAudiences: readonly string[],
): TokenAuthenticator {
  return new WebhookTokens({
    client,
    version: flags["authentication-token-webhook-version"] ?? "v1beta1",
    ttlMs: flags["authentication-token-webhook-cache-ttl"] ?? 0,
    ownAudiences,
    clock,
  });
}

/** Front proxies first, then client certificates. */
function certificates(
  flags: ApiServerFlags,
  { clock }: Registry,
  files: DisposableStack,
): Authenticator[] {
  const verifier = (file: string): PeerVerifier => {
    const roots = files.use(new FileContent(file, readRoots, clock));
    return new PeerVerifier(() => roots.value, clock);
  };
  const list: Authenticator[] = [];
  const proxyFile = flags["requestheader-client-ca-file"];
  if (proxyFile) {
    list.push(
      requestHeader({
        verifier: verifier(proxyFile),
        allowedNames: flags["requestheader-allowed-names"] ?? [],
        usernameHeaders: flags["requestheader-username-headers"] ?? [],
        uidHeaders: flags["requestheader-uid-headers"] ?? [],
        groupHeaders: flags["requestheader-group-headers"] ?? [],
        extraPrefixes: flags["requestheader-extra-headers-prefix"] ?? [],
      }),
    );
  }
  const clientFile = flags["client-ca-file"];
  if (clientFile) list.push(clientCertificate(verifier(clientFile)));
  return list;
}

function readRoots(pem: Buffer): Certificate[] {
  const roots = readPemBlocks(pem.toString("latin1"))
    .filter(({ type }) => type === "CERTIFICATE")
    .map(({ der }) => readCertificate(der));
  if (roots.length === 0) throw new Error("the file contains no certificates");
  log.info("loaded client authorities", { count: roots.length });
  return roots;
}
