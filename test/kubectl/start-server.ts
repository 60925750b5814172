import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { run } from "#/apiserver/run.ts";
import { Client } from "#/client/client.ts";
import { openCredentials } from "#/client/transport/credentials.ts";
import { HttpsTransport } from "#/client/transport/https-transport.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { freePort } from "#/testing/free-port.ts";
import { until } from "#/testing/until.ts";

/** Our API server with TLS in this process, for kubectl, and the folder of the commands. */
export interface KubectlServer extends AsyncDisposable {
  readonly client: Client;
  /** Working directory of the commands, with their files. */
  readonly folder: string;
  /** File system of the containers of the local node. */
  readonly box: string;
  /** HOME of the commands. */
  readonly home: string;
  /** PATH of the commands: a folder with the programs that they run, and nothing else of this machine. */
  readonly programs: string;
  /** TMPDIR of the commands. */
  readonly temporary: string;
  readonly port: number;
}

const tokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  'alicetoken,alice,alice-uid,"g1,g2"',
];

/** Programs that commands of the suites run; Debian has them always. */
const programNames = ["sh", "sed", "cat", "diff", "false", "echo", "printf", "readlink"];

/** Runs an API server with flags until it is disposed of; its files are in a folder of its own. */
export type RunApiServer = (flags: readonly string[], folder: string) => Promise<AsyncDisposable>;

/** Starts a server with an empty store, and writes a kubeconfig for an administrator and for alice. */
export async function startKubectlServer(
  runServer: RunApiServer = runOurs,
): Promise<KubectlServer> {
  const root = await mkdtemp(join(tmpdir(), "kubectl-"));
  const [folder, box, home] = [join(root, "work"), join(root, "box"), join(root, "home")];
  const [programs, temporary] = [join(root, "programs"), join(root, "temporary")];
  await Promise.all([folder, box, programs, temporary].map((each) => mkdir(each)));
  await mkdir(join(home, ".kube"), { recursive: true });
  await Promise.all(
    programNames.map((name) => symlink(join("/usr/bin", name), join(programs, name))),
  );
  const port = await freePort();
  const running = await runServer(await serverFlags(root, port), root);
  const credentials = openCredentials({ token: "admintoken", insecure: true });
  const transport = new HttpsTransport({ server: `https://127.0.0.1:${port}`, credentials });
  const client = new Client(transport, { userAgent: "setup" });
  await untilReady(client);
  await writeFile(join(home, ".kube", "config"), kubeconfig(port));
  return {
    client,
    folder,
    box,
    home,
    programs,
    temporary,
    port,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Our API server, in this process. */
export async function runOurs(flags: readonly string[], folder: string): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const { values } = parseFlags(apiServerFlags, [`--data-dir=${join(folder, "data")}`, ...flags]);
  const running = run(values, stop.signal);
  // A server that fails early is detected by the wait for readiness.
  running.catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function serverFlags(root: string, port: number): Promise<string[]> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [keyFile, tokenFile] = [join(root, "sa.key"), join(root, "tokens.csv")];
  await writeFile(keyFile, privateKey.export({ type: "sec1", format: "pem" }));
  await writeFile(tokenFile, `${tokens.join("\n")}\n`);
  return [
    `--cert-dir=${join(root, "certs")}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=192.0.2.1",
    `--token-auth-file=${tokenFile}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    "--v=0",
  ];
}

async function untilReady(client: Client): Promise<void> {
  const answers = async (): Promise<boolean> => {
    await client.request({ method: "GET", path: "/readyz" });
    await client.request({ method: "GET", path: "/api/v1/namespaces/default" });
    return true;
  };
  await until("the API server is ready", () => answers().catch(() => false));
}

function kubeconfig(port: number): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:${port}
    insecure-skip-tls-verify: true
users:
- name: admin
  user:
    token: admintoken
- name: alice
  user:
    token: alicetoken
contexts:
- name: admin
  context:
    cluster: test
    user: admin
- name: alice
  context:
    cluster: test
    user: alice
    namespace: shop
current-context: admin
`;
}
