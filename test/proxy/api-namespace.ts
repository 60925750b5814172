import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestAuthority } from "#/testing/certificates.ts";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { prepareNode } from "./node-namespace.ts";
import { clusterCidr, node, nodeName, serviceCidrs, services, slices } from "./objects.ts";

const programOf = (name: string): string =>
  new URL(`../../bin/${name}.ts`, import.meta.url).pathname;

/** Our kube-proxy, as a command. */
export const ourProxy: readonly string[] = [process.execPath, programOf("kube-proxy")];

/** The node of objects.ts in a namespace, with an API server that has these objects. */
export class ApiNamespace implements AsyncDisposable {
  readonly namespace: NetworkNamespace;
  readonly #kubeconfig: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    namespace: NetworkNamespace,
    kubeconfig: string,
    stack: AsyncDisposableStack,
  ) {
    this.namespace = namespace;
    this.#kubeconfig = kubeconfig;
    this.#stack = stack;
  }

  static async start(): Promise<ApiNamespace> {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "proxy-api-"));
    stack.defer(() => rm(directory, { recursive: true }));
    const namespace = stack.use(await NetworkNamespace.create());
    await prepareNode(namespace);
    const kubeconfig = join(directory, "kubeconfig");
    await startServer(namespace, directory, kubeconfig);
    const made = new ApiNamespace(namespace, kubeconfig, stack.move());
    await made.#createObjects();
    return made;
  }

  /** Starts a proxy; it ends with the namespace, or by stop(). */
  startProxy([program = "", ...args]: readonly string[], flags: readonly string[]): ChildProcess {
    const proxy = this.namespace.start(program, [...args, ...this.args(flags)]);
    proxy.stderr?.on("data", (chunk: Buffer) => process.stderr.write(chunk));
    return proxy;
  }

  /** The metrics of the running proxy. */
  metrics(): Promise<string> {
    const script = `fetch("http://127.0.0.1:10249/metrics").then((got) => got.text()).then(console.log)`;
    return this.namespace.run(process.execPath, ["-e", script]);
  }

  /** Resolves when the proxy has written the rules of both families. */
  async untilSynced(): Promise<void> {
    const written = /^kubeproxy_sync_proxy_rules_last_timestamp_seconds\{.*\} [1-9]/gm;
    await until("the rules of both families are written", async () => {
      const text = await this.metrics().catch(() => "");
      return text.match(written)?.length === 2;
    });
  }

  /** The arguments of each proxy. */
  args(flags: readonly string[]): string[] {
    return [
      `--kubeconfig=${this.#kubeconfig}`,
      `--hostname-override=${nodeName}`,
      `--cluster-cidr=${clusterCidr}`,
      "--conntrack-max-per-core=0",
      "--conntrack-tcp-timeout-established=0s",
      "--conntrack-tcp-timeout-close-wait=0s",
      ...flags,
    ];
  }

  /** Runs kubectl against the API server. */
  kubectl(input: string, ...args: string[]): Promise<string> {
    return kubectl(this.namespace, this.#kubeconfig, args, input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #createObjects(): Promise<void> {
    const items = [node, ...services, ...slices].filter(
      ({ metadata }) => !metadata.name?.startsWith("kubernetes"),
    );
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    await this.kubectl(list, "create", "-f", "-");
    for (const object of [node, ...services]) {
      if (object.metadata.name === "kubernetes") continue;
      const patch = JSON.stringify({ status: object.status });
      const flags = ["--subresource=status", "--type=merge", "-p", patch];
      await this.kubectl("", "patch", object.kind ?? "", object.metadata.name ?? "", ...flags);
    }
  }
}

/** The names and types of a proxy's own metrics. */
export function ownMetrics(text: string): string[] {
  return [...text.matchAll(/^# TYPE (kubeproxy_.*)$/gm)].map(([, name = ""]) => name).sort();
}

/** Ends a proxy; its rules remain. */
export async function stop(proxy: ChildProcess): Promise<void> {
  const exited = once(proxy, "exit");
  proxy.kill();
  await exited;
}

function kubectl(
  namespace: NetworkNamespace,
  kubeconfig: string,
  args: readonly string[],
  input = "",
): Promise<string> {
  const flags = [programOf("kubectl"), `--kubeconfig=${kubeconfig}`, ...args];
  return namespace.run(process.execPath, flags, input);
}

async function startServer(
  namespace: NetworkNamespace,
  directory: string,
  kubeconfig: string,
): Promise<void> {
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("localhost");
  await writeFile(join(directory, "tokens.csv"), "secret,admin,1,system:masters\n");
  const cluster = {
    server: "https://127.0.0.1:6443",
    "certificate-authority": authority.caFile,
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const server = namespace.start(process.execPath, [
    programOf("kube-apiserver"),
    `--data-dir=${join(directory, "data")}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=192.168.9.1",
    `--token-auth-file=${join(directory, "tokens.csv")}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    `--service-cluster-ip-range=${serviceCidrs.join(",")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    "--disable-admission-plugins=ServiceAccount",
  ]);
  server.stderr?.on("data", (chunk: Buffer) => process.stderr.write(chunk));
  await until("the API server is ready", () =>
    kubectl(namespace, kubeconfig, ["get", "--raw", "/readyz"]).catch(() => undefined),
  );
}
