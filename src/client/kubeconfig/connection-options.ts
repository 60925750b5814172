/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/client_config.go. */
import { type Clock, systemClock } from "#/std/time/clock.ts";
import {
  type CredentialOptions,
  type Credentials,
  openCredentials,
} from "../transport/credentials.ts";
import type { HttpsTransportOptions } from "../transport/https-transport.ts";
import type { Cluster, User } from "./kubeconfig.ts";
import { LazyCredentials } from "./lazy-credentials.ts";
import type { SaveTokens } from "./oidc-credentials.ts";
import type { PluginPolicy } from "./plugin-policy.ts";
import type { SelectedContext } from "./select-context.ts";
import { serverUrl } from "./server-url.ts";

export interface TransportOptions {
  readonly userAgent?: string;
  /** Timeout of short requests; default 90 s. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** Which programs may provide credentials; default all. */
  readonly pluginPolicy?: PluginPolicy | undefined;
  /** The environment of credential plugins; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether credential plugins may prompt the user; default whether the standard input is a
   * terminal.
   */
  readonly isInteractive?: boolean | undefined;
  /**
   * The current other reader of the standard input, which excludes plugins from it; default none.
   */
  readonly stdinReader?: (() => string | undefined) | undefined;
  /** Ends credential plugins when it aborts; default never. */
  readonly pluginSignal?: AbortSignal | undefined;
  /** Stores renewed tokens of a provider; default nowhere. */
  readonly saveTokens?: SaveTokens | undefined;
}

/** The options of a transport to a cluster, with the user's credentials. */
export function connectionOptions(
  { cluster, user }: Pick<SelectedContext, "cluster" | "user">,
  options: TransportOptions = {},
): HttpsTransportOptions {
  return {
    server: serverUrl(cluster.server ?? ""),
    credentials: credentialsFor(cluster, user, options),
    proxyUrl: cluster["proxy-url"],
    ...options,
  };
}

/** The credentials that a cluster and a user of a kubeconfig define. */
export function credentialsFor(
  cluster: Cluster,
  user: User,
  options: Pick<
    TransportOptions,
    | "clock"
    | "pluginPolicy"
    | "env"
    | "isInteractive"
    | "stdinReader"
    | "pluginSignal"
    | "saveTokens"
  > = {},
): Credentials {
  const { clock = systemClock, pluginPolicy: policy, env, saveTokens } = options;
  const { isInteractive, stdinReader, pluginSignal: signal } = options;
  const base = openCredentials(credentialOptions(cluster, user), clock);
  const { exec, "auth-provider": provider } = user;
  if (provider) {
    return new LazyCredentials(base, async () => {
      const { providerCredentials } = await import("./oidc-credentials.ts");
      return providerCredentials(provider, base, { clock, saveTokens });
    });
  }
  if (!exec || hasCredentials(user)) return base;
  return new LazyCredentials(base, async () => {
    const { ExecCredentials } = await import("./exec-credentials.ts");
    const terms = { clock, policy, env, isInteractive, stdinReader, signal };
    return new ExecCredentials(exec, cluster, base, terms);
  });
}

/** Whether a user of a kubeconfig has credentials or a source of them. */
export function canIdentify(user: User): boolean {
  return hasCredentials(user) || Boolean(user["auth-provider"] || user.exec);
}

/** Whether a user has explicit credentials, so that no plugin is needed. */
function hasCredentials(user: User): boolean {
  const cert = user["client-certificate"] || user["client-certificate-data"];
  return Boolean(user.token || user.tokenFile || user.username || cert);
}

function credentialOptions(cluster: Cluster, user: User): CredentialOptions {
  return {
    ca: decoded(cluster["certificate-authority-data"]),
    caFile: cluster["certificate-authority"],
    insecure: cluster["insecure-skip-tls-verify"],
    serverName: cluster["tls-server-name"],
    cert: decoded(user["client-certificate-data"]),
    certFile: user["client-certificate"],
    key: decoded(user["client-key-data"]),
    keyFile: user["client-key"],
    token: user.token,
    tokenFile: user.token ? undefined : user.tokenFile,
    username: user.username,
    password: user.password,
    impersonate: user.as
      ? {
          user: user.as,
          uid: user["as-uid"],
          groups: user["as-groups"],
          extra: user["as-user-extra"],
        }
      : undefined,
  };
}

const decoded = (data: string | undefined): Buffer | undefined =>
  data ? Buffer.from(data, "base64") : undefined;
