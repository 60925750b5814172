import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerConfig, ContainerStatus } from "#/kubelet/cri/container-messages.ts";
import { type Cri, connectRuntime } from "#/kubelet/cri/runtime-service.ts";
import type { PodSandboxConfig } from "#/kubelet/cri/sandbox-messages.ts";
import { ociArchive } from "#/std/archive/oci-image.ts";
import { type RuntimeChoice, TestRuntime } from "#/testing/start-runtime.ts";
import { until } from "#/testing/until.ts";
import { webImage } from "../e2e/machine.ts";
import { credentials, type Registry, registryFiles, startRegistry } from "./registry.ts";

type LinuxSandbox = NonNullable<PodSandboxConfig["linux"]>;
type LinuxContainer = NonNullable<ContainerConfig["linux"]>;

/** An image that no container uses. */
const otherImage = (): Buffer =>
  ociArchive({
    name: "other:1",
    architecture: process.arch,
    files: [{ name: "other", content: Buffer.from("other") }],
    entrypoint: ["/other"],
  });

/** The command of a container that runs a shell script. */
export const script = (text: string): string[] => ["/bin/sh", "-c", text];

/** A script that ends well when it gets SIGTERM. */
export const polite = (text = ""): string[] =>
  script(`trap 'exit 0' TERM; ${text} while :; do sleep 0.1; done`);

/** A runtime with a registry, for tests that call CRI as the kubelet does. */
export class CriNode implements AsyncDisposable {
  readonly runtime: TestRuntime;
  readonly registry: Registry;
  readonly cri: Cri;
  /** The image of webImage(). */
  readonly image: string;

  private constructor(runtime: TestRuntime, registry: Registry) {
    this.runtime = runtime;
    this.registry = registry;
    this.cri = connectRuntime(runtime.endpoint);
    this.image = `${registry.host}/web:1`;
  }

  static async start(choice: RuntimeChoice): Promise<CriNode> {
    const registry = await startRegistry(webImage("web:1"), otherImage());
    try {
      const registries = registryFiles(choice.name, registry);
      const mirrors = [`docker.io=http://${registry.mirror}`];
      const runtime = await TestRuntime.start(choice, { registries, mirrors });
      const node = new CriNode(runtime, registry);
      await node.pull(node.image).catch(async (error) => {
        await node[Symbol.asyncDispose]();
        throw error;
      });
      return node;
    } catch (error) {
      registry[Symbol.dispose]();
      throw error;
    }
  }

  /** Pulls with credentials: a registry may ask for them before it says which image needs none. */
  pull(image: string, auth: object = credentials) {
    return this.cri.images.PullImage({ image: { image }, auth });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cri[Symbol.dispose]();
    this.registry[Symbol.dispose]();
    await this.runtime[Symbol.asyncDispose]();
  }

  /** The configuration of a sandbox in the host's network. */
  async sandboxConfig(name: string, linux: LinuxSandbox = {}): Promise<PodSandboxConfig> {
    const uid = randomUUID();
    const logDirectory = join(this.runtime.paths.podLogs, uid);
    await mkdir(logDirectory, { recursive: true });
    return {
      metadata: { name, uid, namespace: "default", attempt: 0 },
      logDirectory,
      labels: { "io.kubernetes.pod.uid": uid, "io.kubernetes.pod.name": name },
      annotations: { note: name },
      linux: {
        cgroupParent: this.runtime.cgroupParent,
        ...linux,
        securityContext: {
          ...linux.securityContext,
          namespaceOptions: { network: "NODE", ...linux.securityContext?.namespaceOptions },
        },
      },
    };
  }

  async runSandbox(name: string, linux: LinuxSandbox = {}) {
    const config = await this.sandboxConfig(name, linux);
    const { podSandboxId: id } = await this.cri.runtime.RunPodSandbox({ config });
    return { id, config };
  }

  /** Creates a container in a sandbox. */
  async createContainer(
    sandbox: Awaited<ReturnType<CriNode["runSandbox"]>>,
    name: string,
    command: readonly string[],
    more: Partial<ContainerConfig> = {},
  ): Promise<string> {
    const linux: LinuxContainer = {
      ...more.linux,
      securityContext: {
        ...more.linux?.securityContext,
        namespaceOptions: {
          ...sandbox.config.linux?.securityContext?.namespaceOptions,
          pid: "CONTAINER",
        },
      },
    };
    const { containerId } = await this.cri.runtime.CreateContainer({
      podSandboxId: sandbox.id,
      sandboxConfig: sandbox.config,
      config: {
        metadata: { name, attempt: 0 },
        image: { image: this.image, userSpecifiedImage: this.image },
        command,
        logPath: `${name}/0.log`,
        labels: { "io.kubernetes.container.name": name },
        annotations: { note: name },
        ...more,
        linux,
      },
    });
    return containerId;
  }

  /** Creates a container with a sandbox of its own, and starts it. */
  async run(
    name: string,
    command: readonly string[],
    more: Partial<ContainerConfig> & { readonly sandbox?: LinuxSandbox } = {},
  ) {
    const { sandbox: linux, ...container } = more;
    const sandbox = await this.runSandbox(name, linux);
    await mkdir(join(sandbox.config.logDirectory ?? "", name), { recursive: true });
    const id = await this.createContainer(sandbox, name, command, container);
    await this.cri.runtime.StartContainer({ containerId: id });
    return { id, sandbox };
  }

  async status(containerId: string): Promise<ContainerStatus> {
    const { status } = await this.cri.runtime.ContainerStatus({ containerId });
    if (!status) throw new Error(`${containerId} has no status`);
    return status;
  }

  /** The status of a container once it has ended. */
  untilExited(containerId: string): Promise<ContainerStatus> {
    return until(`container ${containerId} ends`, async () => {
      const status = await this.status(containerId);
      return status.state === "CONTAINER_EXITED" ? status : undefined;
    });
  }

  /** Waits for a file that a container's script makes. */
  async untilFile(containerId: string, path: string): Promise<void> {
    await until(`${path} is there`, async () => {
      const request = { containerId, cmd: script(`test -e ${path}`), timeout: 10 };
      return (await this.cri.runtime.ExecSync(request)).exitCode === 0;
    });
  }

  /** The output of a command in a container. */
  async exec(containerId: string, text: string): Promise<string> {
    const request = { containerId, cmd: script(text), timeout: 10 };
    const { stdout, stderr, exitCode } = await this.cri.runtime.ExecSync(request);
    if (exitCode !== 0) throw new Error(`${text}: ${exitCode} ${Buffer.from(stderr)}`);
    return Buffer.from(stdout).toString();
  }
}
