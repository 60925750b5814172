import type { Declaration } from "../../registry/strategy.ts";
import { csiDriver } from "./csi-driver.ts";
import { csiNode } from "./csi-node.ts";
import { csiStorageCapacity } from "./csi-storage-capacity.ts";
import { storageClass } from "./storage-class.ts";
import { volumeAttachment } from "./volume-attachment.ts";
import { volumeAttributesClass } from "./volume-attributes-class.ts";

/** The resources of storage.k8s.io. */
export const storageResources: readonly Declaration[] = [
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
];
