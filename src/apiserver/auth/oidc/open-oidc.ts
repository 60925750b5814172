import { readFileSync } from "node:fs";
import { FileContent } from "#/std/files/file-content.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ApiServerFlags } from "../../flags/index.ts";
import type { TokenAuthenticator } from "../../model/token-services.ts";
import type { Registry } from "../../registry/registry.ts";
import { allowsAnonymous } from "../base/anonymous-flag.ts";
import { ConfigReloads } from "../base/config-reloads.ts";
import type { AnonymousAccess } from "../base/request-chain.ts";
import { UnionTokenAuthenticator } from "../base/token-authenticator.ts";
import type { TokenMetrics } from "../base/token-metrics.ts";
import {
  type AuthenticationConfiguration,
  type JwtAuthenticator,
  readAuthenticationConfiguration,
} from "./authentication-configuration.ts";
import { JwtTokens } from "./jwt-tokens.ts";

const log = logger("oidc");
const allAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
];

/** Issuers of the flags or of the file, and the rule for anonymous requests. */
interface Oidc {
  readonly authenticator: TokenAuthenticator | undefined;
  anonymous(): AnonymousAccess;
}

interface OidcServices {
  readonly tokens: TokenMetrics;
  readonly metrics: Metrics;
  readonly files: DisposableStack;
}

/** Opens the issuers of the flags, or of the configuration file, which may change while the server runs. */
export function openOidc(
  flags: ApiServerFlags,
  { clock }: Registry,
  { tokens, metrics, files }: OidcServices,
): Oidc {
  const ownIssuers = flags["service-account-issuer"] ?? [];
  const services = { clock, metrics: tokens };
  const file = flags["authentication-config"];
  const byFlag = { enabled: allowsAnonymous(flags), paths: new Set<string>() };
  if (!file) {
    const config = jwtOfFlags(flags);
    const algorithms = flags["oidc-signing-algs"] ?? ["RS256"];
    const running = config && new RunningIssuers({ jwt: [config] }, algorithms, services);
    files.defer(() => running?.stop());
    return { authenticator: running, anonymous: () => byFlag };
  }
  if (flags["oidc-issuer-url"]) {
    throw new FlagError("authentication-config file and oidc-* flags are mutually exclusive");
  }
  const open = (bytes: Buffer): RunningIssuers => {
    const config = readAuthenticationConfiguration(bytes.toString("utf8"), ownIssuers);
    return new RunningIssuers(config, allAlgorithms, services);
  };
  const reloads = new ConfigReloads(metrics, clock, {
    subsystem: "authentication_config_controller",
    stability: "BETA",
  });
  const read = reloads.followed(open);
  const content = files.use(new FileContent(file, read, clock, (old) => old.stop()));
  files.defer(() => content.value.stop());
  return {
    authenticator: {
      name: "oidc",
      authenticateToken: (...args) => content.value.authenticateToken(...args),
    },
    anonymous: () => content.value.anonymous ?? byFlag,
  };
}

function jwtOfFlags(flags: ApiServerFlags): JwtAuthenticator | undefined {
  const url = flags["oidc-issuer-url"];
  const client = flags["oidc-client-id"];
  if (!url || !client) return undefined;
  const claim = flags["oidc-username-claim"] || "sub";
  const given = flags["oidc-username-prefix"] ?? "";
  const issuerPrefix = given === "" && claim !== "email" ? `${url}#` : given;
  const groups = flags["oidc-groups-claim"];
  const caFile = flags["oidc-ca-file"];
  return {
    issuer: {
      url,
      audiences: [client],
      ...(caFile ? { certificateAuthority: readFileSync(caFile, "utf8") } : {}),
    },
    claimMappings: {
      username: { claim, prefix: issuerPrefix === "-" ? "" : issuerPrefix },
      ...(groups ? { groups: { claim: groups, prefix: flags["oidc-groups-prefix"] ?? "" } } : {}),
    },
    claimValidationRules: Object.entries(flags["oidc-required-claim"] ?? {}).map(
      ([name, requiredValue]) => ({ claim: name, requiredValue: String(requiredValue) }),
    ),
  };
}

/** The issuers of one configuration, until the next one replaces it. */
class RunningIssuers implements TokenAuthenticator {
  readonly name = "oidc";
  readonly anonymous: AnonymousAccess | undefined;
  readonly #union: UnionTokenAuthenticator;
  readonly #stop = new AbortController();

  constructor(
    { jwt, anonymous }: AuthenticationConfiguration,
    algorithms: readonly string[],
    services: { readonly clock: Clock; readonly metrics: TokenMetrics },
  ) {
    const { signal } = this.#stop;
    const chain = jwt.map((config) => new JwtTokens({ config, algorithms, signal, ...services }));
    this.#union = new UnionTokenAuthenticator(chain, []);
    const paths = new Set((anonymous?.conditions ?? []).map(({ path }) => path));
    this.anonymous = anonymous && { enabled: anonymous.enabled, paths };
    log.info("loaded OIDC issuers", { count: jwt.length });
  }

  async authenticateToken(
    ...[token, wanted, notes]: Parameters<TokenAuthenticator["authenticateToken"]>
  ) {
    const answer = await this.#union.authenticateToken(token, wanted, notes);
    return answer && { user: answer.user };
  }

  stop(): void {
    this.#stop.abort(new Error("the issuers have changed"));
  }
}
