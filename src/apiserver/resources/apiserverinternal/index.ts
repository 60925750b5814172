import type { Declaration } from "../../registry/strategy.ts";
import { storageVersion } from "./storage-version.ts";

/** The resources of internal.apiserver.k8s.io. */
export const apiserverinternalResources: readonly Declaration[] = [storageVersion];
