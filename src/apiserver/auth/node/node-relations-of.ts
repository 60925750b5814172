import { podCertificateRequests } from "#/api/certificates/v1.ts";
import { type PersistentVolume, type Pod, persistentVolumes, pods } from "#/api/core/v1.ts";
import { resourceSlices } from "#/api/resource/v1.ts";
import { volumeAttachments } from "#/api/storage/v1.ts";
import { followManyObjects, followStore } from "../../registry/follow-store.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { NodeRelations } from "./node-relations.ts";

/** The relations of nodes with a server's objects, kept up to date. */
export function nodeRelationsOf(registry: Registry): NodeRelations {
  const relations = new NodeRelations();
  // Upstream's graph, too, is filled while the server is already running.
  followManyObjects(registry.store(pods), (key, pod, previous) =>
    relations.setPod(key, pod?.peek() as Pod | undefined, previous?.peek() as Pod | undefined),
  );
  followStore(registry.store(persistentVolumes), (key, volume) =>
    relations.setVolume(key, volume?.parsed() as PersistentVolume | undefined),
  );
  for (const resource of owned) {
    followStore(registry.store(resource), (key, object) =>
      relations.setOwned(resource.name, key, nodeNameOf(object)),
    );
  }
  return relations;
}

const owned = [volumeAttachments, resourceSlices, podCertificateRequests];

function nodeNameOf(stored: StoredObject | undefined): string | undefined {
  return (stored?.parsed() as { spec?: { nodeName?: string } } | undefined)?.spec?.nodeName;
}
