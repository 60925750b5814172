/** Upstream: staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go. */
import { readFileSync } from "node:fs";
import { goJsonType } from "#/machinery/patch/values/go-value.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Credentials, TlsIdentity } from "../transport/credentials.ts";
import type { Headers } from "../transport/transport.ts";
import { CredentialError } from "./credential-error.ts";
import type { Cluster, ExecConfig } from "./kubeconfig.ts";
import { allowedPlugin, cleanPath, type PluginPolicy } from "./plugin-policy.ts";

/** The output of a plugin: client.authentication.k8s.io ExecCredential. */
interface ExecStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

interface ExecOptions {
  readonly clock: Clock;
  /** Which programs may be run; default all. */
  readonly policy?: PluginPolicy | undefined;
  /** The environment of plugins; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether the standard input is interactive; default whether it is a terminal. */
  readonly isInteractive?: boolean | undefined;
  /**
   * The current other reader of the standard input, which excludes plugins from it; default none.
   */
  readonly stdinReader?: (() => string | undefined) | undefined;
  /** Ends a running plugin when it aborts; default never. */
  readonly signal?: AbortSignal | undefined;
}

/** Limit of a plugin's output (characters): credentials are far shorter. */
const maxOutputChars = 1 << 20;

const versions = ["client.authentication.k8s.io/v1beta1", "client.authentication.k8s.io/v1"];

const notInstalled = `

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;

/** Credentials of a plugin, used until they expire or are refused. */
export class ExecCredentials implements Credentials {
  readonly #exec: ExecConfig;
  readonly #cluster: Cluster;
  readonly #base: Credentials;
  readonly #options: ExecOptions;
  #status: Promise<ExecStatus> | undefined;
  /** The plugin's result behind each set of headers. */
  readonly #sent = new WeakMap<Headers, Promise<ExecStatus>>();
  #expiresMs = Number.POSITIVE_INFINITY;
  #identity:
    | { readonly of: ExecStatus; readonly base: TlsIdentity; value: TlsIdentity }
    | undefined;

  /** The base defines the trusted CA and impersonation. */
  constructor(exec: ExecConfig, cluster: Cluster, base: Credentials, options: ExecOptions) {
    const { apiVersion = "" } = exec;
    if (!versions.includes(apiVersion)) {
      throw new Error(`exec plugin: invalid apiVersion ${goQuote(apiVersion)}`);
    }
    this.#exec = exec;
    this.#cluster = cluster;
    this.#base = base;
    this.#options = options;
  }

  async headers(): Promise<Headers> {
    const current = this.#current();
    const { token } = await current;
    const headers = {
      ...(await this.#base.headers()),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    this.#sent.set(headers, current);
    return headers;
  }

  async tls(): Promise<TlsIdentity> {
    const [status, base] = [await this.#current(), await this.#base.tls()];
    const { clientCertificateData: cert, clientKeyData: key } = status;
    if (!cert || !key) return base;
    if (this.#identity?.of !== status || this.#identity.base !== base) {
      this.#identity = { of: status, base, value: { ...base, cert, key } };
    }
    return this.#identity.value;
  }

  /** Runs the plugin again at once, unless it has run since. */
  async refused(sent: Headers): Promise<void> {
    if (this.#sent.get(sent) !== this.#status) return;
    this.#status = undefined;
    // An error is reported to the next request, which runs the plugin again.
    await this.#current().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#base[Symbol.dispose]();
  }

  #current(): Promise<ExecStatus> {
    if (!this.#status || this.#options.clock.now() > this.#expiresMs) {
      this.#status = this.#run().catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        throw new CredentialError(`getting credentials: ${text}`, { cause: error });
      });
      this.#status.catch(() => {
        this.#status = undefined;
      });
    }
    return this.#status;
  }

  async #run(): Promise<ExecStatus> {
    const { args, env: own } = this.#exec;
    const interactive = this.#isInteractive();
    const env: NodeJS.ProcessEnv = {
      ...(this.#options.env ?? process.env),
      ...Object.fromEntries((own ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(this.#info(interactive)),
    };
    const command = cleanPath(this.#exec.command);
    const policy = this.#options.policy ?? { type: "" };
    const file = allowedPlugin(policy, command, env["PATH"] ?? "");
    this.#expiresMs = Number.POSITIVE_INFINITY;
    const { code, output } = await this.#call(file, {
      args: args ?? [],
      env,
      interactive,
      signal: this.#options.signal,
    });
    if (code !== 0) throw new Error(`exec: executable ${command} failed with exit code ${code}`);
    const status = readStatus(output, this.#exec.apiVersion ?? "");
    if (status.expirationTimestamp) {
      this.#expiresMs = new Date(status.expirationTimestamp).getTime();
    }
    return status;
  }

  async #call(file: string, run: PluginRun): Promise<PluginOutcome> {
    try {
      return await runPlugin(file, run);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw new Error(`exec: ${message}`, { cause: error });
      const { command, installHint } = this.#exec;
      const hint = installHint ? `\n\n${printable(installHint)}` : "";
      const text = `exec: executable ${cleanPath(command)} not found${notInstalled}${hint}`;
      throw new Error(text, { cause: error });
    }
  }

  /** Whether the plugin may prompt; throws if it must and can't. */
  #isInteractive(): boolean {
    const { interactiveMode = "IfAvailable" } = this.#exec;
    const available = this.#options.isInteractive ?? process.stdin.isTTY === true;
    if (interactiveMode === "Never") return false;
    const reader = this.#options.stdinReader?.();
    if (interactiveMode === "Always" && !available) {
      throw new Error(
        "exec plugin cannot support interactive mode: standard input is not a terminal",
      );
    }
    if (interactiveMode === "Always" && reader !== undefined) {
      throw new Error(
        `exec plugin cannot support interactive mode: standard input is unavailable: ${reader}`,
      );
    }
    return available && reader === undefined;
  }

  #info(interactive: boolean): object {
    const { apiVersion, provideClusterInfo } = this.#exec;
    const cluster = this.#cluster;
    return {
      kind: "ExecCredential",
      apiVersion,
      spec: {
        ...(provideClusterInfo
          ? {
              cluster: {
                server: cluster.server,
                "tls-server-name": cluster["tls-server-name"],
                "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
                "certificate-authority-data": authorityOf(cluster),
                "proxy-url": cluster["proxy-url"],
                "disable-compression": cluster["disable-compression"],
                config: configOf(cluster),
              },
            }
          : {}),
        interactive,
      },
    };
  }
}

/** The CA certificate as data, from the field or the file. */
function authorityOf(cluster: Cluster): string | undefined {
  const file = cluster["certificate-authority"];
  if (cluster["certificate-authority-data"]) return cluster["certificate-authority-data"];
  return file ? readFileSync(file).toString("base64") : undefined;
}

/** The part of a kubeconfig that is passed to the plugin. */
function configOf({ extensions }: Cluster): unknown {
  const named = (extensions ?? []) as { name?: string; extension?: unknown }[];
  return named.find(({ name }) => name === "client.authentication.k8s.io/exec")?.extension;
}

/** Escapes control characters of a terminal as numbers. */
function printable(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu, (char) => {
    const number = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `U+${number.padStart(4, "0")}`;
  });
}

function readStatus(output: string, expectedVersion: string): ExecStatus {
  let found: { apiVersion?: string; kind?: string; status?: ExecStatus };
  try {
    // Null counts as an empty object, as in Go.
    found = (JSON.parse(output) ?? {}) as typeof found;
  } catch (error) {
    throw new Error(
      `decoding stdout: couldn't get version/kind; json parse error: ${(error as Error).message}`,
      { cause: error },
    );
  }
  const { apiVersion = "", status } = found;
  if (apiVersion !== expectedVersion) {
    throw new Error(
      `exec plugin is configured to use API version ${expectedVersion}, plugin returned version ${apiVersion}`,
    );
  }
  if (!status) throw new Error("exec plugin didn't return a status field");
  checkTexts(status);
  const { token, clientCertificateData: cert, clientKeyData: key } = status;
  if (!token && !cert && !key) {
    throw new Error("exec plugin didn't return a token or cert/key pair");
  }
  if (!cert !== !key) throw new Error("exec plugin returned only certificate or key, not both");
  return status;
}

