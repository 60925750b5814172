import { restoreOperation } from "../backup/restore.ts";
import type { Operation } from "../base/operation.ts";
import { migrations } from "../migrate/index.ts";
import { rotations } from "../rotation/index.ts";
import { joinOperation } from "../servers/join-operation.ts";
import { upgradeOperation } from "./upgrade-node.ts";

/** The operations that `up` ends if they were interrupted. */
export const operations: readonly Operation<object>[] = [
  restoreOperation(),
  upgradeOperation,
  joinOperation(),
  ...Object.values(migrations),
  ...rotations.map(({ operation }) => operation),
];
