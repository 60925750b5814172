import { FileContent } from "#/std/files/file-content.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ApiServerFlags } from "../../flags/index.ts";
import type { Paths } from "../../http/paths.ts";
import type { Handler } from "../../model/exchange.ts";
import type { ResourceName } from "../../model/resource-name.ts";
import type { TokenAuthenticator, TokenIssuer } from "../../model/token-services.ts";
import type { Registry } from "../../registry/registry.ts";
import type { TokenMetrics } from "../base/token-metrics.ts";
import { BoundTokens } from "./bound-token.ts";
import { ExternalSigner } from "./external-signer.ts";
import { addIssuerDiscovery } from "./issuer-discovery.ts";
import { KeySet, readPrivateKey, readPublicKeys } from "./keys.ts";
import { LegacyTokens } from "./legacy-token.ts";
import { SecretUse } from "./secret-use.ts";
import { signWith, tokenIssuer } from "./token-issuer.ts";
import { VerifiedTokens } from "./verified-tokens.ts";

/** The service account settings of the flags. */
interface ServiceAccounts {
  readonly authenticators: readonly TokenAuthenticator[];
  /** The audiences of tokens for this server. */
  readonly audiences: readonly string[];
  readonly issuer?: TokenIssuer;
  /** Sets the client for the server's own requests, once there is one. */
  start(handler: Handler): void;
  addPaths(paths: Paths, externalAddress: string): void;
}

/** Reads keys and makes the signer and verifier of service account tokens. */
export async function openServiceAccounts(
  flags: ApiServerFlags,
  registry: Registry,
  { metrics, files }: { readonly metrics: TokenMetrics; readonly files: DisposableStack },
): Promise<ServiceAccounts> {
  const issuers = flags["service-account-issuer"] ?? [];
  const [first = ""] = issuers;
  const named = flags["api-audiences"] ?? [];
  const audiences = named.length > 0 ? named : issuers;
  const signer = await openSigner(flags, registry.clock);
  const keys = signer ?? readKeys(flags, registry.clock, files);
  const tokens = new VerifiedTokens(keys);
  const store = (resource: ResourceName) => registry.store(resource);
  const shared = { tokens, ownAudiences: audiences, store, metrics };
  const use = new SecretUse(registry.clock);
  const lookup = flags["service-account-lookup"] ?? true;
  const authenticators: TokenAuthenticator[] = [];
  if (keys.keys.length > 0) {
    const onUsed = (secret: Parameters<SecretUse["note"]>[0]) => use.note(secret);
    authenticators.push(new LegacyTokens({ ...shared, lookup, onUsed }));
  }
  if (keys.keys.length > 0 && issuers.length > 0) {
    authenticators.push(new BoundTokens({ ...shared, issuers, clock: registry.clock }));
  }
  const issuer = await openIssuer(flags, first, { signer, clock: registry.clock, files });
  return {
    authenticators,
    audiences,
    ...(issuer ? { issuer } : {}),
    start(handler) {
      use.handler = handler;
    },
    addPaths(paths, externalAddress) {
      const jwksUri = flags["service-account-jwks-uri"] ?? "";
      if (keys.keys.length > 0) {
        addIssuerDiscovery(paths, { issuer: first, jwksUri, externalAddress, keys });
      }
    },
  };
}

/** Keys follow their files: an authority that is replaced needs no restart. */
function readKeys(flags: ApiServerFlags, clock: Clock, followed: DisposableStack): KeySet {
  const given = flags["service-account-key-file"] ?? [];
  const signing = flags["service-account-signing-key-file"];
  // The default is the serving key, as in older servers.
  const last = flags["tls-private-key-file"] ? [flags["tls-private-key-file"]] : [];
  const files = given.length > 0 ? given : signing ? [signing] : last;
  const contents = files.map((file) =>
    followed.use(new FileContent(file, (bytes) => readPublicKeys(bytes.toString(), file), clock)),
  );
  return new KeySet(...contents.map((content) => () => content.value));
}

/** The external signer, if the flags name one: then there are no keys in files. */
async function openSigner(
  flags: ApiServerFlags,
  clock: Clock,
): Promise<ExternalSigner | undefined> {
  const endpoint = flags["service-account-signing-endpoint"];
  if (!endpoint) return undefined;
  if (
    flags["service-account-signing-key-file"] ||
    (flags["service-account-key-file"] ?? []).length > 0
  ) {
    throw new FlagError(
      "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
    );
  }
  return ExternalSigner.open(endpoint, clock).catch((error: Error) => {
    throw new Error(`while setting up external-jwt-signer: ${error.message}`, { cause: error });
  });
}

interface IssuerServices {
  readonly signer: ExternalSigner | undefined;
  readonly clock: Clock;
  readonly files: DisposableStack;
}

async function openIssuer(
  flags: ApiServerFlags,
  issuer: string,
  { signer, clock, files }: IssuerServices,
): Promise<TokenIssuer | undefined> {
  const file = flags["service-account-signing-key-file"];
  if ((!file && !signer) || issuer === "") return undefined;
  const wanted = Math.floor((flags["service-account-max-token-expiration"] ?? 0) / 1000);
  const extendExpiration = flags["service-account-extend-token-expiration"] ?? true;
  const most = (await signer?.maxExpirationSeconds()) ?? 0;
  if (most > 0 && wanted > most) {
    const [longer, longest] = [wanted, most].map((seconds) => formatDuration(seconds * 1000));
    throw new FlagError(
      `service-account-max-token-expiration cannot be set longer than the token expiration supported by service-account-signing-endpoint: ${longer} > ${longest}`,
    );
  }
  const sign = signer ? (claims: object) => signer.sign(claims) : signWithFile(file, clock, files);
  return tokenIssuer({
    sign,
    issuer,
    maxExpirationSeconds: wanted || most,
    extendExpiration,
    ...(most > 0 ? { maxExtendedSeconds: most } : {}),
  });
}

function signWithFile(
  file: string,
  clock: Clock,
  files: DisposableStack,
): (claims: object) => Promise<string> {
  const read = (bytes: Buffer) => signWith(readPrivateKey(bytes.toString(), file));
  const content = files.use(new FileContent(file, read, clock));
  return (claims) => content.value(claims);
}
