import { join } from "node:path";
import { events, namespaces, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { KubeletConfiguration } from "#/kubelet/config/kubelet-configuration.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { startContainerd, type TestContainerd } from "#/testing/start-containerd.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { until } from "#/testing/until.ts";

/** A kubelet with a containerd and an API server of its own. */
export class AttackedNode implements AsyncDisposable {
  readonly client: Client;
  readonly containerd: TestContainerd;
  readonly #stack: AsyncDisposableStack;

  private constructor(client: Client, containerd: TestContainerd, stack: AsyncDisposableStack) {
    this.client = client;
    this.containerd = containerd;
    this.#stack = stack;
  }

  static async start(settings: Partial<KubeletConfiguration> = {}): Promise<AttackedNode> {
    await using stack = new AsyncDisposableStack();
    const containerd = stack.use(await startContainerd());
    const api = stack.use(await startApiServer());
    const client = api.client();
    for (const name of ["default", "kube-node-lease"]) {
      await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
    }
    const kubelet = await startKubelet(containerd, () => api.client().transport, settings);
    stack.defer(() => kubelet.stop());
    return new AttackedNode(client, containerd, stack.move());
  }

  /** The kubelet's root directory. */
  get root(): string {
    return join(this.containerd.directory, "kubelet");
  }

  createPod(name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
    return this.client.create(pods, {
      metadata: { name, namespace: "default" },
      spec: {
        nodeName: testNodeName,
        hostNetwork: true,
        dnsPolicy: "Default",
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: "main", image: this.containerd.image }],
        ...spec,
      },
    });
  }

  /** Undefined if there is no such Pod. */
  find(name: string): Promise<Pod | undefined> {
    return this.client.get(pods, { name, namespace: "default" }).catch(() => undefined);
  }

  untilRunning(name: string): Promise<unknown> {
    const isRunning = async () => (await this.find(name))?.status?.phase === "Running";
    return until(`Pod ${name} runs`, isRunning);
  }

  untilGone(name: string): Promise<unknown> {
    return until(`Pod ${name} is gone`, async () => (await this.find(name)) === undefined);
  }

  /** Deletes a Pod and waits for its end. */
  async remove(name: string): Promise<void> {
    await this.client.delete(pods, { name, namespace: "default" });
    await this.untilGone(name);
  }

  /** Waits for an event of a Pod. */
  untilEvent(pod: string, reason: string, message: RegExp): Promise<unknown> {
    return until(`Pod ${pod} has an event ${reason} ${message}`, async () =>
      (await this.client.list(events)).items.some(
        (event) =>
          event.involvedObject.name === pod &&
          event.reason === reason &&
          message.test(event.message ?? ""),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
