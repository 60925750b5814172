import type { PersistentVolume, Pod } from "#/api/core/v1.ts";
import { followManyObjects, followStore } from "../../registry/follow-store.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { NodeRelations } from "./node-relations.ts";

/** The relations of nodes with a server's objects, kept up to date. */
export function nodeRelationsOf(registry: Registry): NodeRelations {
  const relations = new NodeRelations();
  // Upstream's graph, too, is filled while the server runs already.
  followManyObjects(registry.store("", "pods"), (key, pod, previous) =>
    relations.setPod(key, pod?.glance as Pod | undefined, previous?.glance as Pod | undefined),
  );
  followStore(registry.store("", "persistentvolumes"), (key, volume) =>
    relations.setVolume(key, volume?.object as PersistentVolume | undefined),
  );
  for (const [group, resource] of owned) {
    followStore(registry.store(group, resource), (key, object) =>
      relations.setOwned(resource, key, nodeNameOf(object)),
    );
  }
  return relations;
}

const owned = [
  ["storage.k8s.io", "volumeattachments"],
  ["resource.k8s.io", "resourceslices"],
  ["certificates.k8s.io", "podcertificaterequests"],
] as const;

function nodeNameOf(stored: StoredObject | undefined): string | undefined {
  return (stored?.object as { spec?: { nodeName?: string } } | undefined)?.spec?.nodeName;
}
