import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { run } from "#/apiserver/run.ts";
import { Client } from "#/client/client.ts";
import { openCredentials } from "#/client/credentials.ts";
import { HttpsTransport } from "#/client/https-transport.ts";
import { parseFlags } from "#/std/flags.ts";

/** Our API server with TLS in this process, as kubectl meets it, and the folder that commands run in. */
export interface KubectlServer extends AsyncDisposable {
  readonly client: Client;
  /** Where commands run and files are. */
  readonly folder: string;
  /** What the containers of the local node have for a file system. */
  readonly box: string;
  /** HOME of the commands. */
  readonly home: string;
  readonly port: number;
}

const tokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  'alicetoken,alice,alice-uid,"g1,g2"',
];

/** Starts a server with an empty store, and writes a kubeconfig for an administrator and for alice. */
export async function startKubectlServer(): Promise<KubectlServer> {
  const root = await mkdtemp(join(tmpdir(), "kubectl-"));
  const [folder, box, home] = [join(root, "work"), join(root, "box"), join(root, "home")];
  await Promise.all([mkdir(folder), mkdir(box), mkdir(join(home, ".kube"), { recursive: true })]);
  const port = await freePort();
  const stop = new AbortController();
  const { values } = parseFlags(apiServerFlags, await serverFlags(root, port));
  const running = run(values, stop.signal);
  const credentials = openCredentials({ token: "admintoken", insecure: true });
  const transport = new HttpsTransport({ server: `https://127.0.0.1:${port}`, credentials });
  const client = new Client(transport, { userAgent: "setup" });
  await Promise.race([running, untilReady(client)]);
  await writeFile(join(home, ".kube", "config"), kubeconfig(port));
  return {
    client,
    folder,
    box,
    home,
    port,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      stop.abort();
      await running;
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function serverFlags(root: string, port: number): Promise<string[]> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [keyFile, tokenFile] = [join(root, "sa.key"), join(root, "tokens.csv")];
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(tokenFile, `${tokens.join("\n")}\n`);
  return [
    `--data-dir=${join(root, "data")}`,
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilReady(client: Client): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await client.request({ method: "GET", path: "/readyz" });
      await client.request({ method: "GET", path: "/api/v1/namespaces/default" });
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error("the API server did not become ready");
}

function kubeconfig(port: number): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {server: "https://127.0.0.1:${port}", insecure-skip-tls-verify: true}
users:
- {name: admin, user: {token: admintoken}}
- {name: alice, user: {token: alicetoken}}
contexts:
- {name: admin, context: {cluster: test, user: admin}}
- {name: alice, context: {cluster: test, user: alice, namespace: shop}}
current-context: admin
`;
}
