/** Upstream: pkg/volume/util/storageclass.go. */
import type { StorageClass } from "#/api/storage/v1.ts";
import { newestDefault } from "./newest-default.ts";

const annotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** The class of claims that do not name one. */
export const findDefaultStorageClass = (
  classes: Iterable<StorageClass>,
): StorageClass | undefined => newestDefault(classes, annotations);
