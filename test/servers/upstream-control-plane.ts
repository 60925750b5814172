import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createWriteStream, existsSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "#/testing/until.ts";

const run = promisify(execFile);
/** Its own addresses: the machine's end of the link, and that of the control plane. */
const [hostIp, ip] = ["10.189.77.1", "10.189.77.2"];
export const etcdUrl = `http://${ip}:2379`;

/** Limit of the start of its API server (ms), on a busy machine. */
const readyMs = 180_000;

/** Where upstream's programs are, as the reference cluster builds them. */
export const upstreamPrograms =
  process.env["KREF_BIN"] ?? join(homedir(), ".cache/kube-conformance/reference/bin");

/** Upstream's own control plane and an etcd, in a network namespace. Disposing of it removes all but its folder. */
export class UpstreamControlPlane implements AsyncDisposable {
  readonly pki: string;
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #namespace: string;
  readonly #children = new Map<string, ChildProcess>();

  private constructor(folder: string, namespace: string) {
    this.#folder = folder;
    this.#namespace = namespace;
    this.pki = join(folder, "pki");
    this.kubeconfig = join(folder, "admin.kubeconfig");
  }

  static async start(folder: string, namespace: string): Promise<UpstreamControlPlane> {
    const plane = new UpstreamControlPlane(folder, namespace);
    await using starting = new AsyncDisposableStack();
    starting.use(plane);
    await run("sh", ["-ec", network, namespace, hostIp, ip]);
    await mkdir(plane.pki, { recursive: true });
    await run("sh", ["-ec", certificates, plane.pki, ip]);
    await plane.#writeKubeconfigs();
    plane.#run("etcd", "/usr/bin/etcd", [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      "--listen-peer-urls=http://127.0.0.1:2380",
      "--snapshot-count=10000",
    ]);
    await plane.startServers();
    starting.move();
    return plane;
  }

  /** Starts the API server, the controllers and the scheduler. */
  async startServers(): Promise<void> {
    const pki = (name: string): string => join(this.pki, name);
    this.#run("kube-apiserver", join(upstreamPrograms, "kube-apiserver"), [
      `--etcd-servers=${etcdUrl}`,
      `--advertise-address=${ip}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      "--service-cluster-ip-range=10.96.0.0/12",
      "--allow-privileged=true",
      `--client-ca-file=${pki("ca.crt")}`,
      `--tls-cert-file=${pki("apiserver.crt")}`,
      `--tls-private-key-file=${pki("apiserver.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${pki("sa.pub")}`,
      `--service-account-signing-key-file=${pki("sa.key")}`,
      `--requestheader-client-ca-file=${pki("front-proxy-ca.crt")}`,
    ]);
    const isReady = () => this.kubectl("get", "--raw", "/readyz").catch(() => undefined);
    await until("upstream's API server is ready", isReady, { limitMs: readyMs });
    const access = ["--kubeconfig", "--authentication-kubeconfig", "--authorization-kubeconfig"];
    for (const name of ["kube-controller-manager", "kube-scheduler"]) {
      const own = name === "kube-scheduler" ? [] : this.#managerFlags();
      this.#run(name, join(upstreamPrograms, name), [
        ...access.map((flag) => `${flag}=${join(this.#folder, `${name}.kubeconfig`)}`),
        "--leader-elect-lease-duration=5s",
        "--leader-elect-renew-deadline=4s",
        "--leader-elect-retry-period=1s",
        ...own,
      ]);
    }
  }

  #managerFlags(): string[] {
    const pki = (name: string): string => join(this.pki, name);
    return [
      "--use-service-account-credentials=true",
      `--service-account-private-key-file=${pki("sa.key")}`,
      `--root-ca-file=${pki("ca.crt")}`,
      `--cluster-signing-cert-file=${pki("ca.crt")}`,
      `--cluster-signing-key-file=${pki("ca.key")}`,
      "--allocate-node-cidrs=true",
      "--cluster-cidr=10.244.0.0/16",
    ];
  }

  /** Stops all but etcd. */
  async stopServers(): Promise<void> {
    for (const name of ["kube-scheduler", "kube-controller-manager", "kube-apiserver"]) {
      await this.#stop(name);
    }
  }

  pidOf(name: string): number | undefined {
    return this.#children.get(name)?.pid;
  }

  async kubectl(...args: string[]): Promise<string> {
    const command = [join(upstreamPrograms, "kubectl"), `--kubeconfig=${this.kubeconfig}`, ...args];
    const options = { maxBuffer: 64 << 20 };
    return (await run("nsenter", [this.#enter, ...command], options)).stdout;
  }

  /** The value of a key in etcd. */
  async stored(key: string): Promise<Buffer> {
    const body = JSON.stringify({ key: Buffer.from(key).toString("base64") });
    const { stdout } = await run("nsenter", [
      this.#enter,
      "curl",
      "-sf",
      `${etcdUrl}/v3/kv/range`,
      "-d",
      body,
    ]);
    const { kvs } = JSON.parse(stdout) as { kvs?: { value: string }[] };
    return Buffer.from(kvs?.[0]?.value ?? "", "base64");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#children.keys()].reverse()) await this.#stop(name);
    if (existsSync(`/run/netns/${this.#namespace}`)) {
      await run("ip", ["netns", "del", this.#namespace]);
    }
  }

  get #enter(): string {
    return `--net=/run/netns/${this.#namespace}`;
  }

  #run(name: string, program: string, args: readonly string[]): void {
    const log = createWriteStream(join(this.#folder, `${name}.log`), { flags: "a" });
    const child = spawn("nsenter", [this.#enter, program, ...args], { stdio: "pipe" });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    this.#children.set(name, child);
  }

  async #stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    this.#children.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  async #writeKubeconfigs(): Promise<void> {
    const all = { admin: "admin", "kube-controller-manager": "kcm", "kube-scheduler": "sched" };
    for (const [name, certificate] of Object.entries(all)) {
      const at = (file: string): string => join(this.pki, file);
      const cluster = { server: `https://${ip}:6443`, "certificate-authority": at("ca.crt") };
      const user = {
        "client-certificate": at(`${certificate}.crt`),
        "client-key": at(`${certificate}.key`),
      };
      const config = {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "up", cluster }],
        users: [{ name: "up", user }],
        contexts: [{ name: "up", context: { cluster: "up", user: "up" } }],
        "current-context": "up",
      };
      await writeFile(join(this.#folder, `${name}.kubeconfig`), JSON.stringify(config));
    }
  }

  /** A copy of the authorities and keys alone, as a user takes them to another machine. */
  async exportPki(to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    const names = ["ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key"];
    for (const name of [...names, "sa.key", "sa.pub"])
      await copyFile(join(this.pki, name), join(to, name));
  }
}

const network = `
ip netns add "$0"
ip link add up0 type veth peer name eth0 netns "$0"
ip addr add "$1/30" dev up0; ip link set up0 up
ip -n "$0" link set lo up; ip -n "$0" addr add "$2/30" dev eth0; ip -n "$0" link set eth0 up
ip -n "$0" route add default via "$1"`;

/** The layout of kubeadm. */
const certificates = `
cd "$0"
ca() { openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=$2" -keyout "$1.key" -out "$1.crt" 2>/dev/null; }
cert() {
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  printf 'extendedKeyUsage=serverAuth,clientAuth\\n%s' "$3" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" -extfile "$1.ext" 2>/dev/null
}
ca ca kubernetes; ca front-proxy-ca front-proxy-ca
openssl genrsa -out sa.key 2048 2>/dev/null; openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
cert apiserver /CN=kube-apiserver "subjectAltName=IP:$1,IP:127.0.0.1,IP:10.96.0.1,DNS:kubernetes"
cert admin /O=system:masters/CN=admin
cert kcm /CN=system:kube-controller-manager
cert sched /CN=system:kube-scheduler`;
