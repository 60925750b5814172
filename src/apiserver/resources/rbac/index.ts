import type { Declaration } from "../../registry/strategy.ts";
import { clusterRole } from "./cluster-role.ts";
import { clusterRoleBinding } from "./cluster-role-binding.ts";
import { role } from "./role.ts";
import { roleBinding } from "./role-binding.ts";

export const rbacResources: readonly Declaration[] = [
  clusterRole,
  clusterRoleBinding,
  role,
  roleBinding,
];
