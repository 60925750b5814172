/** Upstream: k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go. */
import type { Clock } from "#/std/clock.ts";
import type { Credentials, TlsIdentity } from "../credentials.ts";
import type { Headers } from "../transport.ts";
import type { Cluster, ExecConfig } from "./kubeconfig.ts";

/** What a plugin prints: client.authentication.k8s.io ExecCredential. */
interface ExecStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

/** Credentials that a program provides, used until they expire or are refused. */
export class ExecCredentials implements Credentials {
  readonly #exec: ExecConfig;
  readonly #cluster: Cluster;
  readonly #base: Credentials;
  readonly #clock: Clock;
  #status: Promise<ExecStatus> | undefined;
  #expiresMs = Number.POSITIVE_INFINITY;
  #identity:
    | { readonly of: ExecStatus; readonly base: TlsIdentity; value: TlsIdentity }
    | undefined;

  /** The base says whom to trust and as whom to act. */
  constructor(exec: ExecConfig, cluster: Cluster, base: Credentials, clock: Clock) {
    this.#exec = exec;
    this.#cluster = cluster;
    this.#base = base;
    this.#clock = clock;
  }

  async headers(): Promise<Headers> {
    const { token } = await this.#current();
    return {
      ...(await this.#base.headers()),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
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

  refused(): void {
    this.#status = undefined;
  }

  [Symbol.dispose](): void {
    this.#base[Symbol.dispose]();
  }

  #current(): Promise<ExecStatus> {
    if (!this.#status || this.#clock.now() >= this.#expiresMs) {
      this.#status = this.#run();
      this.#status.catch(() => {
        this.#status = undefined;
      });
    }
    return this.#status;
  }

  async #run(): Promise<ExecStatus> {
    const { command, args, env, installHint } = this.#exec;
    this.#expiresMs = Number.POSITIVE_INFINITY;
    const output = await runPlugin(command, args ?? [], {
      ...process.env,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(this.#info()),
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      const hint = installHint ? `\n\n${installHint}` : "";
      throw new Error(`getting credentials: exec: executable ${command} not found${hint}`);
    });
    const { status } = parseOutput(output);
    if (!status) throw new Error("getting credentials: exec plugin didn't return a status field");
    if (!status.token && !(status.clientCertificateData && status.clientKeyData)) {
      throw new Error("getting credentials: exec plugin didn't return a token or cert/key pair");
    }
    const expires = status.expirationTimestamp;
    if (expires) this.#expiresMs = new Date(expires).getTime();
    return status;
  }

  #info(): object {
    const { apiVersion = "client.authentication.k8s.io/v1", provideClusterInfo } = this.#exec;
    const interactive = this.#exec.interactiveMode !== "Never" && process.stdin.isTTY === true;
    const cluster = this.#cluster;
    return {
      kind: "ExecCredential",
      apiVersion,
      spec: {
        interactive,
        ...(provideClusterInfo
          ? {
              cluster: {
                server: cluster.server,
                "tls-server-name": cluster["tls-server-name"],
                "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
                "certificate-authority-data": cluster["certificate-authority-data"],
                "proxy-url": cluster["proxy-url"],
              },
            }
          : {}),
      },
    };
  }
}

function parseOutput(output: string): { status?: ExecStatus } {
  try {
    return JSON.parse(output) as { status?: ExecStatus };
  } catch (error) {
    throw new Error("getting credentials: decoding stdout: couldn't get version/kind", {
      cause: error,
    });
  }
}

/** What a program prints; its errors go where ours do. */
async function runPlugin(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ["inherit", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else {
        const text = `getting credentials: exec: executable ${command} failed with exit code ${code}`;
        reject(new Error(text));
      }
    });
  });
}
