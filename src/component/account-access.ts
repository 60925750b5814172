/** Upstream: staging/src/k8s.io/controller-manager/pkg/clientbuilder/client_builder_dynamic.go. */
import type { TokenRequest } from "#/api/authentication/v1.ts";
import { serviceAccounts } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Connect } from "#/client/connect.ts";
import { credentialsFor } from "#/client/kubeconfig/connection-options.ts";
import { loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import { selectContext } from "#/client/kubeconfig/select-context.ts";
import type { Credentials } from "#/client/transport/credentials.ts";
import { Http2Transport } from "#/client/transport/http2-transport.ts";
import type { Headers } from "#/client/transport/transport.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

const accountNamespace = "kube-system";
/** Lifetime of requested tokens (s); renewed when most of it has passed. */
const tokenSeconds = 3600;
const usedPart = 0.8;

/** The user name and groups of a controller's ServiceAccount. */
export const accountIdentity = (account: string) => ({
  name: `system:serviceaccount:${accountNamespace}:${account}`,
  groups: [
    "system:serviceaccounts",
    `system:serviceaccounts:${accountNamespace}`,
    "system:authenticated",
  ],
});

/** The credentials of a ServiceAccount, with tokens requested by another client. */
class AccountCredentials implements Credentials {
  readonly #client: Client;
  readonly #base: Credentials;
  readonly #account: string;
  readonly #clock: Clock;
  #token: Promise<{ readonly text: string; readonly renewMs: number }> | undefined;

  /** The base defines the trusted CA. */
  constructor(client: Client, base: Credentials, account: string, clock: Clock) {
    this.#client = client;
    this.#base = base;
    this.#account = account;
    this.#clock = clock;
  }

  async headers(): Promise<Headers> {
    this.#token ??= this.#request();
    try {
      const { text, renewMs } = await this.#token;
      // The next request waits for a new token.
      if (this.#clock.now() > renewMs) this.#token = undefined;
      return { authorization: `Bearer ${text}` };
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }

  tls() {
    return this.#base.tls();
  }

  refused(): void {
    this.#token = undefined;
  }

  [Symbol.dispose](): void {
    this.#base[Symbol.dispose]();
  }

  async #request() {
    const ref = { name: this.#account, namespace: accountNamespace };
    const request: TokenRequest = {
      metadata: {},
      spec: { audiences: [], expirationSeconds: tokenSeconds },
    };
    const ask = () =>
      this.#client.createSubresource<TokenRequest, TokenRequest>(
        serviceAccounts,
        ref,
        "token",
        request,
      );
    const { status } = await ask().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await ensureAccount(this.#client, this.#account);
      return await ask();
    });
    const now = this.#clock.now();
    const endMs = parseTime(status?.expirationTimestamp ?? "");
    return { text: status?.token ?? "", renewMs: now + (endMs - now) * usedPart };
  }
}

async function ensureAccount(client: Client, name: string): Promise<void> {
  try {
    await client.create(serviceAccounts, { metadata: { name, namespace: accountNamespace } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Connects to a remote server as ServiceAccounts: with tokens that the component's own client requests for them. */
export async function connectByTokens(
  flags: { readonly kubeconfig: string; readonly master: string },
  client: Client,
): Promise<Connect> {
  const { config } = await loadKubeconfig(flags.kubeconfig);
  const { cluster } = selectContext(config);
  return ({ name }) => {
    const account = name.split(":").at(-1) ?? "";
    const base = credentialsFor(cluster, {});
    return new Http2Transport({
      server: flags.master || (cluster.server ?? ""),
      credentials: new AccountCredentials(client, base, account, systemClock),
      proxyUrl: cluster["proxy-url"],
    });
  };
}
