/**
 * Upstream: staging/src/k8s.io/cli-runtime/pkg/genericclioptions/config_flags.go,
 * staging/src/k8s.io/kubectl/pkg/cmd/util/factory_client_access.go.
 */
import { join, resolve } from "node:path";
import { Client } from "#/client/client.ts";
import { canIdentify, connectionOptions } from "#/client/kubeconfig/connection-options.ts";
import { CredentialError } from "#/client/kubeconfig/credential-error.ts";
import { findInCluster } from "#/client/kubeconfig/in-cluster.ts";
import { type LoadedKubeconfig, loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import {
  isEmptyKubeconfig,
  KubeconfigError,
  type KubeconfigOverrides,
  namespaceOf,
  type SelectedContext,
  selectContext,
} from "#/client/kubeconfig/select-context.ts";
import { PortError } from "#/client/kubeconfig/server-url.ts";
import { QuickTransport } from "#/client/transport/quick-transport.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import type { FlagValues } from "#/std/flags/flags.ts";
import { formatDuration, parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { klog, verbosity } from "../base/klog.ts";
import { WithHeaders } from "../base/with-headers.ts";
import type { ChosenNamespace, ClusterAccess } from "../command/cluster-access.ts";
import type { GlobalFlags } from "../command/global-flags.ts";
import { Discovery } from "../discovery/discovery.ts";
import type { OpenApiDocuments } from "../discovery/open-api-documents.ts";
import { RestMapper } from "../discovery/rest-mapper.ts";
import { allowsColor } from "../printers/escape-terminal.ts";

// Importing node:crypto as a module makes Node load its Web Cryptography too, of which nothing is used here.
const { randomUUID } = process.getBuiltinModule("node:crypto");

/** Least verbosity at which requests are logged. */
const requestLogLevel = 6;

/** Default timeout of each discovery request (ms). */
const discoveryTimeoutMs = 32_000;

/** Default server if neither flags nor kubeconfig name one. */
const defaultServer = "http://localhost:8080";

/** A cluster configured by flags, kubeconfig and environment. */
export class ConfiguredCluster implements ClusterAccess, AsyncDisposable {
  warningCount = 0;
  readonly #flags: FlagValues<GlobalFlags>;
  readonly #host: Host;
  readonly #commandPath: string;
  readonly #warned = new Set<string>();
  #stdinReader: string | undefined;
  #kubeconfig: Promise<LoadedKubeconfig> | undefined;
  #selected: Promise<SelectedContext> | undefined;
  #transport: Promise<Transport> | undefined;
  #client: Promise<Client> | undefined;
  #discovery: Promise<Discovery> | undefined;
  #mapper: Promise<RestMapper> | undefined;
  #openApi: Promise<OpenApiDocuments> | undefined;

  constructor(flags: FlagValues<GlobalFlags>, host: Host, commandPath: string) {
    this.#flags = flags;
    this.#host = host;
    this.#commandPath = commandPath;
  }

  async namespace(): Promise<ChosenNamespace> {
    const { namespace } = this.#flags;
    if (namespace !== "") return { namespace, explicit: true };
    const { config } = await this.kubeconfig();
    this.#checkNames(config);
    const inside = isEmptyKubeconfig(config) ? findInCluster(this.#host.env) : undefined;
    if (inside) return { namespace: inside.namespace, explicit: false };
    return { namespace: namespaceOf(config, this.#overrides()), explicit: false };
  }

  kubeconfig(): Promise<LoadedKubeconfig> {
    this.#kubeconfig ??= this.#loadKubeconfig();
    return this.#kubeconfig;
  }

  selected(): Promise<SelectedContext> {
    this.#selected ??= this.#select();
    return this.#selected;
  }

  transport(): Promise<Transport> {
    this.#transport ??= this.#openTransport();
    return this.#transport;
  }

  client(): Promise<Client> {
    this.#client ??= this.#openClient();
    return this.#client;
  }

  discovery(): Promise<Discovery> {
    this.#discovery ??= this.#openDiscovery();
    return this.#discovery;
  }

  mapper(): Promise<RestMapper> {
    this.#mapper ??= this.discovery().then(
      (discovery) => new RestMapper(discovery, (text) => this.warn(text)),
    );
    return this.#mapper;
  }

  openApi(): Promise<OpenApiDocuments> {
    this.#openApi ??= this.#cacheFolder("openapi").then(async (folder) => {
      const documents = await import("../discovery/open-api-documents.ts");
      return new documents.OpenApiDocuments({ client: await this.#documentsClient(), folder });
    });
    return this.#openApi;
  }

  warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.warningCount++;
    const { err, env } = this.#host;
    err.write(allowsColor(err, env) ? `\x1b[33;1mWarning:\x1b[0m ${text}\n` : `Warning: ${text}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#transport) return;
    const transport = await this.#transport.catch(() => undefined);
    await transport?.[Symbol.asyncDispose]();
  }

  takeStdin(): void {
    this.#stdinReader = "used by stdin resource manifest reader";
  }

  async #loadKubeconfig(): Promise<LoadedKubeconfig> {
    const { env, cwd } = this.#host;
    const loaded = await loadKubeconfig(this.#flags.kubeconfig, env, cwd);
    if (verbosity(this.#flags, "loader") >= requestLogLevel) {
      for (const { path } of loaded.files) {
        klog(this.#host, "I", "loader.go:408", `Config loaded from file:  ${path}`);
      }
    }
    return loaded;
  }

  async #select(): Promise<SelectedContext> {
    this.#timeoutMs();
    const { config } = await this.kubeconfig();
    const { context } = this.#flags;
    if (context !== "" && !config.contexts?.some(({ name }) => name === context)) {
      throw new CommandError(`context ${goQuote(context)} does not exist`);
    }
    this.#checkNames(config);
    this.#checkImpersonation(config);
    const overrides = this.#overrides();
    if (isEmptyKubeconfig(config) && this.#flags.server === "") {
      const inside = findInCluster(this.#host.env);
      if (inside) return inside;
      const server = this.#host.env["KUBERNETES_MASTER"] || defaultServer;
      return selectContext(config, {
        ...overrides,
        clusterInfo: { ...overrides.clusterInfo, server },
      });
    }
    return selectContext(config, overrides);
  }

  async #openTransport(): Promise<Transport> {
    const timeoutMs = this.#timeoutMs();
    this.#checkAuthorities(await this.selected());
    const { clock, env, pluginPolicy, stdin, signal } = this.#host;
    const options = connectionOptions(await this.#identified(), {
      userAgent: userAgent("kubectl"),
      clock,
      env,
      pluginPolicy,
      isInteractive: stdin.isTerminal,
      stdinReader: () => this.#stdinReader,
      pluginSignal: signal,
      saveTokens: (config) => this.#saveTokens(config),
      ...(timeoutMs > 0 ? { timeoutMs } : {}),
    });
    const digits = () => randomUUID().replaceAll("-", "");
    const headers = {
      "kubectl-command": this.#commandPath,
      "kubectl-session": randomUUID(),
      // One trace for all requests of a command.
      traceparent: `00-${digits()}-${digits().slice(0, 16)}-01`,
    };
    const watchTimeoutMs = Math.max(0, timeoutMs);
    const added = { headers, signal, clock, watchTimeoutMs };
    const session = new WithHeaders(new QuickTransport(options), added);
    const logged = await this.#logged(session);
    return timeoutMs > 0 ? this.#limited(logged, timeoutMs) : logged;
  }

  async #logged(transport: Transport): Promise<Transport> {
    const level = verbosity(this.#flags, "round_trippers");
    if (level < requestLogLevel) return transport;
    const { LoggedTransport } = await import("../base/request-log.ts");
    const selected = await this.selected();
    return new LoggedTransport(transport, { level, selected, host: this.#host });
  }

  async #limited(transport: Transport, timeoutMs: number): Promise<Transport> {
    const { TimeLimited } = await import("../base/time-limited.ts");
    return new TimeLimited(transport, timeoutMs);
  }

  /** Prompts for a name and a password if there are no credentials and the connection is encrypted. */
  async #identified(): Promise<SelectedContext> {
    const selected = await this.selected();
    const { cluster, user } = selected;
    const isSecure = /^https:\/\//i.test(cluster.server ?? "");
    if (!isSecure || canIdentify(user)) return selected;
    const { promptCredentials } = await import("../command/prompt-credentials.ts");
    return { ...selected, user: { ...user, ...(await promptCredentials(this.#host)) } };
  }

  async #openClient(): Promise<Client> {
    const client = this.#clientOver(await this.transport());
    if (this.#flags["match-server-version"]) {
      const { requireServerVersion } = await import("../base/version-info.ts");
      await requireServerVersion(client);
    }
    return client;
  }

  #clientOver(transport: Transport): Client {
    return new Client(transport, {
      userAgent: userAgent("kubectl"),
      clock: this.#host.clock,
      onWarning: (text) => this.warn(text),
    });
  }

  /** Requests the server's version and resources, with a timeout. */
  async #documentsClient(): Promise<Client> {
    const client = await this.client();
    if (this.#timeoutMs() > 0) return client;
    return this.#clientOver(await this.#limited(await this.transport(), discoveryTimeoutMs));
  }

  async #openDiscovery(): Promise<Discovery> {
    const folder = await this.#cacheFolder("discovery");
    const { cluster } = await this.selected();
    return new Discovery({
      client: () => this.#documentsClient(),
      file: join(folder, "k8ts.json"),
      clock: this.#host.clock,
      onFailure: (error) => this.#logDiscoveryFailure(error, cluster.server ?? ""),
    });
  }

  #logDiscoveryFailure(error: unknown, server: string): void {
    const title = "Couldn't get current server API group list";
    const timeout = formatDuration(this.#timeoutMs() || discoveryTimeoutMs);
    const asked = `Get "${server.replace(/\/+$/, "")}/api?timeout=${timeout}": `;
    const message = `${isUnasked(error) ? asked : ""}${messageOf(error)}`;
    const text = `${goQuote(title)} err=${goQuote(message)}`;
    klog(this.#host, "E", "memcache.go:381", text);
  }

  /** The cache folder of this server. */
  async #cacheFolder(name: string): Promise<string> {
    const { cluster } = await this.selected();
    const host = (cluster.server ?? "").replace(/^https?:\/\//, "").replace(/[^(\w/.)]/g, "_");
    return resolve(this.#host.cwd, this.#flags["cache-dir"], name, host);
  }

  /** Writes the tokens of the user of this command back into their kubeconfig file. */
  async #saveTokens(config: Readonly<Record<string, string>>): Promise<void> {
    const loaded = await this.kubeconfig();
    const { context, user } = this.#flags;
    const current = context || loaded.config["current-context"];
    const found = loaded.config.contexts?.find(({ name }) => name === current)?.context;
    const { saveProviderConfig } = await import("./save-provider-config.ts");
    await saveProviderConfig(loaded, user || (found?.user ?? ""), config);
  }

  /** Rejects flags that name entries that the kubeconfig doesn't have. */
  #checkNames({ contexts, clusters }: LoadedKubeconfig["config"]): void {
    const { context, cluster, server } = this.#flags;
    if (context !== "" && !contexts?.some(({ name }) => name === context)) {
      throw new KubeconfigError([`context was not found for specified context: ${context}`]);
    }
    if (cluster !== "" && server === "" && !clusters?.some(({ name }) => name === cluster)) {
      throw new CommandError(`no server found for cluster ${goQuote(cluster)}`);
    }
  }

  /** A server that is not verified needs no authorities; the flag of the command line removes them. */
  #checkAuthorities({ cluster }: SelectedContext): void {
    const isGiven = cluster["certificate-authority"] || cluster["certificate-authority-data"];
    if (!cluster["insecure-skip-tls-verify"] || !isGiven) return;
    if (this.#flags["insecure-skip-tls-verify"]) return;
    throw new CommandError(
      "specifying a root certificates file with the insecure flag is not allowed",
    );
  }

  /** Impersonated groups, UID and extra fields require an impersonated user. */
  #checkImpersonation(config: LoadedKubeconfig["config"]): void {
    const { as, user } = this.#flags;
    const rest = this.#flags["as-group"].length + this.#flags["as-user-extra"].length;
    if (as !== "" || (rest === 0 && this.#flags["as-uid"] === "")) return;
    const current = this.#flags.context || config["current-context"];
    const context = config.contexts?.find(({ name }) => name === current)?.context;
    throw new CommandError(
      `requesting uid, groups or user-extra for ${user || (context?.user ?? "")} without impersonating a user`,
    );
  }

  #timeoutMs(): number {
    const text = this.#flags["request-timeout"];
    if (/^-?\d+$/.test(text)) return Number(text) * 1000;
    try {
      return parseDuration(text);
    } catch {
      throw new CommandError(
        "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
      );
    }
  }

  #overrides(): KubeconfigOverrides {
    const flags = this.#flags;
    return {
      context: flags.context,
      cluster: flags.cluster,
      user: flags.user,
      namespace: flags.namespace,
      clusterInfo: {
        server: flags.server,
        "tls-server-name": flags["tls-server-name"],
        "certificate-authority": flags["certificate-authority"],
        "insecure-skip-tls-verify": flags["insecure-skip-tls-verify"],
        "proxy-url": flags["proxy-url"],
      },
      userInfo: {
        "client-certificate": flags["client-certificate"],
        "client-key": flags["client-key"],
        token: flags.token,
        username: flags.username,
        password: flags.password,
        as: flags.as,
        "as-uid": flags["as-uid"],
        ...(flags["as-group"].length > 0 ? { "as-groups": [...flags["as-group"]] } : {}),
        ...(flags["as-user-extra"].length > 0
          ? { "as-user-extra": extraOf(flags["as-user-extra"]) }
          : {}),
      },
    };
  }
}

function extraOf(pairs: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const key = pair.slice(0, equals);
    extra[key] = [...(extra[key] ?? []), pair.slice(equals + 1)];
  }
  return extra;
}

/** True if an error occurred before a request, so that its text has no URL. */
const isUnasked = (error: unknown): boolean =>
  error instanceof CredentialError || error instanceof PortError;
