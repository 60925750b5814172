import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

/**
 * Pods of higher priority first, then those that have waited longest.
 *
 * Upstream: pkg/scheduler/framework/plugins/queuesort.
 */
export const prioritySort: PluginDeclaration = {
  name: "PrioritySort",
  make: () => ({
    less(a, b) {
      if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority;
      if (a.timestampMs !== b.timestampMs) return a.timestampMs < b.timestampMs;
      return a.order < b.order;
    },
  }),
};
