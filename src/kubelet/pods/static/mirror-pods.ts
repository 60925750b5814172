/** Upstream: pkg/kubelet/pod/mirror_client.go. */
import { type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { NodeAccess } from "../../state/pod-services.ts";
import { hashAnnotation, isStaticPod, mirrorAnnotation } from "../../state/static-pods.ts";

const log = logger("kubelet");

/** Keeps a mirror pod in the API for each static pod, so that users see it. */
export class MirrorPods {
  readonly #client: Client | undefined;
  readonly #node: Pick<NodeAccess, "node">;

  constructor(client: Client | undefined, node: Pick<NodeAccess, "node">) {
    this.#client = client;
    this.#node = node;
  }

  /** Creates the mirror of a static pod; replaces one of another version. Failures are retried later. */
  async ensure(pod: Pod, mirror: Pod | undefined): Promise<void> {
    if (!isStaticPod(pod) || !this.#client) return;
    if (mirror) {
      const same = mirror.metadata.annotations?.[mirrorAnnotation] === podHash(pod);
      if (same && mirror.metadata.deletionTimestamp === undefined) return;
      await this.delete(mirror);
    }
    try {
      await this.#create(this.#client, pod);
    } catch (error) {
      if (!isAlreadyExists(error)) log.error(error, "Failed creating a mirror pod");
    }
  }

  async delete({ metadata }: Pod): Promise<void> {
    const { name = "", namespace, uid } = metadata;
    try {
      await this.#client?.delete(
        pods,
        { name, namespace },
        {
          gracePeriodSeconds: 0,
          ...(uid && { preconditions: { uid } }),
        },
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) {
        log.error(error, "Failed deleting a mirror pod");
      }
    }
  }

  async #create(client: Client, pod: Pod): Promise<void> {
    const { metadata: node } = this.#node.node();
    if (!node.uid || node.deletionTimestamp) return;
    const { name = "", namespace = "", labels, annotations } = pod.metadata;
    const owner = {
      apiVersion: "v1",
      kind: "Node",
      name: node.name ?? "",
      uid: node.uid,
      controller: true,
    };
    await client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace,
        ...(labels && { labels }),
        annotations: { ...annotations, [mirrorAnnotation]: podHash(pod) },
        ownerReferences: [owner],
      },
      spec: pod.spec,
    });
  }
}

function podHash({ metadata }: Pod): string {
  return metadata.annotations?.[hashAnnotation] ?? "";
}
