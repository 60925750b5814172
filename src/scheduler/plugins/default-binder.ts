import { type Binding, pods } from "#/api/core/v1.ts";
import type { PluginContext } from "../framework/context.ts";
import type { Plugin } from "../framework/plugin.ts";
import { retryTransient } from "../framework/retry-transient.ts";

/**
 * Binds a pod to its node through the API.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/defaultbinder.
 */
export function defaultBinder({ client, clock }: Pick<PluginContext, "client" | "clock">): Plugin {
  return {
    name: "DefaultBinder",
    async bind({ pod: { namespace, name, uid } }, nodeName) {
      const binding: Binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { namespace, name, uid },
        target: { kind: "Node", name: nodeName },
      };
      await retryTransient(clock, () =>
        client.createSubresource(pods, { namespace, name }, "binding", binding),
      );
      return true;
    },
  };
}