function checkTexts(status: ExecStatus): void {
  const fields = [
    "token",
    "clientCertificateData",
    "clientKeyData",
    "expirationTimestamp",
  ] as const;
  for (const field of fields) {
    const value: unknown = status[field] ?? undefined;
    if (value === undefined || typeof value === "string") continue;
    throw new Error(
      `decoding stdout: json: cannot unmarshal ${goJsonType(value)} into Go struct field ExecCredentialStatus.status.${field} of type string`,
    );
  }
}

interface PluginRun {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly interactive: boolean;
  readonly signal: AbortSignal | undefined;
}

interface PluginOutcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a plugin and returns its output; its errors go to our standard error. */
async function runPlugin(
  file: string,
  { args, env, interactive, signal }: PluginRun,
): Promise<PluginOutcome> {
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const stdin = interactive ? "inherit" : "ignore";
    const child = spawn(file, args, { env, stdio: [stdin, "pipe", "inherit"] });
    let output = "";
    const end = (error: Error): void => {
      child.kill("SIGKILL");
      // A program that the plugin has started may hold the other end.
      child.stdout?.destroy();
      reject(error);
    };
    const abort = (): void => end(new Error(`executable ${file} was interrupted`));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length <= maxOutputChars) return;
      end(new Error(`executable ${file} wrote more than ${maxOutputChars} characters`));
    });
    child.once("error", reject);
    child.once("close", (code) => {
      signal?.removeEventListener("abort", abort);
      resolve({ code: code ?? -1, output });
    });
  });
}
