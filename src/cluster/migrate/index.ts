import type { Operation } from "../base/operation.ts";
import { migrateToEmbedded } from "./to-embedded.ts";
import { migrateToEtcd } from "./to-etcd.ts";
import { migrateToSingleServer } from "./to-single-server.ts";

/** The migrations of `k8ts migrate`, by their flags. */
export const migrations = {
  "to-etcd": migrateToEtcd as Operation<object>,
  "to-embedded": migrateToEmbedded as Operation<object>,
  "to-single-server": migrateToSingleServer as Operation<object>,
} as const;
