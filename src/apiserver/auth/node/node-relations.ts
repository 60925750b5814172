import type { PersistentVolume, Pod } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { podReferences } from "#/machinery/pods/pod-references.ts";
import { volumeSecrets } from "./volume-secrets.ts";

interface Placed {
  readonly node: string;
  readonly references: ReadonlySet<string>;
}

interface VolumeLinks {
  readonly claim: string;
  readonly secrets: readonly string[];
}

/**
 * The objects related to each node: its pods, their references, the volumes of their claims, and the secrets of those.
 * Updated with each change.
 *
 * Upstream: plugin/pkg/auth/authorizer/node/graph.go.
 */
export class NodeRelations {
  /** For "resource/namespace/name", the number of references by node. */
  readonly #nodes = new Map<string, Map<string, number>>();
  readonly #placed = new Map<string, Placed>();
  readonly #volumes = new Map<string, VolumeLinks>();
  /** Volumes by the secrets they need. */
  readonly #needing = new Map<string, Set<string>>();

  /** Whether an object is related to a node. */
  isRelated(node: string, resource: string, namespace: string, name: string): boolean {
    const key = `${resource}/${namespace}/${name}`;
    if (this.#nodes.get(key)?.has(node)) return true;
    if (resource === "persistentvolumes") return this.#hasVolume(node, name);
    if (resource !== "secrets") return false;
    for (const volume of this.#needing.get(key) ?? []) {
      if (this.#hasVolume(node, volume)) return true;
    }
    return false;
  }

  #hasVolume(node: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && (this.#nodes.get(claim)?.has(node) ?? false);
  }

  setPod(key: string, pod: Pod | undefined, previous: Pod | undefined): void {
    if (pod && previous && this.#placed.has(`pods/${key}`) && refersAlike(pod, previous)) return;
    const node = pod?.spec.nodeName;
    this.#place(`pods/${key}`, node ? { node, references: podReferences(pod) } : undefined);
  }

  /** An object that belongs to a node directly: an attachment, a slice, a certificate request. */
  setOwned(resource: string, key: string, node: string | undefined): void {
    const name = key.includes("/") ? `${resource}/${key}` : `${resource}//${key}`;
    this.#place(name, node ? { node, references: new Set([name]) } : undefined);
  }

  setVolume(name: string, volume: PersistentVolume | undefined): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const volumes = this.#needing.get(secret);
      if (volumes?.delete(name) && volumes.size === 0) this.#needing.delete(secret);
    }
    const claim = volume?.spec?.claimRef;
    if (!volume || !claim) {
      this.#volumes.delete(name);
      return;
    }
    const secrets = volumeSecrets(volume);
    this.#volumes.set(name, {
      claim: `persistentvolumeclaims/${claim.namespace}/${claim.name}`,
      secrets,
    });
    for (const secret of secrets) {
      this.#needing.set(secret, (this.#needing.get(secret) ?? new Set()).add(name));
    }
  }

  #place(key: string, next: Placed | undefined): void {
    const old = this.#placed.get(key);
    for (const reference of old?.references ?? []) this.#count(reference, old?.node ?? "", -1);
    for (const reference of next?.references ?? []) this.#count(reference, next?.node ?? "", 1);
    if (next) this.#placed.set(key, next);
    else this.#placed.delete(key);
  }

  #count(reference: string, node: string, change: number): void {
    const counts = this.#nodes.get(reference) ?? new Map<string, number>();
    const count = (counts.get(node) ?? 0) + change;
    if (count > 0) counts.set(node, count);
    else counts.delete(node);
    if (counts.size > 0) this.#nodes.set(reference, counts);
    else this.#nodes.delete(reference);
  }
}

/** A bound pod gets further references only by new containers or by claims that were made for it. */
function refersAlike(pod: Pod, previous: Pod): boolean {
  return (
    pod.spec.nodeName === previous.spec.nodeName &&
    pod.metadata.uid === previous.metadata.uid &&
    pod.spec.ephemeralContainers?.length === previous.spec.ephemeralContainers?.length &&
    deepEqual(pod.status?.resourceClaimStatuses, previous.status?.resourceClaimStatuses) &&
    deepEqual(pod.status?.extendedResourceClaimStatus, previous.status?.extendedResourceClaimStatus)
  );
}
