/** Upstream: k8s.io/client-go/tools/clientcmd. */
import { type Clock, systemClock } from "#/std/clock.ts";
import { type CredentialOptions, type Credentials, openCredentials } from "../credentials.ts";
import { HttpsTransport } from "../https-transport.ts";
import type { Transport } from "../transport.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { findInCluster } from "./in-cluster.ts";
import type { Cluster, Kubeconfig, User } from "./kubeconfig.ts";
import { loadKubeconfig } from "./kubeconfig-files.ts";
import { type KubeconfigOverrides, type SelectedContext, selectContext } from "./select-context.ts";

export interface TransportOptions {
  readonly userAgent?: string;
  /** For answers to short requests; default 90 s. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** The way to the cluster that a kubeconfig and flags mean. */
export function transportFor(
  config: Kubeconfig,
  overrides: KubeconfigOverrides = {},
  options: TransportOptions = {},
): Transport {
  return transportTo(selectContext(config, overrides), options);
}

/** The way to a cluster, as whom one is there. */
export function transportTo(
  { cluster, user }: Pick<SelectedContext, "cluster" | "user">,
  options: TransportOptions = {},
): Transport {
  return new HttpsTransport({
    server: serverUrl(cluster.server ?? ""),
    credentials: credentialsFor(cluster, user, options.clock),
    proxyUrl: cluster["proxy-url"],
    ...options,
  });
}

/**
 * The way to the cluster that a component's flags mean: --kubeconfig, maybe with another server (--master), or that
 * which it runs in.
 */
export async function openTransport(
  flags: { readonly kubeconfig?: string | undefined; readonly master?: string | undefined },
  options: TransportOptions = {},
): Promise<Transport> {
  const { kubeconfig = "", master = "" } = flags;
  if (kubeconfig === "" && master === "") {
    const inside = findInCluster();
    if (inside) return transportTo(inside, options);
    throw new Error(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  }
  const config = kubeconfig === "" ? {} : (await loadKubeconfig(kubeconfig)).config;
  const overrides = master === "" ? {} : { clusterInfo: { server: master } };
  return transportFor(config, overrides, options);
}

/** What a cluster and a user of a kubeconfig say of credentials. */
export function credentialsFor(
  cluster: Cluster,
  user: User,
  clock: Clock = systemClock,
): Credentials {
  const base = openCredentials(credentialOptions(cluster, user), clock);
  return user.exec ? new ExecCredentials(user.exec, cluster, base, clock) : base;
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

/** A server without a scheme is asked without TLS, as client-go does it. */
function serverUrl(server: string): string {
  return /^https?:\/\//.test(server) ? server : `http://${server}`;
}
