import type { Declaration } from "../../registry/strategy.ts";
import { storageVersionMigration } from "./storage-version-migration.ts";

/** The resources of storagemigration.k8s.io. */
export const storagemigrationResources: readonly Declaration[] = [storageVersionMigration];
